/*
 * list.c - cpa store ls and stat, and the selectors of all subcommands
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/store/store.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/unit.h"
#include "front/cli/cmd.h"
#include "store/local/read/local.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_store_select(const char *text, struct store *s, struct window **window, struct store_query *query,
		     struct err *err)
{
	struct window_clock clock;
	struct buf source = { 0 };
	int rc;

	buf_addf(&source, "%s%s", window_is_source(text) ? "" : "store:", text);
	rc = window_parse(buf_text(&source), window, err);
	buf_release(&source);
	if (rc == 0 && *window_where(*window))
		rc = err_set(err, ERR_USAGE, "%s: name the store with --store=%s", text, window_where(*window));
	window_clock_init(s, &clock);
	rc = rc < 0 ? rc : window_resolve(*window, &clock, query, err);
	if (rc == 0) {
		query->kind = window_kind(*window);
		if (!window_has_time(*window)) {
			query->t0 = INT64_MIN;
			query->t1 = INT64_MAX;
		}
	}
	return rc;
}

int cmd_store_select_whole(const char *text, struct store *s, struct window **window, struct store_query *query,
			   struct err *err)
{
	struct buf samples = { 0 };
	struct err ignored;
	int rc = cmd_store_select(text, s, window, query, err), selects;

	if (rc < 0)
		return rc;
	selects = store_describe_samples(s, query, &samples, &ignored);
	if (selects < 0) /* nothing has such a label: no profile is selected */
		query->t0 = query->t1 = INT64_MAX;
	if (selects > 0)
		rc = err_set(err, ERR_USAGE,
			     "%s: no series has the label of %s, which selects samples; this command is about whole "
			     "profiles",
			     text, buf_text(&samples));
	buf_release(&samples);
	return rc;
}

/* ---- ls ---- */

static void store_list_add_labels(struct listing *l, const struct store_label *label, size_t n)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < n; i++)
		buf_addf(&text, "%s%s=%s", i ? "," : "", label[i].name, label[i].value);
	listing_add(l, buf_text(&text), NULL);
	buf_release(&text);
}

static void store_list_add_count(struct listing *l, uint64_t n)
{
	listing_addf(l, "%" PRIu64, n);
}

/* A line of ls: all series of a service and kind. */
struct list_line {
	char *service, *kind;
	uint64_t series, profiles;
	int64_t first_ns, last_ns;
};

struct list_lines {
	struct list_line *line;
	size_t n, cap;
};

static int add_to_line(void *arg, const struct store_series *s, struct err *err)
{
	struct list_lines *all = arg;
	struct list_line *x = NULL;

	(void)err;
	for (size_t i = 0; i < all->n && !x; i++)
		if (strcmp(all->line[i].service, s->service) == 0 && strcmp(all->line[i].kind, s->kind) == 0)
			x = &all->line[i];
	if (!x) {
		all->line = mem_grow(all->line, &all->cap, all->n + 1, sizeof(*all->line));
		x = &all->line[all->n++];
		*x = (struct list_line){ .service = mem_strndup(s->service, strlen(s->service)),
					 .kind = mem_strndup(s->kind, strlen(s->kind)),
					 .first_ns = s->first_ns,
					 .last_ns = s->last_ns };
	}
	x->series++;
	x->profiles += s->profiles;
	x->first_ns = s->first_ns < x->first_ns ? s->first_ns : x->first_ns;
	x->last_ns = s->last_ns > x->last_ns ? s->last_ns : x->last_ns;
	return 0;
}

static int store_list_compare_lines(const void *a, const void *b)
{
	const struct list_line *x = a, *y = b;
	int d = strcmp(x->service, y->service);

	return d ? d : strcmp(x->kind, y->kind);
}

static int store_list_services(struct store *s, const struct store_query *q, struct listing *l, struct err *err)
{
	static const struct listing_column columns[] = {
		{ "service", "SERVICE", false },  { "kind", "KIND", false },   { "series", "SERIES", true },
		{ "profiles", "PROFILES", true }, { "first", "FIRST", false }, { "last", "LAST", false }
	};
	struct list_lines all = { 0 };
	int rc = store_each_series(s, q, add_to_line, &all, err);

	l->col = columns;
	l->n_cols = sizeof(columns) / sizeof(columns[0]);
	if (all.n)
		qsort(all.line, all.n, sizeof(*all.line), store_list_compare_lines);
	for (size_t i = 0; i < all.n; i++) {
		struct list_line *x = &all.line[i];

		listing_add(l, x->service, NULL);
		listing_add(l, x->kind, NULL);
		store_list_add_count(l, x->series);
		store_list_add_count(l, x->profiles);
		listing_add_time(l, x->first_ns);
		listing_add_time(l, x->last_ns);
		free(x->service);
		free(x->kind);
	}
	free(all.line);
	return rc;
}

static int store_list_add_series(void *arg, const struct store_series *s, struct err *err)
{
	struct listing *l = arg;

	(void)err;
	listing_add(l, s->service, NULL);
	listing_add(l, s->kind, NULL);
	store_list_add_count(l, s->profiles);
	listing_add_time(l, s->first_ns);
	listing_add_time(l, s->last_ns);
	store_list_add_labels(l, s->label, s->n_labels);
	return 0;
}

static int list_series(struct store *s, const struct store_query *q, struct listing *l, struct err *err)
{
	static const struct listing_column columns[] = {
		{ "service", "SERVICE", false }, { "kind", "KIND", false }, { "profiles", "PROFILES", true },
		{ "first", "FIRST", false },     { "last", "LAST", false }, { "labels", "LABELS", false }
	};

	l->col = columns;
	l->n_cols = sizeof(columns) / sizeof(columns[0]);
	return store_each_series(s, q, store_list_add_series, l, err);
}

static int store_list_add_profile(void *arg, const struct store_item *item, struct err *err)
{
	struct listing *l = arg;
	struct buf id = { 0 }, duration = { 0 };

	(void)err;
	for (size_t i = 0; i < sizeof(item->id); i++)
		buf_addf(&id, "%02x", item->id[i]);
	unit_add_label(&duration, item->duration_ns, "ns", "auto");
	listing_add(l, buf_text(&id), NULL);
	listing_add_time(l, item->start_ns);
	listing_add(l, buf_text(&duration), NULL);
	listing_add(l, item->service, NULL);
	listing_add(l, item->kind, NULL);
	store_list_add_labels(l, item->label, item->n_labels);
	buf_release(&id);
	buf_release(&duration);
	return 0;
}

static int list_profiles(struct store *s, const struct store_query *q, struct stop *stop, struct listing *l,
			 struct err *err)
{
	static const struct listing_column columns[] = {
		{ "id", "ID", false },           { "start", "START", false }, { "duration", "DURATION", false },
		{ "service", "SERVICE", false }, { "kind", "KIND", false },   { "labels", "LABELS", false }
	};

	l->col = columns;
	l->n_cols = sizeof(columns) / sizeof(columns[0]);
	return store_list(s, q, stop, store_list_add_profile, l, err);
}

static int store_list_add_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	struct listing *l = arg;

	(void)err;
	listing_add_time(l, m->time_ns);
	listing_add(l, service, NULL);
	listing_add(l, m->env, NULL);
	listing_add(l, m->kind, NULL);
	listing_add(l, m->text, NULL);
	return 0;
}

static int list_marks(struct store *s, const struct store_query *q, struct listing *l, struct err *err)
{
	static const struct listing_column columns[] = { { "time", "TIME", false },
							 { "service", "SERVICE", false },
							 { "env", "ENV", false },
							 { "kind", "KIND", false },
							 { "text", "TEXT", false } };

	l->col = columns;
	l->n_cols = sizeof(columns) / sizeof(columns[0]);
	return store_each_mark(s, q->service, q->is_pattern, "", store_list_add_mark, l, err);
}

static int store_list_add_pin(void *arg, const struct store_pin_info *p, struct err *err)
{
	struct listing *l = arg;

	(void)err;
	listing_add(l, p->name, NULL);
	listing_add_bytes(l, p->bytes);
	listing_add_time(l, p->made_ns);
	listing_add(l, p->spec, NULL);
	return 0;
}

static int list_pins(struct store *s, struct listing *l, struct err *err)
{
	static const struct listing_column columns[] = { { "name", "NAME", false },
							 { "bytes", "SIZE", true },
							 { "made", "MADE", false },
							 { "source", "SOURCE", false } };

	l->col = columns;
	l->n_cols = sizeof(columns) / sizeof(columns[0]);
	return store_each_pin(s, store_list_add_pin, l, err);
}

/* Say that there are releases. */
static int store_list_add_releases(struct store *s, struct buf *out, struct err *err)
{
	size_t n = 0;
	int rc = cmd_store_count_releases(s, &n, err);

	if (rc == 0 && n)
		buf_addf(out, "%zu release%s: cpa store ls --releases\n", n, n == 1 ? "" : "s");
	return rc;
}

int cmd_store_ls(struct store_command *c, struct err *err)
{
	const struct cmd_store_args *a = c->a;
	struct listing l = { 0 };
	struct window *window = NULL;
	struct store_query q;
	struct store *s = NULL;
	int rc = cmd_store_open(c, &s, err);

	rc = rc < 0 ? rc : cmd_store_select_whole(a->n_words ? a->word[0] : "*", s, &window, &q, err);
	if (rc == 0)
		rc = a->pins       ? list_pins(s, &l, err)
		     : a->releases ? cmd_store_list_releases(s, &l, err)
		     : a->marks    ? list_marks(s, &q, &l, err)
		     : a->profiles ? list_profiles(s, &q, c->stop, &l, err)
		     : a->labels   ? list_series(s, &q, &l, err)
				   : store_list_services(s, &q, &l, err);
	if (rc == 0)
		listing_print(&l, a->json, c->out);
	if (rc == 0 && !a->json && !(a->pins || a->releases || a->marks || a->profiles || a->labels))
		rc = store_list_add_releases(s, c->out, err);
	listing_release(&l);
	window_free(window);
	cmd_store_close(c, s);
	return rc;
}

/* ---- stat ---- */

static void store_list_add_bytes(const char *name, uint64_t bytes, struct buf *out)
{
	buf_addf(out, "%-16s", name);
	unit_add_label(out, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, "B", "auto");
	buf_addz(out, "\n");
}

static uint64_t per_profile(uint64_t bytes, uint64_t profiles)
{
	return profiles ? bytes / profiles : 0;
}

static uint64_t sum_tiers(const uint64_t value[N_TIERS], int first)
{
	uint64_t sum = 0;

	for (int t = first; t < N_TIERS; t++)
		sum += value[t];
	return sum;
}

/* A line for each resolution, if there are several. */
static void print_tiers(const struct store_stat *st, struct buf *out)
{
	for (int t = 0; t < N_TIERS && sum_tiers(st->profiles, TIER_10M); t++) {
		if (!st->profiles[t])
			continue;
		buf_addf(out, "    %-12s", store_tier_name((enum store_tier)t));
		unit_add_label(out, (int64_t)st->bytes[t], "B", "auto");
		buf_addf(out, ", %" PRIu64 " %s\n", st->profiles[t], t == TIER_RAW ? "profiles" : "slots");
	}
}

/* A line for the removal of data or the reduction of its resolution. */
static void print_loss(void *arg, const struct local_loss *l)
{
	struct buf *out = arg;

	buf_addf(out, "%-16s", l->is_reduced ? "reduced" : "removed");
	time_add_exact(out, l->time_ns);
	buf_addf(out, " %s: %s of ", l->what, store_tier_name(l->tier));
	time_add_span(out, l->t0, l->t1);
	buf_addf(out, ", %" PRIu64 " %s, ", l->profiles, l->tier == TIER_RAW ? "profiles" : "slots");
	unit_add_label(out, (int64_t)l->bytes, "B", "auto");
	buf_addz(out, "\n");
}

static void print_stat(const struct store_stat *st, struct buf *out)
{
	store_list_add_bytes("cap", st->cap, out);
	store_list_add_bytes("used", st->used, out);
	store_list_add_bytes("  segments", sum_tiers(st->bytes, TIER_RAW), out);
	print_tiers(st, out);
	store_list_add_bytes("  journal", st->journal_bytes, out);
	store_list_add_bytes("  index", st->index_bytes, out);
	store_list_add_bytes("  pins", st->pin_bytes, out);
	if (st->bad_bytes)
		store_list_add_bytes("  damaged", st->bad_bytes, out);
	buf_addf(out, "%-16s%" PRIu64 ", %" PRIu64 " of them in the journal\n", "profiles",
		 st->profiles[TIER_RAW] + st->head_profiles, st->head_profiles);
	buf_addf(out, "%-16s%" PRIu64 " samples, %" PRIu64 " dictionary\n", "bytes/profile",
		 per_profile(st->block_bytes, sum_tiers(st->profiles, TIER_RAW)),
		 per_profile(st->dict_bytes, sum_tiers(st->profiles, TIER_RAW)));
	buf_addf(out, "%-16s%" PRIu32 " in %" PRIu32 " segment%s\n", "services", st->services, st->segments,
		 st->segments == 1 ? "" : "s");
	if (sum_tiers(st->profiles, TIER_RAW) + st->head_profiles) {
		buf_addf(out, "%-16s", "from");
		time_add_exact(out, st->first_ns);
		buf_addf(out, "\n%-16s", "to");
		time_add_exact(out, st->last_ns);
		buf_addz(out, "\n");
	}
}

static void print_stat_json(const struct store_stat *st, struct buf *out)
{
	struct json j = { .out = out };

	jsonw_open(&j, '{');
	jsonw_add_int(&j, "cap_bytes", (int64_t)st->cap);
	jsonw_add_int(&j, "used_bytes", (int64_t)st->used);
	jsonw_add_int(&j, "segment_bytes", (int64_t)sum_tiers(st->bytes, TIER_RAW));
	for (int t = 0; t < N_TIERS; t++) {
		char key[32];

		snprintf(key, sizeof(key), "%s_bytes", store_tier_name((enum store_tier)t));
		jsonw_add_int(&j, key, (int64_t)st->bytes[t]);
		snprintf(key, sizeof(key), "%s_%s", store_tier_name((enum store_tier)t), t ? "slots" : "profiles");
		jsonw_add_int(&j, key, (int64_t)st->profiles[t]);
	}
	jsonw_add_int(&j, "dictionary_bytes", (int64_t)st->dict_bytes);
	jsonw_add_int(&j, "sample_bytes", (int64_t)st->block_bytes);
	jsonw_add_int(&j, "journal_bytes", (int64_t)st->journal_bytes);
	jsonw_add_int(&j, "index_bytes", (int64_t)st->index_bytes);
	jsonw_add_int(&j, "pin_bytes", (int64_t)st->pin_bytes);
	jsonw_add_int(&j, "damaged_bytes", (int64_t)st->bad_bytes);
	jsonw_add_int(&j, "profiles", (int64_t)(st->profiles[TIER_RAW] + st->head_profiles));
	jsonw_add_int(&j, "journal_profiles", (int64_t)st->head_profiles);
	jsonw_add_int(&j, "services", st->services);
	jsonw_add_int(&j, "segments", st->segments);
	jsonw_add_int(&j, "first_ns", st->first_ns);
	jsonw_add_int(&j, "last_ns", st->last_ns);
	jsonw_close(&j, '}');
	buf_addz(out, "\n");
}

int cmd_store_stat(struct store_command *c, struct err *err)
{
	struct store_stat st;
	struct store *s = NULL;
	int rc = local_open(c->directory, &s, err);

	rc = rc < 0 ? rc : local_get_stat(s, &st, err);
	if (rc == 0) {
		if (c->a->json)
			print_stat_json(&st, c->out);
		else
			print_stat(&st, c->out);
		if (!c->a->json)
			rc = local_each_loss(s, print_loss, c->out, err);
	}
	cmd_store_close(c, s);
	return rc;
}
