/*
 * jansson.c - libjansson, which parses JSON, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/jansson.h"

#include "base/library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Filled in by the first successful jansson_load; constant afterwards. */
static struct jansson lib;
static bool is_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the above */

static const struct library_function functions[] = {
#define FUNCTION(name)                                                                                                 \
	{                                                                                                              \
		"json_" #name, offsetof(struct jansson, name)                                                          \
	}
	FUNCTION(loadb),
	FUNCTION(delete),
	FUNCTION(object_get),
	FUNCTION(object_iter),
	FUNCTION(object_iter_next),
	FUNCTION(object_iter_key),
	FUNCTION(object_iter_value),
	FUNCTION(array_size),
	FUNCTION(array_get),
	FUNCTION(string_value),
	FUNCTION(string_length),
	FUNCTION(integer_value),
	FUNCTION(real_value),
#undef FUNCTION
};

int jansson_load(const struct jansson **out, struct err *err)
{
	static const char advice[] = "libjansson is needed to read JSON; install it with: apt-get install libjansson4";
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!is_loaded)
		rc = library_load("libjansson.so.4", functions, sizeof(functions) / sizeof(functions[0]), &lib, advice,
				  err);
	is_loaded |= rc == 0;
	pthread_mutex_unlock(&lock);
	if (rc == 0)
		*out = &lib;
	return rc;
}
