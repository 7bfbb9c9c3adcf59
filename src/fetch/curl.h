/*
 * curl.h - libcurl, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_CURL_H
#define FETCH_CURL_H

#include "base/err.h"

#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

/* clang-format off */
#define CURL_FUNCTIONS(F) \
	F(global_init) F(easy_init) F(easy_setopt) F(easy_pause) F(easy_getinfo) F(easy_strerror) \
	F(easy_cleanup) F(multi_init) F(multi_add_handle) F(multi_remove_handle) F(multi_perform) \
	F(multi_setopt) F(multi_socket_action) F(multi_assign) F(multi_poll) F(multi_info_read) \
	F(multi_cleanup) F(slist_append) F(slist_free_all)

/* The functions of libcurl that cpa uses, without their prefix curl_. */
struct curl {
#define FUNCTION(name) __typeof__(curl_##name) *name;
	CURL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

/*
 * Load and initialize libcurl on the first call. It is never unloaded.
 *
 * Fails   ERR_IO; the message names the package to install
 */
int curl_load(const struct curl **out, struct err *err);

#endif
