/*
 * catalogue_write.c - changes to index.db: segments, series, marks, pins, losses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/catalogue/catalogue_int.h"

#include <inttypes.h>
#include <stdlib.h>

/* ms to ns; the nearest int64_t if that is too large. */
static int64_t ns_of(int64_t ms)
{
	int64_t ns;

	return __builtin_mul_overflow(ms, INT64_C(1000000), &ns) ? ms < 0 ? INT64_MIN : INT64_MAX : ns;
}

int catalogue_add_segment(struct catalogue *c, struct catalogue_segment *row, const struct segment *s, struct err *err)
{
	const struct segment_info *info = segment_get_info(s);
	uint32_t n = segment_n_chapters(s);
	int rc;

	row->tier = info->tier;
	row->level = info->level;
	row->class = 0;
	row->t0 = ns_of(info->t0);
	row->t1 = ns_of(info->t1);
	row->made = ns_of(info->made);
	row->profiles = 0;
	for (uint32_t i = 0; i < n; i++)
		row->profiles += segment_chapter_at(s, i)->profiles;
	rc = catalogue_run(c, SQL_ADD_SEGMENT, err, "tiiiiiiiii", row->file, (int64_t)row->tier, (int64_t)row->level,
			   (int64_t)row->class, row->t0, row->t1, row->made, (int64_t)row->profiles,
			   (int64_t)row->bytes, (int64_t)row->crc);
	row->id = c->lib->last_insert_rowid(c->db);
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		const struct segment_chapter *ch = segment_chapter_at(s, i);

		rc = catalogue_run(c, SQL_ADD_CHAPTER, err, "tiiiiii", ch->service, row->id, (int64_t)ch->offset,
				   (int64_t)ch->length, ch->t0, ch->t1, (int64_t)ch->profiles);
	}
	return rc;
}

int catalogue_remove_segment(struct catalogue *c, int64_t id, struct err *err)
{
	int rc = catalogue_run(c, SQL_REMOVE_CHAPTERS, err, "i", id);

	if (rc == 0)
		rc = catalogue_run(c, SQL_ADD_REMOVED, err, "i", id);
	if (rc == 0)
		rc = catalogue_run(c, SQL_TRIM_REMOVED, err, "");
	return rc == 0 ? catalogue_run(c, SQL_REMOVE_SEGMENT, err, "i", id) : rc;
}

/* The id of a label, which is added if it is new. */
static int label_id(struct catalogue *c, const char *name, const char *value, int64_t *id, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_GET_LABEL, err, "tt", name, value);
	int rc;

	if (!s)
		return err->code;
	rc = catalogue_step(c, s, err);
	if (rc == 1) {
		*id = catalogue_int(c, s, 0);
		c->lib->reset(s);
		return 0;
	}
	if (rc == 0)
		rc = catalogue_run(c, SQL_ADD_LABEL, err, "tt", name, value);
	*id = c->lib->last_insert_rowid(c->db);
	return rc;
}

static int catalogue_write_add_new_series(struct catalogue *c, const struct chapter *ch, const struct dict_series *s,
					  int64_t first, int64_t last, struct err *err)
{
	const struct strtab *str = ch->dict.str;
	int rc = catalogue_run(c, SQL_ADD_SERIES, err, "httii", s->hash, ch->service, strtab_text(str, s->kind), first,
			       last);
	int64_t series = c->lib->last_insert_rowid(c->db), label = 0;

	for (uint32_t i = 0; rc == 0 && i < s->n_labels; i++) {
		rc = label_id(c, strtab_text(str, s->name[i]), strtab_text(str, s->value[i]), &label, err);
		if (rc == 0)
			rc = catalogue_run(c, SQL_ADD_SERIES_LABEL, err, "ii", series, label);
	}
	return rc;
}

static int add_one_series(struct catalogue *c, const struct chapter *ch, const struct dict_series *series,
			  int64_t first, int64_t last, struct err *err)
{
	sqlite3_stmt *s = catalogue_bind(c, SQL_GET_SERIES, err, "h", series->hash);
	int rc = s ? catalogue_step(c, s, err) : err->code;
	int64_t id;
	bool is_wider;

	if (rc == 0)
		return catalogue_write_add_new_series(c, ch, series, first, last, err);
	if (rc < 0)
		return rc;
	id = catalogue_int(c, s, 0);
	is_wider = first < catalogue_int(c, s, 1) || last > catalogue_int(c, s, 2);
	c->lib->reset(s);
	return is_wider ? catalogue_run(c, SQL_WIDEN_SERIES, err, "iii", id, first, last) : 0;
}

int catalogue_add_series(struct catalogue *c, const struct chapter *ch, struct err *err)
{
	uint32_t n = ch->dict.n_series;
	int64_t *first = mem_alloc(n + 1, sizeof(*first)), *last = mem_alloc(n + 1, sizeof(*last));
	struct err ignored;
	int rc = 0;

	if (!err)
		err = &ignored;
	for (uint32_t i = 0; i < n; i++) {
		first[i] = INT64_MAX;
		last[i] = INT64_MIN;
	}
	for (uint32_t i = 0; i < ch->n_blocks; i++) {
		const struct block_entry *b = &ch->block[i];

		if (b->t0 < first[b->series])
			first[b->series] = b->t0;
		if (b->t1 > last[b->series])
			last[b->series] = b->t1;
	}
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		if (first[i] <= last[i])
			rc = add_one_series(c, ch, &ch->dict.series[i], first[i], last[i], err);
	for (uint32_t i = 0; rc == 0 && i < ch->n_marks; i++)
		rc = catalogue_add_mark(c, ch->service, &ch->mark[i], err);
	free(first);
	free(last);
	return rc;
}

int catalogue_add_mark(struct catalogue *c, const char *service, const struct store_mark *m, struct err *err)
{
	return catalogue_run(c, SQL_ADD_MARK, err, "itttt", m->time_ns, service, m->env ? m->env : "",
			     m->kind ? m->kind : "", m->text ? m->text : "");
}

int catalogue_remove_service(struct catalogue *c, const char *service, struct err *err)
{
	int rc = catalogue_run(c, SQL_REMOVE_SERIES, err, "t", service);

	if (rc == 0)
		rc = catalogue_run(c, SQL_REMOVE_MARKS, err, "t", service);
	return rc == 0 ? catalogue_run(c, SQL_PRUNE_SERIES_LABELS, err, "") : rc;
}

int catalogue_prune(struct catalogue *c, struct err *err)
{
	static const enum catalogue_sql steps[] = { SQL_PRUNE_SERIES, SQL_PRUNE_MARKS, SQL_PRUNE_SERIES_LABELS,
						    SQL_PRUNE_LABELS };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
		rc = catalogue_run(c, steps[i], err, "");
	return rc;
}

int catalogue_add_pin(struct catalogue *c, const struct catalogue_pin *p, struct err *err)
{
	return catalogue_run(c, SQL_ADD_PIN, err, "tttii", p->name, p->file, p->spec, p->made, (int64_t)p->bytes);
}

int catalogue_remove_pin(struct catalogue *c, const char *name, struct err *err)
{
	return catalogue_run(c, SQL_REMOVE_PIN, err, "t", name);
}

int catalogue_add_loss(struct catalogue *c, const struct catalogue_loss *l, struct err *err)
{
	int rc = catalogue_run(c, SQL_ADD_LOSS, err, "iiiitii", l->ts, l->t0, l->t1, (int64_t)l->tier, l->what,
			       (int64_t)l->profiles, (int64_t)l->bytes);

	return rc == 0 ? catalogue_run(c, SQL_TRIM_LOSSES, err, "") : rc;
}
