/*
 * microhttpd.c - libmicrohttpd, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "httpd/microhttpd.h"

#include "base/library.h"

#define FUNCTION(name) LIBRARY_FUNCTION(microhttpd, "MHD_" #name, name)
LIBRARY_LOADER(microhttpd, "libmicrohttpd.so.12", MICROHTTPD_FUNCTIONS(FUNCTION),
	       "libmicrohttpd 0.9.75 is needed for the web UI; install it with: apt-get install libmicrohttpd12")
