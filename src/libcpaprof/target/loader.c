/*
 * loader.c - wrappers of functions that load and unload code
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * dlopen depends on its caller: the run path of the calling object determines where to search, and is inherited by the
 * objects that are loaded. So our wrapper must jump to the real dlopen, except when the result does not depend on the
 * caller: the name is a path, and no object has a DT_RPATH, which its libraries inherit. Objects loaded through a jump
 * are published later, at the latest before they are unloaded. dlmopen is not wrapped.
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

/* Does this object have a DT_RPATH? Irrelevant for the main program, whose DT_RPATH is always searched. */
static int has_rpath(struct dl_phdr_info *info, size_t size, void *arg)
{
	bool *first = arg, rpath = false, runpath = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum && !*first; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		const ElfW(Dyn) *d = (const ElfW(Dyn) *)(info->dlpi_addr + h->p_vaddr);

		if (h->p_type != PT_DYNAMIC)
			continue;
		for (; d->d_tag != DT_NULL; d++) {
			rpath |= d->d_tag == DT_RPATH;
			runpath |= d->d_tag == DT_RUNPATH;
		}
	}
	*first = false;
	return rpath && !runpath;
}

static bool caller_matters(const char *name)
{
	bool first = true;

	return !name || !strchr(name, '/') || strchr(name, '$') || dl_iterate_phdr(has_rpath, &first);
}

static void *open_and_publish(const char *name, int flags)
{
	void *handle = cpi_next()->dlopen(name, flags);

	if (handle)
		cpi_modules_refresh();
	return handle;
}

/* Optimised, so that the call is a jump even in builds without optimisation. */
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O2")))
#endif
CPA_EXPORT void *
dlopen(const char *name, int flags)
{
	void *(*next)(const char *, int) = cpi_next()->dlopen;

	cpi_heap_dlopen(flags);
	if (cpi_is_on_sig()) {
		cpi_guard_check();
		cpi_modules_refresh();
		if (!caller_matters(name))
			next = open_and_publish;
	}
	return next(name, flags);
}

CPA_EXPORT int dlclose(void *handle)
{
	bool is_on = cpi_is_on_sig();
	int rc;

	if (is_on) {
		cpi_modules_refresh();
		cpi_objects_close_begin();
	}
	rc = cpi_next()->dlclose(handle);
	if (is_on) {
		cpi_objects_close_end();
		cpi_modules_refresh();
	}
	return rc;
}
