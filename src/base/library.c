/*
 * library.c - load shared libraries on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/library.h"

#include <assert.h>
#include <dlfcn.h>
#include <string.h>

int library_load(const char *soname, const struct library_function *functions, size_t n, void *table,
		 const char *advice, struct err *err)
{
	void *so = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	assert(soname && functions && n > 0 && table);
	if (!so)
		return err_set(err, ERR_IO, "%s", advice);
	for (size_t i = 0; i < n; i++) {
		void *function = dlsym(so, functions[i].name);

		if (!function)
			return err_set(err, ERR_IO, "%s (the installed version is too old: it lacks %s)", advice,
				       functions[i].name);
		memcpy((char *)table + functions[i].at, &function, sizeof(function));
	}
	return 0;
}
