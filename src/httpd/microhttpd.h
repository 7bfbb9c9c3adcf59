/*
 * microhttpd.h - libmicrohttpd, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef HTTPD_MICROHTTPD_H
#define HTTPD_MICROHTTPD_H

#include "base/err.h"

#include <microhttpd.h>

/* clang-format off */
#define MICROHTTPD_FUNCTIONS(F) \
	F(start_daemon) F(stop_daemon) F(add_connection) F(get_connection_info) F(get_connection_values_n) \
	F(queue_response) F(create_response_from_buffer_with_free_callback_cls) F(add_response_header) \
	F(destroy_response)

/* The functions of libmicrohttpd that cpa calls; each has the name of the real one without MHD_. */
struct microhttpd {
#define FUNCTION(name) __typeof__(MHD_##name) *name;
	MICROHTTPD_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

/* Load libmicrohttpd once per process. Fails with ERR_IO when the library is missing or too old. */
int microhttpd_load(const struct microhttpd **out, struct err *err);

#endif
