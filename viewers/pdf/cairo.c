/*
 * cairo.c - cairo and fontconfig, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/cairo.h"

#include "base/library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Held from cairo_open to cairo_close: both libraries share caches between all their objects. Guards the rest. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cairo cairo;
static struct fontconfig fontconfig;
static bool is_loaded;

/* clang-format off */
static const struct library_function cairo_functions[] = {
#define FUNCTION(name) { "cairo_" #name, offsetof(struct cairo, name) },
	CAIRO_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

static const struct library_function fontconfig_functions[] = {
#define FUNCTION(name) { "Fc" #name, offsetof(struct fontconfig, name) },
	FONTCONFIG_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static int cairo_load(struct err *err)
{
	static const char advice[] = "cairo is needed to draw PDF and PNG; install it with: apt-get install libcairo2",
			  fonts[] = "fontconfig is needed to draw PDF and PNG; "
				    "install it with: apt-get install libfontconfig1";
	int rc = library_load("libcairo.so.2", cairo_functions, sizeof(cairo_functions) / sizeof(cairo_functions[0]),
			      &cairo, advice, err);

	if (rc == 0)
		rc = library_load("libfontconfig.so.1", fontconfig_functions,
				  sizeof(fontconfig_functions) / sizeof(fontconfig_functions[0]), &fontconfig, fonts,
				  err);
	is_loaded = rc == 0;
	return rc;
}

int cairo_open(const struct cairo **out, const struct fontconfig **fonts, struct err *err)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = is_loaded ? 0 : cairo_load(err);
	if (rc < 0) {
		pthread_mutex_unlock(&lock);
		return rc;
	}
	*out = &cairo;
	*fonts = &fontconfig;
	return 0;
}

void cairo_close(bool is_unused)
{
	if (is_unused) {
		cairo.debug_reset_static_data();
		fontconfig.Fini();
	}
	pthread_mutex_unlock(&lock);
}
