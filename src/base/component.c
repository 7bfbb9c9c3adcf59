/*
 * component.c - parts of the program that configure may leave out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/component.h"

#include "built_parts.h"

#include <string.h>

const struct component components[] = {
	{ "web", "the web UI: cpa -http", PART_WEB },
	{ "collect", "cpa collect", PART_COLLECT },
	{ "pictures", "flame graphs as PDF and PNG", PART_PICTURES },
	{ "curl", "profiles from servers", PART_CURL },
	{ "shell", "the full screen, and line editing at the prompt", PART_SHELL },
	{ "symbols", "names, lines and instructions from programs and debug files", PART_SYMBOLS },
};
const size_t n_components = sizeof(components) / sizeof(components[0]);

int component_missing(const char *name, struct err *err)
{
	const struct component *p = components;

	while (p + 1 < components + n_components && strcmp(p->name, name) != 0)
		p++;
	return err_set(err, ERR_USAGE, "cpa was built without %s: %s; build it again with %s", p->name, p->lacks,
		       strstr(p->lacks, "--without-") ? "that part" : "that package");
}
