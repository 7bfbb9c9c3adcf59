/*
 * lz4.c - liblz4, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/lz4.h"

#include "base/library.h"

#include <stddef.h>

static struct lz4 lib;

/* clang-format off */
static const struct library_function functions[] = {
#define FUNCTION(name) { "LZ4F_" #name, offsetof(struct lz4, name) },
	LZ4_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static struct library library =
	LIBRARY("liblz4.so.1", functions, &lib,
		"liblz4 is needed for data compressed with LZ4; install it with: apt-get install liblz4-1");

int lz4_load(const struct lz4 **out, struct err *err)
{
	*out = &lib;
	return library_use(&library, err);
}
