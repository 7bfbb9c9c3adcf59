/*
 * catalogue_read.c - queries of index.db
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/arena.h"
#include "base/mem.h"
#include "store/local/catalogue/catalogue_int.h"

#include <stdlib.h>
#include <string.h>

/* The pattern for GLOB: in ours, [ is an ordinary character. */
static void catalogue_read_add_pattern(struct buf *out, const struct catalogue_query *q)
{
	if (!q->service)
		buf_addz(out, "*");
	for (const char *p = q->service; p && *p; p++)
		if (q->is_pattern && *p == '[')
			buf_addz(out, "[[]");
		else
			buf_add(out, p, 1);
}

/* Is the statement with GLOB needed? */
static bool is_like(const struct catalogue_query *q)
{
	return q->is_pattern || !q->service;
}

static const char *catalogue_read_copy_text(struct catalogue *c, sqlite3_stmt *s, int i, struct arena *a)
{
	const char *text = catalogue_text(c, s, i);

	return arena_strndup(a, text, strlen(text));
}

static int get_chapters(struct catalogue *c, sqlite3_stmt *s, struct catalogue_selection *out, struct err *err)
{
	size_t cap = 0;
	int rc;

	while ((rc = catalogue_step(c, s, err)) == 1) {
		struct catalogue_chapter *ch;

		out->chapter = mem_grow(out->chapter, &cap, out->n_chapters + 1, sizeof(*ch));
		ch = &out->chapter[out->n_chapters++];
		ch->service = catalogue_read_copy_text(c, s, 0, out->arena);
		ch->file = catalogue_read_copy_text(c, s, 1, out->arena);
		ch->tier = (enum store_tier)catalogue_int(c, s, 2);
		ch->segment = catalogue_int(c, s, 3);
		ch->offset = (uint64_t)catalogue_int(c, s, 4);
		ch->length = (uint64_t)catalogue_int(c, s, 5);
		ch->t0 = catalogue_int(c, s, 6);
		ch->t1 = catalogue_int(c, s, 7);
		ch->profiles = (uint64_t)catalogue_int(c, s, 8);
		ch->crc = (uint32_t)catalogue_int(c, s, 9);
	}
	return rc;
}

/* Select chapters with a statement of the parameters service, a, b. */
static int select_chapters(struct catalogue *c, enum catalogue_sql sql, const struct catalogue_query *q, int64_t a,
			   int64_t b, struct catalogue_selection *out, struct err *err)
{
	struct buf service = { 0 };
	sqlite3_stmt *s;
	int rc;

	*out = (struct catalogue_selection){ .arena = arena_new() };
	catalogue_read_add_pattern(&service, q);
	s = catalogue_bind(c, sql, err, "tii", buf_text(&service), a, b);
	rc = s ? get_chapters(c, s, out, err) : err->code;
	buf_release(&service);
	if (rc < 0)
		catalogue_selection_release(out);
	return rc;
}

int catalogue_select(struct catalogue *c, const struct catalogue_query *q, struct catalogue_selection *out,
		     struct err *err)
{
	int rc = select_chapters(c, is_like(q) ? SQL_CHAPTERS_LIKE : SQL_CHAPTERS, q, q->t0, q->t1, out, err);

	if (rc == 0)
		rc = catalogue_get_number(c, "next_journal", &out->next_journal, err);
	if (rc < 0)
		catalogue_selection_release(out);
	return rc < 0 ? rc : 0;
}

int catalogue_select_beside(struct catalogue *c, const struct catalogue_query *q, bool after, size_t max,
			    struct catalogue_selection *out, struct err *err)
{
	if (after)
		return select_chapters(c, is_like(q) ? SQL_AFTER_LIKE : SQL_AFTER, q, q->t1, (int64_t)max, out, err);
	return select_chapters(c, is_like(q) ? SQL_BEFORE_LIKE : SQL_BEFORE, q, q->t0, (int64_t)max, out, err);
}

void catalogue_selection_release(struct catalogue_selection *s)
{
	free(s->chapter);
	arena_free(s->arena);
	*s = (struct catalogue_selection){ 0 };
}

int catalogue_each_service(struct catalogue *c, catalogue_service_fn *fn, void *arg, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_SERVICES, err, "");
	int rc;

	if (!s)
		return err->code;
	while ((rc = catalogue_step(c, s, err)) == 1) {
		rc = fn(arg, catalogue_text(c, s, 0), err);
		if (rc < 0) {
			c->lib->reset(s);
			break;
		}
	}
	return rc;
}

int catalogue_get_segments(struct catalogue *c, enum store_tier tier, struct catalogue_segments *out, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_SEGMENTS, err, "i", tier < N_TIERS ? (int64_t)tier : (int64_t)-1);
	size_t cap = 0;
	int rc;

	*out = (struct catalogue_segments){ 0 };
	if (!s)
		return err->code;
	while ((rc = catalogue_step(c, s, err)) == 1) {
		struct catalogue_segment *row;

		out->row = mem_grow(out->row, &cap, out->n + 1, sizeof(*row));
		row = &out->row[out->n++];
		*row = (struct catalogue_segment){ .id = catalogue_int(c, s, 0),
						   .tier = (enum store_tier)catalogue_int(c, s, 2),
						   .level = (unsigned)catalogue_int(c, s, 3),
						   .class = (unsigned)catalogue_int(c, s, 4),
						   .t0 = catalogue_int(c, s, 5),
						   .t1 = catalogue_int(c, s, 6),
						   .made = catalogue_int(c, s, 7),
						   .profiles = (uint64_t)catalogue_int(c, s, 8),
						   .bytes = (uint64_t)catalogue_int(c, s, 9),
						   .crc = (uint32_t)catalogue_int(c, s, 10) };
		strncpy(row->file, catalogue_text(c, s, 1), sizeof(row->file) - 1);
	}
	if (rc < 0)
		catalogue_segments_release(out);
	return rc;
}

void catalogue_segments_release(struct catalogue_segments *s)
{
	free(s->row);
	*s = (struct catalogue_segments){ 0 };
}

int64_t catalogue_largest_chapter(struct catalogue *c, int64_t id, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_LARGEST_CHAPTER, err, "i", id);
	int64_t n = s ? catalogue_step(c, s, err) : err->code;

	if (n == 1) {
		n = catalogue_int(c, s, 0);
		c->lib->reset(s);
	}
	return n;
}

/* Does a statement that looks up a file have a row? */
static int catalogue_read_find_file(struct catalogue *c, enum catalogue_sql sql, const char *file, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, sql, err, "t", file);
	int rc = s ? catalogue_step(c, s, err) : err->code;

	if (rc == 1)
		c->lib->reset(s);
	return rc;
}

int catalogue_has_file(struct catalogue *c, const char *file, struct err *err)
{
	return catalogue_read_find_file(c, SQL_HAS_FILE, file, err);
}

int catalogue_is_removed(struct catalogue *c, const char *file, struct err *err)
{
	return catalogue_read_find_file(c, SQL_IS_REMOVED, file, err);
}

int catalogue_each_pin(struct catalogue *c, const char *name, catalogue_pin_fn *fn, void *arg, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_PINS, err, "t", name ? name : "");
	int rc;

	if (!s)
		return err->code;
	while ((rc = catalogue_step(c, s, err)) == 1) {
		struct catalogue_pin p = { .name = catalogue_text(c, s, 0),
					   .file = catalogue_text(c, s, 1),
					   .spec = catalogue_text(c, s, 2),
					   .made = catalogue_int(c, s, 3),
					   .bytes = (uint64_t)catalogue_int(c, s, 4) };

		rc = fn(arg, &p, err);
		if (rc < 0) {
			c->lib->reset(s);
			break;
		}
	}
	return rc;
}

struct pin_collector {
	struct arena *mem;
	struct catalogue_pin *pin;
	size_t n, cap;
};

static int collect_pin(void *arg, const struct catalogue_pin *p, struct err *err)
{
	struct pin_collector *l = arg;

	(void)err;
	l->pin = mem_grow(l->pin, &l->cap, l->n + 1, sizeof(*l->pin));
	l->pin[l->n++] = (struct catalogue_pin){ .name = arena_strndup(l->mem, p->name, strlen(p->name)),
						 .file = arena_strndup(l->mem, p->file, strlen(p->file)),
						 .spec = arena_strndup(l->mem, p->spec, strlen(p->spec)),
						 .made = p->made,
						 .bytes = p->bytes };
	return 0;
}

int catalogue_get_pins(struct catalogue *c, struct arena *mem, struct catalogue_pin **out, size_t *n, struct err *err)
{
	struct pin_collector l = { .mem = mem };
	int rc = catalogue_each_pin(c, NULL, collect_pin, &l, err);

	*n = rc < 0 ? 0 : l.n;
	*out = arena_alloc(mem, *n + 1, sizeof(**out));
	if (*n)
		memcpy(*out, l.pin, *n * sizeof(**out));
	free(l.pin);
	return rc;
}

int catalogue_each_loss(struct catalogue *c, int64_t t0, int64_t t1, catalogue_loss_fn *fn, void *arg, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_LOSSES, err, "ii", t0, t1);
	int rc;

	if (!s)
		return err->code;
	while ((rc = catalogue_step(c, s, err)) == 1) {
		struct catalogue_loss l = { .ts = catalogue_int(c, s, 0),
					    .t0 = catalogue_int(c, s, 1),
					    .t1 = catalogue_int(c, s, 2),
					    .tier = (enum store_tier)catalogue_int(c, s, 3),
					    .what = catalogue_text(c, s, 4),
					    .profiles = (uint64_t)catalogue_int(c, s, 5),
					    .bytes = (uint64_t)catalogue_int(c, s, 6) };

		rc = fn(arg, &l, err);
		if (rc < 0) {
			c->lib->reset(s);
			break;
		}
	}
	return rc;
}

/* The labels of a series; the array and the texts are in the arena. */
static int get_labels(struct catalogue *c, int64_t series, struct arena *a, struct catalogue_series *out,
		      struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_SERIES_LABELS, err, "i", series);
	struct store_label *label = NULL;
	size_t cap = 0;
	int rc;

	if (!s)
		return err->code;
	out->n_labels = 0;
	while ((rc = catalogue_step(c, s, err)) == 1) {
		label = mem_grow(label, &cap, out->n_labels + 1, sizeof(*label));
		label[out->n_labels++] = (struct store_label){ .name = catalogue_read_copy_text(c, s, 0, a),
							       .value = catalogue_read_copy_text(c, s, 1, a) };
	}
	out->label = arena_own(a, label);
	return rc;
}

/* Call fn for the series of the current row. */
static int call_series(struct catalogue *c, sqlite3_stmt *s, catalogue_series_fn *fn, void *arg, struct err *err)
{
	struct arena *a = arena_new();
	struct catalogue_series series = { .service = catalogue_text(c, s, 0),
					   .kind = catalogue_text(c, s, 1),
					   .hash = c->lib->column_blob(s, 2),
					   .first = catalogue_int(c, s, 3),
					   .last = catalogue_int(c, s, 4) };
	int rc;

	if (c->lib->column_bytes(s, 2) != 16)
		rc = err_set(err, ERR_FORMAT, "%s is damaged: the hash of a series of %s does not have 16 bytes",
			     c->path, series.service);
	else
		rc = get_labels(c, catalogue_int(c, s, 5), a, &series, err);
	if (rc == 0)
		rc = fn(arg, &series, err);
	arena_free(a);
	return rc;
}

int catalogue_each_series(struct catalogue *c, const struct catalogue_query *q, const char *kind,
			  catalogue_series_fn *fn, void *arg, struct err *err)
{
	struct buf service = { 0 };
	sqlite3_stmt *s;
	int rc;

	catalogue_read_add_pattern(&service, q);
	s = catalogue_bind(c, is_like(q) ? SQL_SERIES_LIKE : SQL_SERIES, err, "ttii", buf_text(&service), kind, q->t0,
			   q->t1);
	buf_release(&service);
	if (!s)
		return err->code;
	while ((rc = catalogue_step(c, s, err)) == 1) {
		rc = call_series(c, s, fn, arg, err);
		if (rc < 0) {
			c->lib->reset(s);
			break;
		}
	}
	return rc;
}

int catalogue_each_mark(struct catalogue *c, const struct catalogue_query *q, const char *kind, catalogue_mark_fn *fn,
			void *arg, struct err *err)
{
	struct buf service = { 0 };
	sqlite3_stmt *s;
	int rc;

	catalogue_read_add_pattern(&service, q);
	s = catalogue_bind(c, is_like(q) ? SQL_MARKS_LIKE : SQL_MARKS, err, "ttii", buf_text(&service), kind, q->t0,
			   q->t1);
	buf_release(&service);
	if (!s)
		return err->code;
	while ((rc = catalogue_step(c, s, err)) == 1) {
		struct store_mark m = { .time_ns = catalogue_int(c, s, 1),
					.env = (char *)catalogue_text(c, s, 2),
					.kind = (char *)catalogue_text(c, s, 3),
					.text = (char *)catalogue_text(c, s, 4) };

		rc = fn(arg, catalogue_text(c, s, 0), &m, err);
		if (rc < 0) {
			c->lib->reset(s);
			break;
		}
	}
	return rc;
}

int catalogue_get_stat(struct catalogue *c, struct catalogue_stat *out, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_STAT_TIERS, err, "");
	int rc;

	*out = (struct catalogue_stat){ 0 };
	while (s && (rc = catalogue_step(c, s, err)) == 1) {
		int64_t tier = catalogue_int(c, s, 0);

		if (tier < 0 || tier >= N_TIERS)
			continue;
		out->segments += (uint64_t)catalogue_int(c, s, 1);
		out->bytes[tier] = (uint64_t)catalogue_int(c, s, 2);
		out->profiles[tier] = (uint64_t)catalogue_int(c, s, 3);
	}
	if (!s || rc < 0)
		return err->code;
	s = catalogue_bind(c, SQL_STAT_CHAPTERS, err, "");
	while (s && (rc = catalogue_step(c, s, err)) == 1) {
		out->services = (uint64_t)catalogue_int(c, s, 0);
		out->first = catalogue_int(c, s, 1);
		out->last = catalogue_int(c, s, 2);
	}
	if (!s || rc < 0)
		return err->code;
	s = catalogue_bind(c, SQL_STAT_PINS, err, "");
	while (s && (rc = catalogue_step(c, s, err)) == 1)
		out->pin_bytes = (uint64_t)catalogue_int(c, s, 0);
	return !s || rc < 0 ? err->code : 0;
}

int catalogue_verify(struct catalogue *c, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_INTEGRITY, err, "");
	int rc = s ? catalogue_step(c, s, err) : err->code;

	if (rc == 1) {
		const char *text = catalogue_text(c, s, 0);

		if (strcmp(text, "ok"))
			rc = err_set(err, ERR_FORMAT, "%s is damaged: %s; rebuild it with: cpa store repair", c->path,
				     text);
		c->lib->reset(s);
	}
	if (rc < 0)
		return rc;
	s = catalogue_bind(c, SQL_LOST_CHAPTERS, err, "");
	rc = s ? catalogue_step(c, s, err) : err->code;
	if (rc == 1) {
		rc = err_set(err, ERR_FORMAT,
			     "%s is damaged: %s has other chapters than profiles; rebuild it with: cpa store repair",
			     c->path, catalogue_text(c, s, 0));
		c->lib->reset(s);
	}
	return rc;
}
