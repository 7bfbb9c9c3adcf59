/*
 * microhttpd.h - libmicrohttpd, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef HTTPD_MICROHTTPD_H
#define HTTPD_MICROHTTPD_H

#include "base/err.h"

#include <microhttpd.h>

/* The functions of libmicrohttpd that cpa calls; each has the name of the real one without MHD_. */
struct microhttpd {
#define FUNCTION(name) __typeof__(MHD_##name) *name
	FUNCTION(start_daemon);
	FUNCTION(stop_daemon);
	FUNCTION(add_connection);
	FUNCTION(get_connection_info);
	FUNCTION(get_connection_values_n);
	FUNCTION(queue_response);
	FUNCTION(create_response_from_buffer_with_free_callback_cls);
	FUNCTION(add_response_header);
	FUNCTION(destroy_response);
#undef FUNCTION
};

/* Load libmicrohttpd once per process. Fails with ERR_IO when the library is missing or too old. */
int microhttpd_load(const struct microhttpd **out, struct err *err);

#endif
