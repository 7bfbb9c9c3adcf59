/*
 * accept.c - check a profile of a target or client before it is stored
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/accept.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "profile/temporality.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const int64_t minute_ns = 60000000000, hour_ns = 3600000000000;

const struct format_options scrape_format_options = {
	.max_inflated = SCRAPE_INFLATED_MAX,
	.max_ratio = 500,
	.max_count = 10000000,
	.max_depth = 10000,
	.max_nesting = 1,
};

/* A push has no job: the version is a label, a comment or the build id. */
static const struct scrape_job push_job = {
	.name = "",
	.version = { SCRAPE_VERSION_LABEL, SCRAPE_VERSION_COMMENT, SCRAPE_VERSION_BUILD_ID },
	.n_versions = 3,
	.version_url = "",
	.version_field = "",
};

static int accept_fail(enum scrape_drop *why, enum scrape_drop reason, int rc)
{
	*why = reason;
	return rc;
}

/* Values must not be negative, and their sum must fit 63 bits. */
static int accept_check_values(const struct profile *p, struct err *err)
{
	for (uint32_t t = 0; t < p->n_types; t++) {
		const int64_t *value = p->value[t];
		int64_t sum = 0;

		for (uint32_t i = 0; i < p->n_rows; i++)
			if (value[i] < 0)
				return err_set(err, ERR_RANGE, "sample %" PRIu32 ": the value of %s is negative", i + 1,
					       profile_text(p, p->type[t].name));
			else if (num_add(&sum, value[i]))
				return err_set(err, ERR_RANGE, "the sum of %s is larger than 2^63",
					       profile_text(p, p->type[t].name));
	}
	return 0;
}

/* The kind of the profile: as requested if its sample types fit. */
static int accept_find_kind(const struct scrape_origin *o, const struct profile *p, const char **out, struct err *err)
{
	*out = profile_kind(p);
	if (!*o->kind)
		return 0;
	if (profile_check_kind(p, o->kind, err) < 0)
		return ERR_FORMAT;
	if (strcmp(o->kind, "goroutine") != 0 || strcmp(*out, "threads") != 0) /* a server of cpa has threads */
		*out = o->kind;
	return 0;
}

/*
 * Set the time and duration of a profile from the request, if it has none or impossible ones.
 *
 * Fails  ERR_RANGE for a push outside the window of times
 */
static int set_times(const struct scrape_origin *o, struct profile *p, struct err *err)
{
	struct profile_meta *m = &p->meta;
	int64_t begin = o->begin_ns ? o->begin_ns : m->time_ns ? m->time_ns : o->now_ns - m->duration_ns;

	if (m->time_ns <= 0 || (o->is_push && o->begin_ns))
		m->time_ns = begin;
	if (o->is_push &&
	    (m->time_ns < o->now_ns - o->max_age_ns - m->duration_ns || m->time_ns > o->now_ns + 10 * minute_ns))
		return err_set(err, ERR_RANGE,
			       "the profile begins %s: at most %" PRId64 " %s ago and 10 min in the future is accepted",
			       m->time_ns < o->now_ns ? "too long ago" : "too far in the future",
			       o->max_age_ns < hour_ns ? o->max_age_ns / minute_ns : o->max_age_ns / hour_ns,
			       o->max_age_ns < hour_ns ? "min" : "h");
	if (m->time_ns > o->now_ns + 10 * minute_ns || m->time_ns < o->begin_ns - hour_ns)
		m->time_ns = begin;
	if (m->duration_ns < 0 || (o->capture_ns > 0 && (m->duration_ns == 0 || m->duration_ns / 2 > o->capture_ns)))
		m->duration_ns = o->capture_ns;
	return 0;
}

static char *accept_copy_buf(const struct buf *b)
{
	return mem_strndup(buf_text(b), b->len);
}

static const char *accept_find_label(const struct store_label *label, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(label[i].name, name) == 0)
			return label[i].value;
	return NULL;
}

/* Set the labels of a series: those of the origin, and the version. */
static void set_labels(const struct scrape_origin *o, const char *version, struct scrape_write *x)
{
	struct store_label *all = mem_alloc(o->n_labels + 1, sizeof(*all));
	size_t n = 0;
	bool has_version = !*version || accept_find_label(o->label, o->n_labels, "version");

	for (size_t i = 0; i < o->n_labels; i++) {
		if (!has_version && strcmp(o->label[i].name, "version") > 0) {
			all[n++] = (struct store_label){ "version", version };
			has_version = true;
		}
		all[n++] = o->label[i];
	}
	if (!has_version)
		all[n++] = (struct store_label){ "version", version };
	x->label = scrape_writer_copy_labels(all, n);
	x->n_labels = n;
	free(all);
}

/* Find service, version and labels, and the mark of a new version. */
static void accept_describe(const struct scrape_accepter *a, const struct scrape_origin *o, const struct profile *p,
			    struct scrape_write *x)
{
	struct buf service = { 0 }, version = { 0 };
	const char *env = accept_find_label(o->label, o->n_labels, "env");

	buf_addz(&service, o->service);
	if (!*o->service)
		scrape_version_service(p, &service);
	scrape_version_find(o->job ? o->job : &push_job, o->label, o->n_labels, p, o->url_version, &version);
	x->service = accept_copy_buf(&service);
	set_labels(o, buf_text(&version), x);
	env = env ? env : "";
	if (version.len && scrape_versions_add(a->versions, x->service, env, version.data)) {
		x->version = accept_copy_buf(&version);
		x->env = mem_strndup(env, strlen(env));
	}
	buf_release(&service);
	buf_release(&version);
}

void scrape_accept_free(struct scrape_write *x)
{
	if (!x)
		return;
	profile_free(x->profile);
	free(x->service);
	free(x->kind);
	free(x->label);
	free(x->version);
	free(x->env);
	free(x);
}

/* Checks that do not need the series. */
static int accept_check(const struct scrape_origin *o, struct profile *p, const char **kind, enum scrape_drop *why,
			struct err *err)
{
	if (p->n_types == 0)
		return accept_fail(why, SCRAPE_DROP_FORMAT, err_set(err, ERR_FORMAT, "the profile has no sample type"));
	if (accept_find_kind(o, p, kind, err) < 0)
		return accept_fail(why, SCRAPE_DROP_KIND, ERR_FORMAT);
	if (p->stacks.n > SCRAPE_STACKS_MAX)
		return accept_fail(why, SCRAPE_DROP_LIMIT,
				   err_set(err, ERR_LIMIT, "%" PRIu32 " different stacks; at most %d are accepted",
					   p->stacks.n, (int)SCRAPE_STACKS_MAX));
	if (accept_check_values(p, err) < 0)
		return accept_fail(why, SCRAPE_DROP_LIMIT, ERR_RANGE);
	if (set_times(o, p, err) < 0)
		return accept_fail(why, SCRAPE_DROP_TIME, ERR_RANGE);
	return 0;
}

int scrape_accept(const struct scrape_accepter *a, const struct scrape_origin *o, struct profile *p,
		  struct scrape_write **out, enum scrape_drop *why, struct err *err)
{
	struct scrape_write *x;
	const char *kind = "";
	int rc = accept_check(o, p, &kind, why, err);

	if (rc < 0) {
		profile_free(p);
		return rc;
	}
	x = mem_zalloc(1, sizeof(*x));
	x->profile = p;
	x->kind = mem_strndup(kind, strlen(kind));
	x->kind_is_unsure = !*o->kind && profile_kind_is_unsure(p);
	x->start_ns = p->meta.time_ns;
	x->duration_ns = p->meta.duration_ns;
	accept_describe(a, o, p, x);
	scrape_guard_profile(a->guard, x->service, x->label, x->n_labels, o->honors_labels, o->now_ns, p, o->cut);
	rc = scrape_guard_series(a->guard, x->service, x->kind, x->label, x->n_labels, o->now_ns, err);
	if (rc < 0) {
		scrape_accept_free(x);
		return accept_fail(why, SCRAPE_DROP_LIMIT, rc);
	}
	*out = x;
	return 0;
}
