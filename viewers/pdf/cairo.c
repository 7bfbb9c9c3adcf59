/*
 * cairo.c - cairo and fontconfig, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/cairo.h"

#include "base/library.h"

#include <stdbool.h>
#include <stddef.h>

/* Set by the first successful cairo_load; constant afterwards. */
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

static int load(struct err *err)
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

int cairo_load(const struct cairo **out, const struct fontconfig **fonts, struct err *err)
{
	int rc = is_loaded ? 0 : load(err);

	if (rc == 0) {
		*out = &cairo;
		*fonts = &fontconfig;
	}
	return rc;
}

void cairo_release_caches(const struct cairo *lib, const struct fontconfig *fonts)
{
	lib->debug_reset_static_data();
	fonts->Fini();
}
