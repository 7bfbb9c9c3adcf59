/*
 * instance.c - the instance of a series
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/instance.h"

#include <stdlib.h>
#include <string.h>

enum { BUILDS_MAX = 6, BUILD_CHARACTERS = 24 };

/* Does this label name a build: "version", "service_version" and so on? */
static bool instance_is_build(const char *label)
{
	static const char *const names[] = { "version",  "service_version", "service.version", "service_git_ref",
					     "revision", "git_ref",         "commit",          "build_id" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(label, names[i]) == 0)
			return true;
	return false;
}

void instance_begin(struct buf *name, const char *service)
{
	name->len = 0;
	buf_add(name, service, strlen(service) + 1);
}

void instance_add(struct buf *name, const char *label, const char *value)
{
	if (instance_is_build(label))
		return;
	buf_add(name, label, strlen(label) + 1);
	buf_add(name, value, strlen(value) + 1);
}

void instance_add_build(const char *kind, const char *name, uint32_t i, struct buf *out)
{
	if (i == BUILDS_MAX)
		buf_addz(out, ", ...");
	if (i < BUILDS_MAX)
		buf_addf(out, "%s%s%.*s", i ? ", " : kind, i ? "" : " ", BUILD_CHARACTERS, name);
}

static int compare_versions(const void *a, const void *b)
{
	const struct instance_version *x = a, *y = b;
	int order = strcmp(x->service, y->service);

	return order ? order : strcmp(x->version, y->version);
}

void instance_describe_versions(struct instance_version *v, size_t n, struct buf *out)
{
	uint32_t named = 0;

	if (n)
		qsort(v, n, sizeof(*v), compare_versions);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && strcmp(v[end].service, v[i].service) == 0;)
			end++;
		for (size_t k = i; k < end && strcmp(v[i].version, v[end - 1].version) != 0; k++)
			if (k == i || strcmp(v[k].version, v[k - 1].version) != 0)
				instance_add_build("versions", *v[k].version ? v[k].version : "(none)", named++, out);
	}
}
