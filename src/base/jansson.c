/*
 * jansson.c - libjansson, which parses JSON, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/jansson.h"

#include "base/library.h"

#include <stddef.h>

static struct jansson lib;

/* clang-format off */
static const struct library_function functions[] = {
#define FUNCTION(name) { "json_" #name, offsetof(struct jansson, name) },
	JANSSON_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static struct library library =
	LIBRARY("libjansson.so.4", functions, &lib,
		"libjansson is needed to read JSON; install it with: apt-get install libjansson4");

int jansson_load(const struct jansson **out, struct err *err)
{
	*out = &lib;
	return library_use(&library, err);
}
