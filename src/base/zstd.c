/*
 * zstd.c - libzstd, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/zstd.h"

#include "base/library.h"

#define FUNCTION(name) LIBRARY_FUNCTION(zstd, "ZSTD_" #name, name)
LIBRARY_LOADER(zstd, "libzstd.so.1", ZSTD_FUNCTIONS(FUNCTION),
	       "libzstd is needed for data compressed with zstd; install it with: apt-get install libzstd1")
