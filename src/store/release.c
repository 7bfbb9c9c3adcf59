/*
 * release.c - releases: pins with the profiles of a version of a service
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/release.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RELEASE_PREFIX "release+"

static const char release_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

int release_pin_name(const char *version, const char *service, struct buf *out, struct err *err)
{
	for (const char *at = version; *at; at++)
		if (*at != '+' && !strchr(release_letters, *at))
			return err_set(err, ERR_USAGE, "release %s: a version has letters, digits and . _ - +",
				       version);
	if (!*version)
		return err_set(err, ERR_USAGE, "the version of the release is empty");
	buf_addf(out, RELEASE_PREFIX "%s+", version);
	for (; *service; service++)
		buf_addf(out, "%c", strchr(release_letters, *service) ? *service : '_');
	return 0;
}

bool release_is_pin(const char *name, const char **version, size_t *n)
{
	const char *last = strrchr(name, '+');

	if (!starts_with(name, RELEASE_PREFIX) || last < name + sizeof(RELEASE_PREFIX) - 1)
		return false;
	*version = name + sizeof(RELEASE_PREFIX) - 1;
	*n = (size_t)(last - *version);
	return true;
}

struct release_pins {
	struct store_pin_info *pin; /* [n] names are owned */
	size_t n, cap;
};

static int release_copy_pin(void *arg, const struct store_pin_info *p, struct err *err)
{
	struct release_pins *list = arg;
	const char *version;
	size_t n;

	(void)err;
	if (!release_is_pin(p->name, &version, &n))
		return 0;
	list->pin = mem_grow(list->pin, &list->cap, list->n + 1, sizeof(*list->pin));
	list->pin[list->n++] = (struct store_pin_info){
		.name = mem_strndup(p->name, strlen(p->name)), .spec = "", .made_ns = p->made_ns, .bytes = p->bytes
	};
	return 0;
}

int release_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err)
{
	struct release_pins list = { 0 };
	int rc = store_each_pin(s, release_copy_pin, &list, err);

	for (size_t i = 0; i < list.n; i++) {
		if (rc == 0)
			rc = fn(arg, &list.pin[i], err);
		free((char *)(uintptr_t)list.pin[i].name);
	}
	free(list.pin);
	return rc;
}

static int release_add_service(void *arg, const struct store_series *s, struct err *err)
{
	struct buf *out = arg;
	size_t n = strlen(s->service);

	(void)err;
	if (out->len < n || memcmp(out->data + out->len - n, s->service, n) != 0) /* series are in order of services */
		buf_addf(out, "%s%s", out->len ? ", " : "", s->service);
	return 0;
}

int release_add_services(struct store *s, const char *pin, struct buf *out, struct err *err)
{
	const struct store_query q = {
		.service = "*", .is_pattern = true, .kind = "", .pin = pin, .t0 = INT64_MIN, .t1 = INT64_MAX
	};

	return store_each_series(s, &q, release_add_service, out, err);
}
