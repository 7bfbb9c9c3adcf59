/*
 * zstd.c - libzstd, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/zstd.h"

#include "base/library.h"

#include <stddef.h>

static struct zstd lib;

/* clang-format off */
static const struct library_function functions[] = {
#define FUNCTION(name) { "ZSTD_" #name, offsetof(struct zstd, name) },
	ZSTD_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static struct library library =
	LIBRARY("libzstd.so.1", functions, &lib,
		"libzstd is needed for data compressed with zstd; install it with: apt-get install libzstd1");

int zstd_load(const struct zstd **out, struct err *err)
{
	*out = &lib;
	return library_use(&library, err);
}
