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
#include <stdbool.h>
#include <stddef.h>

/* Filled in by the first successful curl_load; constant afterwards. */
static struct curl lib;
static bool is_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards loading */

/* clang-format off */
static const struct library_function functions[] = {
#define FUNCTION(name) { "curl_" #name, offsetof(struct curl, name) },
	CURL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static int fetch_curl_load(struct err *err)
{
	static const char advice[] = "libcurl is needed to fetch URLs; install it with: apt-get install libcurl4";
	int rc = library_load("libcurl.so.4", functions, sizeof(functions) / sizeof(functions[0]), &lib, advice, err);

	if (rc == 0 && lib.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		rc = err_set(err, ERR_IO, "cannot initialize libcurl");
	is_loaded = rc == 0;
	return rc;
}

int curl_load(const struct curl **out, struct err *err)
{
	int rc;

	assert(out);
	pthread_mutex_lock(&lock);
	rc = is_loaded ? 0 : fetch_curl_load(err);
	pthread_mutex_unlock(&lock);
	if (rc == 0)
		*out = &lib;
	return rc;
}
