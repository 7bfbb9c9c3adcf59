/*
 * curl.c - libcurl, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/curl.h"

#include "base/library.h"

#include <assert.h>
#include <pthread.h>

static struct curl lib;
#define FUNCTION(name) LIBRARY_FUNCTION(curl, "curl_" #name, name)
static const struct library_function functions[] = { CURL_FUNCTIONS(FUNCTION) };
static struct library library = LIBRARY("libcurl.so.4", functions, &lib,
					"libcurl is needed to fetch URLs; install it with: apt-get install libcurl4");
static CURLcode init_rc;

static void fetch_curl_init(void)
{
	init_rc = lib.global_init(CURL_GLOBAL_DEFAULT);
}

int curl_load(const struct curl **out, struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int rc = library_use(&library, err);

	assert(out);
	if (rc < 0)
		return rc;
	pthread_once(&once, fetch_curl_init);
	*out = &lib;
	return init_rc == CURLE_OK ? 0 : err_set(err, ERR_IO, "cannot initialize libcurl");
}
