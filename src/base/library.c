/*
 * library.c - load shared libraries on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/library.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int library_load(const char *soname, const struct library_function *functions, size_t n, void *table,
		 const char *advice, struct err *err)
{
	void *so = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	assert(soname && functions && n > 0 && table);
	if (!so) {
		const char *reason = dlerror();

		/* of memory or open files, for example; the name of the library is in the reason */
		if (reason && !strstr(reason, strerror(ENOENT)))
			return err_set(err, ERR_IO, "cannot load a library: %s", reason);
		return err_set(err, ERR_IO, "%s", advice);
	}
	for (size_t i = 0; i < n; i++) {
		void *function = dlsym(so, functions[i].name);

		if (!function)
			return err_set(err, ERR_IO, "%s (the installed version is too old: it lacks %s)", advice,
				       functions[i].name);
		memcpy((char *)table + functions[i].at, &function, sizeof(function));
	}
	return 0;
}

int library_use(struct library *l, struct err *err)
{
	int rc = 0;

	pthread_mutex_lock(&l->lock);
	if (!l->is_loaded)
		rc = library_load(l->soname, l->functions, l->n, l->table, l->advice, err);
	l->is_loaded |= rc == 0;
	pthread_mutex_unlock(&l->lock);
	return rc;
}
