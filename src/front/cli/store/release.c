/*
 * release.c - cpa store release, and the list of releases
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/store/store.h"

#include "base/mem.h"
#include "base/time.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"
#include "store/release.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RELEASE_SPARE "new+release" /* the pin that has the profiles of a release while it is replaced */

/* Profiles, sorted, and their services. */
struct release_profiles {
	uint8_t (*id)[16]; /* [n] */
	size_t n, cap;
	char **service; /* [n_services] */
	size_t n_services, cap_services;
};

static void release_profiles_free(struct release_profiles *p)
{
	for (size_t i = 0; i < p->n_services; i++)
		free(p->service[i]);
	free(p->service);
	free(p->id);
}

static int release_add_profile(void *arg, const struct store_item *item, struct err *err)
{
	struct release_profiles *p = arg;
	size_t n = p->n_services;

	(void)err;
	p->id = mem_grow(p->id, &p->cap, p->n + 1, sizeof(*p->id));
	memcpy(p->id[p->n++], item->id, sizeof(item->id));
	if (n && strcmp(p->service[n - 1], item->service) == 0) /* profiles are in order of services */
		return 0;
	p->service = mem_grow(p->service, &p->cap_services, n + 1, sizeof(*p->service));
	p->service[p->n_services++] = mem_strndup(item->service, strlen(item->service));
	return 0;
}

static int release_compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

static int release_list(struct store *s, const struct store_query *q, struct release_profiles *out, struct err *err)
{
	int rc = store_list(s, q, NULL, release_add_profile, out, err);

	if (out->n)
		qsort(out->id, out->n, sizeof(*out->id), release_compare_ids);
	return rc;
}

static int release_find_name(void *arg, const struct store_pin_info *p, struct err *err)
{
	const char **name = arg;

	(void)err;
	if (*name && strcmp(p->name, *name) == 0)
		*name = NULL;
	return 0;
}

/* Does the pin exist? If it has profiles that the selection lacks, it cannot be replaced. Returns 1 or 0. */
static int release_check_old(struct store *s, const char *name, const struct release_profiles *new, struct err *err)
{
	const struct store_query q = {
		.service = "*", .is_pattern = true, .kind = "", .pin = name, .t0 = INT64_MIN, .t1 = INT64_MAX
	};
	struct release_profiles old = { 0 };
	const char *wanted = name;
	int rc = store_each_pin(s, release_find_name, &wanted, err);

	if (rc < 0 || wanted)
		return rc;
	rc = release_list(s, &q, &old, err);
	for (size_t i = 0; rc == 0 && i < old.n; i++)
		if (!bsearch(old.id[i], new->id, new->n, sizeof(*new->id), release_compare_ids))
			rc = err_set(err, ERR_USAGE,
				     "the release exists and has profiles that are not selected, and that the store "
				     "may not have otherwise; "
				     "remove it with: cpa store unpin %s",
				     name);
	release_profiles_free(&old);
	return rc < 0 ? rc : 1;
}

static int release_mark(struct store_command *c, const char *service, const char *version, struct err *err)
{
	struct window_clock clock;
	struct buf text = { 0 };
	struct store_mark mark = { .env = (char *)(uintptr_t) "", .kind = (char *)(uintptr_t) "note" };
	int rc;

	window_clock_init(NULL, &clock);
	buf_addf(&text, "release %s", version);
	mark.time_ns = clock.now_ns;
	mark.text = text.data;
	rc = writer_add_mark(c->writer, service, &mark, err);
	rc = rc < 0 ? rc : writer_commit(c->writer, err);
	buf_release(&text);
	return rc;
}

/* Replace a pin. Until it is there, RELEASE_SPARE has the new profiles, so nothing is lost by a failure or a crash. */
static int release_replace(struct store_command *c, const char *name, const struct store_query *q, const char *spec,
			   struct err *err)
{
	int rc = upkeep_pin(c->writer, RELEASE_SPARE, q, spec, err);

	if (rc < 0)
		return err_wrap(err, "replacing the release");
	rc = upkeep_unpin(c->writer, name, err);
	rc = rc < 0 ? rc : upkeep_pin(c->writer, name, q, spec, err);
	if (rc < 0)
		return err_wrap(err, "replacing the release, whose profiles are in the pin " RELEASE_SPARE);
	return upkeep_unpin(c->writer, RELEASE_SPARE, err);
}

/* Pin the selected profiles of a service. An earlier pin whose profiles are selected is replaced. */
static int release_pin(struct store_command *c, struct store *s, const struct window *w, const struct store_query *all,
		       const char *service, struct err *err)
{
	const char *version = c->a->word[0];
	struct store_query q = *all;
	struct release_profiles new = { 0 };
	struct buf name = { 0 }, spec = { 0 };
	int rc = release_pin_name(version, service, &name, err), exists = 0;

	q.service = service;
	q.is_pattern = false;
	rc = rc < 0 ? rc : release_list(s, &q, &new, err);
	if (rc == 0)
		rc = exists = release_check_old(s, buf_text(&name), &new, err);
	if (rc >= 0) {
		window_print(w, &q, &spec);
		rc = (exists ? release_replace(c, buf_text(&name), &q, buf_text(&spec), err)
			     : upkeep_pin(c->writer, buf_text(&name), &q, buf_text(&spec), err));
	}
	if (rc == 0 && !exists)
		rc = release_mark(c, service, version, err);
	if (rc == 0)
		buf_addf(c->out, "release %s of %s has %zu profile%s; read them with release:%s@%s\n", version, service,
			 new.n, new.n == 1 ? "" : "s", service, version);
	release_profiles_free(&new);
	buf_release(&name);
	buf_release(&spec);
	return rc;
}

int cmd_store_release(struct store_command *c, struct err *err)
{
	const char *version = c->a->word[0];
	struct window *window = NULL;
	struct release_profiles all = { 0 };
	struct buf selector = { 0 };
	struct store_query q;
	struct store *s = NULL;
	int rc = release_pin_name(version, "", &selector, err); /* is the version valid? */

	selector.len = 0;
	buf_addf(&selector, "*{" RELEASE_LABEL "=%s}", version);
	rc = rc < 0 ? rc : cmd_store_open_writer(c, false, err);
	rc = rc < 0 ? rc : local_open(c->directory, &s, err);
	rc = rc < 0 ? rc
		    : cmd_store_select_whole(c->a->n_words > 1 ? c->a->word[1] : buf_text(&selector), s, &window, &q,
					     err);
	rc = rc < 0 ? rc : release_list(s, &q, &all, err);
	if (rc == 0 && all.n == 0)
		rc = err_set(err, ERR_IO, "%s: no profiles", c->a->n_words > 1 ? c->a->word[1] : buf_text(&selector));
	for (size_t i = 0; rc == 0 && i < all.n_services; i++)
		rc = release_pin(c, s, window, &q, all.service[i], err);
	release_profiles_free(&all);
	buf_release(&selector);
	window_free(window);
	cmd_store_close(c, s);
	return rc;
}

/* ---- ls ---- */

struct release_rows {
	struct store *s;
	struct listing *l;
};

static int release_add_row(void *arg, const struct store_pin_info *p, struct err *err)
{
	struct release_rows *x = arg;
	const struct store_query q = {
		.service = "*", .is_pattern = true, .kind = "", .pin = p->name, .t0 = INT64_MIN, .t1 = INT64_MAX
	};
	struct release_profiles profiles = { 0 };
	struct buf text = { 0 };
	const char *version;
	size_t n;
	int rc;

	if (!release_is_pin(p->name, &version, &n))
		return 0;
	rc = release_list(x->s, &q, &profiles, err);
	buf_add(&text, version, n);
	listing_add(x->l, profiles.n_services ? profiles.service[0] : "", NULL);
	listing_add(x->l, buf_text(&text), NULL);
	listing_addf(x->l, "%zu", profiles.n);
	listing_add_bytes(x->l, p->bytes);
	listing_add_time(x->l, p->made_ns);
	listing_add(x->l, p->name, NULL);
	release_profiles_free(&profiles);
	buf_release(&text);
	return rc;
}

int cmd_store_list_releases(struct store *s, struct listing *l, struct err *err)
{
	static const struct listing_column columns[] = {
		{ "service", "SERVICE", false }, { "release", "RELEASE", false }, { "profiles", "PROFILES", true },
		{ "bytes", "SIZE", true },       { "made", "MADE", false },       { "pin", "PIN", false }
	};
	struct release_rows x = { s, l };

	l->col = columns;
	l->n_cols = sizeof(columns) / sizeof(columns[0]);
	return release_each_pin(s, release_add_row, &x, err);
}

static int release_count(void *arg, const struct store_pin_info *p, struct err *err)
{
	const char *version;
	size_t n;

	(void)err;
	*(size_t *)arg += release_is_pin(p->name, &version, &n);
	return 0;
}

int cmd_store_count_releases(struct store *s, size_t *n, struct err *err)
{
	return store_each_pin(s, release_count, n, err);
}
