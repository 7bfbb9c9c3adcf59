/*
 * copy.c - copy profiles from one store to another
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles that the other store has are skipped, so a copy can be repeated, and a copy that was interrupted continues. Afterwards, the
 * totals of both are compared.
 */
#include "config.h"

#include "front/cli/store/store.h"

#include "base/mem.h"
#include "base/strtab.h"
#include "base/time.h"
#include "profile/keys.h"
#include "store/backends/backends.h"
#include "store/clickhouse/clickhouse.h"
#include "store/clickhouse/writer.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_COMMIT = 256, COPY_TRIES = 6 };

struct store_copier {
	struct store_command *c;
	const char *to;
	struct store *from, *other;   /* other: the destination, for reading */
	struct store_writer *writer;  /* of a directory */
	struct click_server server;   /* of ClickHouse */
	struct click_writer *cluster; /* NULL: a directory */
	struct keys known;            /* ids of profiles of the destination */
	struct click_counts counts;
	struct buf marks; /* rows for the cluster */
	uint64_t n_reduced, n_marks;
	const struct store_query *q;
};

/* ---- the destination ---- */

static int store_copy_open(struct store_copier *x, struct err *err)
{
	struct store_writer_options o = { .owner = "cpa store copy", .group = "" };

	if (!click_is_place(x->to))
		return strstr(x->to, "://") ? err_set(err, ERR_USAGE,
						      "%s: profiles are copied to a directory or to ClickHouse", x->to)
					    : upkeep_open_writer(x->to, true, &o, &x->writer, NULL, err);
	if (click_server_init(&x->server, x->to, &x->c->fetch, err) < 0)
		return err->code;
	x->cluster = click_writer_new(&x->server, "cpa store copy");
	return backends_open(x->to, &x->c->fetch, &x->other, err);
}

static int store_copy_close(struct store_copier *x, int rc, struct err *err)
{
	struct err late;
	int closed = upkeep_close_writer(x->writer, &late);

	x->writer = NULL;
	if (rc < 0 || closed >= 0)
		return rc;
	*err = late;
	return closed;
}

static void store_copy_release(struct store_copier *x)
{
	click_writer_free(x->cluster);
	if (x->cluster)
		click_server_release(&x->server);
	keys_release(&x->known);
	cmd_store_close(x->c, x->from);
	cmd_store_close(x->c, x->other);
}

/* Wait before another try. Fails with ERR_STOPPED. */
static int store_copy_wait(struct store_copier *x, int seconds, struct err *err)
{
	int64_t end = clock_mono_ms() + 1000 * (int64_t)seconds;

	while (clock_mono_ms() < end && !stop_is_set(x->c->stop))
		usleep(50000);
	return stop_check(x->c->stop, err);
}

/* Write what was added so far. */
static int store_copy_commit(struct store_copier *x, struct err *err)
{
	int rc = x->cluster ? click_writer_flush(x->cluster, x->c->stop, &x->counts, err)
			    : writer_commit(x->writer, err);

	for (int i = 0; rc < 0 && rc != ERR_STOPPED && x->cluster && x->server.is_later && i < COPY_TRIES; i++) {
		if (store_copy_wait(x, 1 << i, err) < 0)
			return err->code;
		rc = click_writer_flush(x->cluster, x->c->stop, &x->counts, err);
	}
	return rc;
}

/* ---- profiles ---- */

static int store_copy_note_known(void *arg, const struct store_item *item, struct err *err)
{
	struct store_copier *x = arg;
	uint64_t word[2];
	uint32_t id;

	memcpy(word, item->id, sizeof(word));
	return keys_add(&x->known, word, 2, keys_hash(word, 2), &id, err);
}

/* Find the profiles that the destination has. A directory is asked for each of them. */
static int store_copy_find_known(struct store_copier *x, struct err *err)
{
	struct store_query q = { .service = x->q->service,
				 .is_pattern = x->q->is_pattern,
				 .kind = x->q->kind,
				 .t0 = x->q->t0,
				 .t1 = x->q->t1,
				 .pin = "" };

	return x->cluster ? store_list(x->other, &q, x->c->stop, store_copy_note_known, x, err) : 0;
}

static int store_copy_to_directory(struct store_copier *x, const struct store_item *item, const struct profile *p,
				   struct err *err)
{
	struct store_input in = { item->service,  item->kind,       item->label, item->n_labels, p,
				  item->start_ns, item->duration_ns };
	bool is_known = false;
	int rc = writer_append(x->writer, &in, NULL, &is_known, err);

	if (rc < 0)
		return rc;
	x->counts.n_known += is_known;
	x->counts.n_written += !is_known;
	return x->counts.n_written % COPY_COMMIT == COPY_COMMIT - 1 ? store_copy_commit(x, err) : 0;
}

static int store_copy_to_cluster(struct store_copier *x, const struct store_item *item, const struct profile *p,
				 struct err *err)
{
	struct click_input in = { item->service,  item->kind,       item->label, item->n_labels, p,
				  item->start_ns, item->duration_ns };
	uint64_t word[2];
	uint32_t id;
	int rc = 0;

	memcpy(word, item->id, sizeof(word));
	if (keys_find(&x->known, word, 2, keys_hash(word, 2), &id)) {
		x->counts.n_known++;
		return 0;
	}
	if (click_writer_is_full(x->cluster))
		rc = store_copy_commit(x, err);
	return rc < 0 ? rc : click_writer_add(x->cluster, &in, err);
}

static int store_copy_profile(void *arg, const struct store_item *item, struct profile *p, struct err *err)
{
	struct store_copier *x = arg;
	int rc = 0;

	if (item->tier != TIER_RAW)
		x->n_reduced++;
	else
		rc = x->cluster ? store_copy_to_cluster(x, item, p, err) : store_copy_to_directory(x, item, p, err);
	profile_free(p);
	return rc;
}

static int store_copy_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	struct store_copier *x = arg;

	if (m->time_ns < x->q->t0 || m->time_ns >= x->q->t1)
		return 0;
	x->n_marks++;
	if (!x->cluster)
		return writer_add_mark(x->writer, service, m, err);
	click_put_mark(&x->marks, service, m);
	return 0;
}

/* ---- totals ---- */

/* The totals of a store by service, kind and sample type. */
struct store_copier_totals {
	struct strtab *names;
	uint64_t *total; /* [strtab_count(names)] modulo 2^64 */
	size_t cap;
	uint64_t n_profiles;
};

static int store_copy_add_total(void *arg, const struct store_block_total *t, struct err *err)
{
	struct store_copier_totals *x = arg;
	struct buf name = { 0 };

	(void)err;
	if (t->tier != TIER_RAW)
		return 0;
	x->n_profiles += t->profiles;
	for (uint32_t i = 0; i < t->n_types; i++) {
		size_t before = x->cap;
		str_id id;

		name.len = 0;
		buf_addf(&name, "%s/%s %s/%s", t->service, t->kind, t->type[i], t->unit[i]);
		id = strtab_addz(x->names, buf_text(&name));
		x->total = mem_grow(x->total, &x->cap, (size_t)id + 1, sizeof(*x->total));
		memset(x->total + before, 0, (x->cap - before) * sizeof(*x->total));
		x->total[id] += (uint64_t)t->total[i];
	}
	buf_release(&name);
	return 0;
}

static int store_copy_find_totals(struct store_copier *x, struct store *s, struct store_copier_totals *out,
				  struct err *err)
{
	out->names = strtab_new();
	return store_totals(s, x->q, x->c->stop, store_copy_add_total, out, err);
}

static int store_copy_compare(const struct store_copier *x, const struct store_copier_totals *a,
			      const struct store_copier_totals *b, struct err *err)
{
	if (b->n_profiles < a->n_profiles)
		return err_set(err, ERR_FORMAT, "%s has %" PRIu64 " of the %" PRIu64 " profiles; copy again", x->to,
			       b->n_profiles, a->n_profiles);
	if (b->n_profiles > a->n_profiles) {
		buf_addf(x->c->out, "%s has %" PRIu64 " more profiles of this selection, so totals are not compared\n",
			 x->to, b->n_profiles - a->n_profiles);
		return 0;
	}
	for (uint32_t i = 1; i < strtab_count(a->names); i++) {
		str_id id;

		if (!strtab_find_from(b->names, a->names, i, &id) || b->total[id] != a->total[i])
			return err_set(err, ERR_FORMAT, "%s has another total of %.200s", x->to,
				       strtab_text(a->names, i));
	}
	buf_addf(x->c->out, "the totals of %" PRIu64 " profiles are equal\n", a->n_profiles);
	return 0;
}

static int store_copy_check(struct store_copier *x, struct err *err)
{
	struct store_copier_totals a = { 0 }, b = { 0 };
	int rc = x->other ? 0 : backends_open(x->to, &x->c->fetch, &x->other, err);

	rc = rc < 0 ? rc : store_copy_find_totals(x, x->from, &a, err);
	rc = rc < 0 ? rc : store_copy_find_totals(x, x->other, &b, err);
	rc = rc < 0 ? rc : store_copy_compare(x, &a, &b, err);
	strtab_free(a.names);
	strtab_free(b.names);
	free(a.total);
	free(b.total);
	return rc;
}

static void store_copy_report(const struct store_copier *x, struct buf *out)
{
	buf_addf(out, "copied %" PRIu64 " profile%s", x->counts.n_written, x->counts.n_written == 1 ? "" : "s");
	if (x->counts.n_known)
		buf_addf(out, ", skipped %" PRIu64 " that %s has already", x->counts.n_known, x->to);
	if (x->n_reduced)
		buf_addf(out, ", left out %" PRIu64 " of a reduced resolution", x->n_reduced);
	if (x->n_marks)
		buf_addf(out, "; %" PRIu64 " mark%s", x->n_marks, x->n_marks == 1 ? "" : "s");
	buf_addz(out, "\n");
}

int cmd_store_copy(struct store_command *c, struct err *err)
{
	struct store_copier x = { .c = c, .to = c->a->word[1] };
	struct window *window = NULL;
	struct store_query q;
	int rc = cmd_store_open(c, &x.from, err);

	keys_init(&x.known, 2, 0);
	rc = rc < 0 ? rc : cmd_store_select_whole(c->a->word[0], x.from, &window, &q, err);
	x.q = &q;
	rc = rc < 0 ? rc : store_copy_open(&x, err);
	rc = rc < 0 ? rc : store_copy_find_known(&x, err);
	rc = rc < 0 ? rc : store_each_profile(x.from, &q, c->stop, store_copy_profile, &x, err);
	rc = rc < 0 ? rc : store_each_mark(x.from, q.service, q.is_pattern, "", store_copy_mark, &x, err);
	if (rc == 0 && x.cluster)
		rc = click_writer_marks(x.cluster, &x.marks, c->stop, err);
	rc = rc < 0 ? rc : store_copy_commit(&x, err);
	rc = store_copy_close(&x, rc, err);
	if (rc == 0)
		store_copy_report(&x, c->out);
	rc = rc < 0 ? rc : store_copy_check(&x, err);
	window_free(window);
	buf_release(&x.marks);
	store_copy_release(&x);
	return rc;
}
