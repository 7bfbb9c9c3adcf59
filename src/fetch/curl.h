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

/* The functions of libcurl that cpa uses, without their prefix curl_. */
struct curl {
	CURLcode (*global_init)(long flags);
	CURL *(*easy_init)(void);
	CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
	CURLcode (*easy_pause)(CURL *easy, int bits);
	CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
	const char *(*easy_strerror)(CURLcode code);
	void (*easy_cleanup)(CURL *easy);
	CURLM *(*multi_init)(void);
	CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
	CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
	CURLMcode (*multi_perform)(CURLM *multi, int *running);
	CURLMcode (*multi_setopt)(CURLM *multi, CURLMoption option, ...);
	CURLMcode (*multi_socket_action)(CURLM *multi, curl_socket_t fd, int events, int *running);
	CURLMcode (*multi_assign)(CURLM *multi, curl_socket_t fd, void *data);
	CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *more, unsigned n, int timeout_ms, int *ready);
	CURLMsg *(*multi_info_read)(CURLM *multi, int *left);
	CURLMcode (*multi_cleanup)(CURLM *multi);
	struct curl_slist *(*slist_append)(struct curl_slist *list, const char *line);
	void (*slist_free_all)(struct curl_slist *list);
};

/*
 * Load and initialize libcurl on the first call. It is never unloaded.
 *
 * Fails   ERR_IO; the message names the package to install
 */
int curl_load(const struct curl **out, struct err *err);

#endif
