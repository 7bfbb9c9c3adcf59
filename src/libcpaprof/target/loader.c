/*
 * loader.c - wrappers of what loads and unloads code
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * dlopen looks at who called it: the run paths of that object say where to search, and are those of what is
 * loaded too. So it must be left by a jump, unless the caller does not matter: then the name is a path, and no
 * library has the old kind of run path, which its libraries inherit. What was loaded by a jump is told later,
 * at the latest before it goes. dlmopen is never called through us.
 */
#include "config.h"

#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/modules.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/objects.h"
#include "libcpaprof/target/target.h"

#include <link.h>
#include <string.h>

/* Has this object the old kind of run path? Of the program that is no matter, it is always searched. */
static int has_old_path(struct dl_phdr_info *info, size_t size, void *arg)
{
	bool *first = arg, old = false, new = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum && !*first; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		const ElfW(Dyn) *d = (const ElfW(Dyn) *)(info->dlpi_addr + h->p_vaddr);

		if (h->p_type != PT_DYNAMIC)
			continue;
		for (; d->d_tag != DT_NULL; d++) {
			old |= d->d_tag == DT_RPATH;
			new |= d->d_tag == DT_RUNPATH;
		}
	}
	*first = false;
	return old && !new;
}

static bool caller_matters(const char *name)
{
	bool first = true;

	return !name || !strchr(name, '/') || strchr(name, '$') || dl_iterate_phdr(has_old_path, &first);
}

static void *open_and_tell(const char *name, int flags)
{
	void *handle = cpi_next()->dlopen(name, flags);

	if (handle)
		cpi_modules_refresh();
	return handle;
}

/* A jump also where nothing is optimized. */
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O2")))
#endif
CPA_EXPORT void *
dlopen(const char *name, int flags)
{
	void *(*next)(const char *, int) = cpi_next()->dlopen;

	cpi_heap_dlopen(flags);
	if (cpi_on_sig()) {
		cpi_guard_check();
		cpi_modules_refresh();
		if (!caller_matters(name))
			next = open_and_tell;
	}
	return next(name, flags);
}

CPA_EXPORT int dlclose(void *handle)
{
	bool on = cpi_on_sig();
	int rc;

	if (on) {
		cpi_modules_refresh();
		cpi_objects_close_begin();
	}
	rc = cpi_next()->dlclose(handle);
	if (on) {
		cpi_objects_close_end();
		cpi_modules_refresh();
	}
	return rc;
}
