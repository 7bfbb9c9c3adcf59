/*
 * jansson.h - libjansson, which parses JSON, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_JANSSON_H
#define BASE_JANSSON_H

#include "base/err.h"

#include <jansson.h>

/* The functions of libjansson that cpa calls; each has the name of the real one without json_. */
struct jansson {
#define FUNCTION(name) __typeof__(json_##name) *name
	FUNCTION(loadb);
	FUNCTION(delete);
	FUNCTION(object_get);
	FUNCTION(object_iter);
	FUNCTION(object_iter_next);
	FUNCTION(object_iter_key);
	FUNCTION(object_iter_value);
	FUNCTION(array_size);
	FUNCTION(array_get);
	FUNCTION(string_value);
	FUNCTION(string_length);
	FUNCTION(integer_value);
	FUNCTION(real_value);
#undef FUNCTION
};

/*
 * Load libjansson once per process. Callable by any thread.
 *
 * Fails   ERR_IO when the library is missing or too old
 */
int jansson_load(const struct jansson **out, struct err *err);

#endif
