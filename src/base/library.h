/*
 * library.h - load shared libraries on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * This is for libraries that not every command needs. Starting cpa takes 1 ms; linking libcurl would add 5 ms, cairo
 * and libxml2 1 ms each, PCRE2 and zstd together 0.15 ms.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* A function of a library, and the offset of its pointer in the table. */
struct library_function {
	const char *name;
	size_t at;
};

/*
 * Load a library and look up its functions. The library is never unloaded; the caller caches the table.
 *
 * table    filled at the offset of each function
 * advice   the error message: what the library is needed for, and which package contains it
 * Fails    ERR_IO when the library is missing or lacks a function
 */
int library_load(const char *soname, const struct library_function *functions, size_t n, void *table,
		 const char *advice, struct err *err);

/* A library that is loaded once per process. The first five fields are arguments of library_load. */
struct library {
	const char *soname;
	const struct library_function *functions; /* [n] */
	size_t n;
	void *table; /* constant after the first successful library_use */
	const char *advice;
	pthread_mutex_t lock; /* guards is_loaded and table */
	bool is_loaded;
};

/* Initializer of a struct library. list: an array of struct library_function */
#define LIBRARY(name, list, to, text)                                                                                  \
	{                                                                                                              \
		.soname = (name), .functions = (list), .n = sizeof(list) / sizeof((list)[0]), .table = (to),           \
		.advice = (text), .lock = PTHREAD_MUTEX_INITIALIZER                                                    \
	}

/* Load the library unless it is loaded. Callable by any thread. Fails like library_load. */
int library_use(struct library *l, struct err *err);

/* A struct library_function: real is the name in the library, name the member of struct table. */
#define LIBRARY_FUNCTION(table, real, name) { real, offsetof(struct table, name) },

/* Define the function name_load, which loads a library into its one struct name. of: the list of LIBRARY_FUNCTION */
#define LIBRARY_LOADER(name, soname, of, text)                                                                         \
	int name##_load(const struct name **out, struct err *err)                                                      \
	{                                                                                                              \
		static const struct library_function functions[] = { of };                                             \
		static struct name table;                                                                              \
		static struct library library = LIBRARY(soname, functions, &table, text);                              \
                                                                                                                       \
		*out = &table;                                                                                         \
		return library_use(&library, err);                                                                     \
	}

#endif
