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

static const struct library_function functions[] = {
#define FUNCTION(name)                                                                                                 \
	{                                                                                                              \
		"MHD_" #name, offsetof(struct microhttpd, name)                                                        \
	}
	FUNCTION(start_daemon),
	FUNCTION(stop_daemon),
	FUNCTION(add_connection),
	FUNCTION(get_connection_info),
	FUNCTION(get_connection_values_n),
	FUNCTION(queue_response),
	FUNCTION(create_response_from_buffer_with_free_callback_cls),
	FUNCTION(add_response_header),
	FUNCTION(destroy_response),
#undef FUNCTION
};

static struct library library =
	LIBRARY("libmicrohttpd.so.12", functions, &lib,
		"libmicrohttpd 0.9.75 is needed for the web UI; install it with: apt-get install libmicrohttpd12");

int microhttpd_load(const struct microhttpd **out, struct err *err)
{
	*out = &lib;
	return library_use(&library, err);
}
