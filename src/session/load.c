/*
 * load.c - from sources to one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sources are taken in chunks, so that a thousand files need the memory of a chunk and of the
 * result. Like pprof internal/driver fetch.go.
 */
#include "config.h"

#include "session/load.h"

#include "base/mem.h"
#include "base/pool.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "profile/prune.h"
#include "reader/reader.h"
#include "source/source.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { CHUNK = 128 };

struct fetched {
	struct profile *profile; /* NULL when it failed */
	struct err err;
};

struct fetch {
	struct load *load;
	size_t first, n;
	atomic_size_t next;
	struct fetched got[CHUNK];
};

/* -1 goes by the machine, 0 is no limit. */
static uint64_t bytes_limit(int64_t option)
{
	return option < 0 ? mem_quarter() : (uint64_t)option;
}

static struct reader_limits limits_of(const struct query *q)
{
	return (struct reader_limits){ .max_inflated = bytes_limit(q->max_inflated),
				       .max_ratio = (uint64_t)q->max_ratio,
				       .max_count = (uint64_t)q->max_count,
				       .max_depth = (uint64_t)q->max_depth,
				       .max_nesting = (uint64_t)q->max_nesting };
}

static int fetch_one(const struct load *l, const char *source, struct profile **out, struct err *err)
{
	struct reader_limits limits = limits_of(l->q);
	struct bytes bytes = { 0 };
	int rc = source_read(source, bytes_limit(l->q->max_input), &bytes, err);

	if (rc == 0)
		rc = reader_read(&bytes, &limits, out, err);
	if (rc < 0)
		return err_wrap(err, "%s", source);
	if (l->binary)
		profile_set_binary(*out, l->binary);
	if (*l->q->buildid)
		profile_set_build_id(*out, l->q->buildid);
	return 0;
}

static void fetch_part(void *arg, unsigned part)
{
	struct fetch *f = arg;

	(void)part;
	for (;;) {
		size_t i = atomic_fetch_add(&f->next, 1);

		if (i >= f->n)
			return;
		fetch_one(f->load, f->load->source[f->first + i], &f->got[i].profile, &f->got[i].err);
	}
}

/* Merge n > 0 profiles into p[0]; the others are freed, on failure all. */
static int merge_all(struct profile **p, size_t n, struct err *err)
{
	struct profile *merged = NULL;
	int rc;

	if (n == 1)
		return 0;
	rc = profile_merge((const struct profile *const *)p, n, &merged, err);
	for (size_t i = 0; i < n; i++)
		profile_free(p[i]);
	p[0] = merged;
	return rc < 0 ? err_wrap(err, "merging %zu profiles", n) : 0;
}

/* Fetch a chunk and merge it behind what came before (or NULL). */
static int load_chunk(struct load *l, size_t first, struct profile **all, struct err *err)
{
	struct fetch *f = mem_zalloc(1, sizeof(*f));
	struct profile *good[CHUNK], *pair[2] = { *all };
	size_t n = 0;
	unsigned parts;
	int rc;

	f->load = l;
	f->first = first;
	f->n = l->n - first < CHUNK ? l->n - first : CHUNK;
	parts = pool_size() < f->n ? pool_size() : (unsigned)f->n;
	pool_run(fetch_part, f, parts);
	for (size_t i = 0; i < f->n; i++) {
		if (f->got[i].profile) {
			good[n++] = f->got[i].profile;
			continue;
		}
		l->n_failed++;
		buf_addf(&l->notes, "%s\n", f->got[i].err.msg);
		*err = f->got[i].err;
	}
	free(f);
	if (n == 0)
		return 0;
	rc = merge_all(good, n, err);
	pair[*all ? 1 : 0] = good[0];
	if (rc == 0 && *all)
		rc = merge_all(pair, 2, err);
	else if (rc < 0)
		profile_free(*all);
	*all = rc < 0 ? NULL : pair[0];
	return rc;
}

static int drop_frames(struct load *l, struct profile *p, struct err *err)
{
	struct err warning = { 0 };
	int rc;

	if (l->q->all_frames)
		profile_keep_all_frames(p);
	rc = profile_prune(p, &warning, err);
	if (*warning.msg)
		buf_addf(&l->notes, "%s\n", warning.msg);
	return rc;
}

int load_profile(struct load *l, struct profile **out, struct err *err)
{
	struct profile *all = NULL;
	int rc = 0;

	for (size_t first = 0; rc == 0 && first < l->n; first += CHUNK)
		rc = load_chunk(l, first, &all, err);
	if (rc == 0 && !all) {
		rc = err->code;
		if (l->n == 1)
			buf_release(&l->notes); /* the error says it */
		else
			err_set(err, rc, "none of %zu sources could be read", l->n);
	}
	if (rc == 0)
		rc = drop_frames(l, all, err);
	if (rc < 0) {
		profile_free(all);
		return rc;
	}
	if (*l->q->add_comment)
		profile_add_comment(all, l->q->add_comment);
	*out = all;
	return 0;
}
