/*
 * library.h - libraries that are loaded when they are first needed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For what few commands use and every start would pay for: linked, libcurl costs 5 ms, cairo and
 * libxml2 1 ms each, of 3 ms.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/err.h"

#include <stddef.h>

/* A function of a library, and where in the table its address goes. */
struct library_function {
	const char *name;
	size_t at;
};

/*
 * Load a library, which stays, and look up its functions. Not kept: the caller asks once.
 *
 * table    filled at each function's place
 * advice   what it is needed for and which package has it: the whole sentence of the error
 * Fails    ERR_IO when it is not there or lacks a function
 */
int library_load(const char *soname, const struct library_function *functions, size_t n, void *table,
		 const char *advice, struct err *err);

#endif
