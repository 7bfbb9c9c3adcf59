/*
 * isal.c - ISA-L, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/isal.h"

#include "base/library.h"

#define FUNCTION(name) LIBRARY_FUNCTION(isal, "isal_" #name, name)
LIBRARY_LOADER(isal, "libisal.so.2", ISAL_FUNCTIONS(FUNCTION),
	       "ISA-L is needed to decompress gzip in pieces; install it with: apt-get install libisal2")
