/*
 * microhttpd.c - libmicrohttpd, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "httpd/microhttpd.h"

#include "base/library.h"

#include <stddef.h>

static struct microhttpd lib;

/* clang-format off */
static const struct library_function functions[] = {
#define FUNCTION(name) { "MHD_" #name, offsetof(struct microhttpd, name) },
	MICROHTTPD_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static struct library library =
	LIBRARY("libmicrohttpd.so.12", functions, &lib,
		"libmicrohttpd 0.9.75 is needed for the web UI; install it with: apt-get install libmicrohttpd12");

int microhttpd_load(const struct microhttpd **out, struct err *err)
{
	*out = &lib;
	return library_use(&library, err);
}
