/*
 * lz4.c - liblz4, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/lz4.h"

#include "base/library.h"

#define FUNCTION(name) LIBRARY_FUNCTION(lz4, "LZ4F_" #name, name)
LIBRARY_LOADER(lz4, "liblz4.so.1",
	       LZ4_FUNCTIONS(FUNCTION) LIBRARY_FUNCTION(lz4, "LZ4_decompress_safe", decompress_safe),
	       "liblz4 is needed for data compressed with LZ4; install it with: apt-get install liblz4-1")
