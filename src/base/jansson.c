/*
 * jansson.c - libjansson, which parses JSON, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/jansson.h"

#include "base/library.h"

#define FUNCTION(name) LIBRARY_FUNCTION(jansson, "json_" #name, name)
LIBRARY_LOADER(jansson, "libjansson.so.4", JANSSON_FUNCTIONS(FUNCTION),
	       "libjansson is needed to read JSON; install it with: apt-get install libjansson4")
