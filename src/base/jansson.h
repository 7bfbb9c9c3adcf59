/*
 * jansson.h - libjansson, which parses JSON, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_JANSSON_H
#define BASE_JANSSON_H

#include "base/err.h"

#include <jansson.h>

/* clang-format off */
#define JANSSON_FUNCTIONS(F) \
	F(loadb) F(delete) F(object_get) F(object_iter) F(object_iter_next) F(object_iter_key) \
	F(object_iter_value) F(array_size) F(array_get) F(string_value) F(string_length) F(integer_value) \
	F(real_value)

/* The functions of libjansson that cpa calls; each has the name of the real one without json_. */
struct jansson {
#define FUNCTION(name) __typeof__(json_##name) *name;
	JANSSON_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

/*
 * Load libjansson once per process. Callable by any thread.
 *
 * Fails   ERR_IO when the library is missing or too old
 */
int jansson_load(const struct jansson **out, struct err *err);

#endif
