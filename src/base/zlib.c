/*
 * zlib.c - zlib, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/zlib.h"

#include "base/library.h"

#define FUNCTION(name) LIBRARY_FUNCTION(zlib, #name, name)
LIBRARY_LOADER(zlib, "libz.so.1", ZLIB_FUNCTIONS(FUNCTION),
	       "zlib is needed for this gzip data; install it with: apt-get install zlib1g")
