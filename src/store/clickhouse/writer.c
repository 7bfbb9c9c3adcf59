/*
 * writer.c - writes profiles to a store in ClickHouse, in batches
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The start of a profile and its series are its identity: stores give profiles of a series different starts. Before a batch is first
 * sent, the server is asked which of its profiles it has. Some may arrive later all the same, from a try of a process that ended before
 * the response; the batch of that try stays incomplete, so readers remove repeated rows there.
 */
#include "config.h"

#include "store/clickhouse/writer.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "profile/keys.h"
#include "store/clickhouse/encode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
	BATCH_PROFILES = 10000,
	CLICK_BATCH_BYTES = 32 << 20,
	BATCH_DAYS = 60,          /* servers refuse inserts into more than 100 partitions */
	EPOCHS_BYTES = 256 << 20, /* memory of open epochs */
	SERIES_LISTED = 500,      /* in a condition */
	DAY_MAX = UINT16_MAX - 7, /* of a Date */
};

/* The dictionary of a service and a week. */
struct click_epoch {
	struct click_epoch_key key; /* owns service */
	struct dict d;
	uint32_t n_metas, n_maps, n_locs, n_rows; /* entries that are in the buffers */
};

/* A profile of the batch: its row is bytes [at, at + n) of the profiles. */
struct click_pending {
	uint8_t series[16];
	int64_t start_ns;
	const char *service; /* of its epoch or of names */
	size_t at, n;
	bool is_known;
};

struct click_writer {
	struct click_server *server;
	const char *name;
	struct click_epoch **epoch; /* [n_epochs]; dictionaries must not move */
	size_t n_epochs, cap_epochs;
	struct keys series;                  /* hashes of series that were sent, or are in the buffer */
	struct strtab *names;                /* services of the batch */
	struct buf rows[CLICK_PROFILES + 1]; /* by table; after preparation, those of the profiles to send */
	struct click_pending *pending;       /* [n_pending] */
	size_t n_pending, cap_pending;
	uint16_t day[BATCH_DAYS]; /* [n_days] of the profiles */
	size_t n_days;
	/* the state of the batch */
	bool is_prepared;
	int n_sent; /* tables */
	uint64_t batch, n_known;
	uint16_t tries;
};

struct click_writer *click_writer_new(struct click_server *server, const char *name)
{
	struct click_writer *w = mem_zalloc(1, sizeof(*w));

	w->server = server;
	w->name = name;
	w->names = strtab_new();
	keys_init(&w->series, 2, 0);
	return w;
}

static void click_close_epochs(struct click_writer *w)
{
	for (size_t i = 0; i < w->n_epochs; i++) {
		dict_release(&w->epoch[i]->d);
		free((char *)w->epoch[i]->key.service);
		free(w->epoch[i]);
	}
	w->n_epochs = 0;
}

void click_writer_free(struct click_writer *w)
{
	if (!w)
		return;
	click_close_epochs(w);
	keys_release(&w->series);
	strtab_free(w->names);
	for (int t = 0; t <= CLICK_PROFILES; t++)
		buf_release(&w->rows[t]);
	free(w->epoch);
	free(w->pending);
	free(w);
}

static uint64_t click_random(void)
{
	uint64_t v = 0;

	while (getrandom(&v, sizeof(v), 0) != sizeof(v))
		continue;
	return v;
}

/* ---- adding ---- */

static struct click_epoch *click_open_epoch(const char *service, uint16_t week)
{
	struct click_epoch *e = mem_zalloc(1, sizeof(*e));

	e->key = (struct click_epoch_key){ mem_strndup(service, strlen(service)), week, click_random() };
	dict_init(&e->d);
	return e;
}

/* Day 4 of 1970 was a Monday. */
static uint16_t click_find_week(int64_t start_ns)
{
	int64_t day = start_ns / NS_PER_DAY;

	return (uint16_t)(day < 4 ? 0 : day - (day - 4) % 7);
}

static struct click_epoch *click_find_epoch(struct click_writer *w, const char *service, int64_t start_ns)
{
	uint16_t week = click_find_week(start_ns);
	size_t memory = 0;

	for (size_t i = 0; i < w->n_epochs; i++) {
		memory += w->epoch[i]->d.memory;
		if (w->epoch[i]->key.week == week && strcmp(w->epoch[i]->key.service, service) == 0)
			return w->epoch[i];
	}
	if (memory > EPOCHS_BYTES)
		click_close_epochs(w);
	w->epoch = mem_grow(w->epoch, &w->cap_epochs, w->n_epochs + 1, sizeof(struct click_epoch *));
	w->epoch[w->n_epochs] = click_open_epoch(service, week);
	return w->epoch[w->n_epochs++];
}

/* Append what the dictionary grew by to the buffers. */
static void click_add_entries(struct click_writer *w, struct click_epoch *e)
{
	for (; e->n_metas < e->d.n_metas; e->n_metas++)
		click_encode_meta(&e->key, &e->d, e->n_metas, &w->rows[CLICK_METAS]);
	for (; e->n_maps < e->d.n_maps; e->n_maps++)
		click_encode_mapping(&e->key, &e->d, e->n_maps, &w->rows[CLICK_MAPPINGS]);
	for (; e->n_locs < e->d.n_locs; e->n_locs++)
		click_encode_frames(&e->key, &e->d, e->n_locs, &w->rows[CLICK_FRAMES]);
	for (; e->n_rows < e->d.n_rows; e->n_rows++)
		click_encode_stack(&e->key, &e->d, e->n_rows, &w->rows[CLICK_STACKS]);
}

static int click_add_series(struct click_writer *w, const struct click_input *in, const uint8_t hash[16],
			    struct err *err)
{
	struct buf *out = &w->rows[CLICK_SERIES];
	uint64_t word[2];
	uint32_t before = w->series.n, id;

	memcpy(word, hash, sizeof(word));
	if (keys_add(&w->series, word, 2, keys_hash(word, 2), &id, err) < 0)
		return ERR_LIMIT;
	if (id != before)
		return 0;
	click_put_text(out, in->service);
	click_put_text(out, in->kind);
	buf_add(out, hash, 16);
	varint_put(out, in->n_labels);
	for (size_t i = 0; i < in->n_labels; i++)
		click_put_text(out, in->label[i].name);
	varint_put(out, in->n_labels);
	for (size_t i = 0; i < in->n_labels; i++)
		click_put_text(out, in->label[i].value);
	return 0;
}

/* Note the day of a profile. */
static void click_add_day(struct click_writer *w, uint16_t day)
{
	for (size_t i = 0; i < w->n_days; i++)
		if (w->day[i] == day)
			return;
	w->day[w->n_days++] = day;
}

static void click_add_pending(struct click_writer *w, const struct click_epoch *e, const struct stored *s,
			      const char *kind, const uint8_t hash[16])
{
	struct click_pending *p;
	size_t at = w->rows[CLICK_PROFILES].len;

	click_encode_profile(&e->key, &e->d, s, kind, hash, &w->rows[CLICK_PROFILES]);
	w->pending = mem_grow(w->pending, &w->cap_pending, w->n_pending + 1, sizeof(*w->pending));
	p = &w->pending[w->n_pending++];
	*p = (struct click_pending){ .start_ns = s->start_ns,
				     .service = strtab_text(w->names, strtab_addz(w->names, e->key.service)),
				     .at = at,
				     .n = w->rows[CLICK_PROFILES].len - at };
	memcpy(p->series, hash, sizeof(p->series));
	click_add_day(w, (uint16_t)(s->start_ns / NS_PER_DAY));
}

int click_writer_add(struct click_writer *w, const struct click_input *in, struct err *err)
{
	struct click_epoch *e;
	struct stored s;
	uint8_t hash[16];
	int rc;

	if (in->start_ns < 0 || in->start_ns / NS_PER_DAY > DAY_MAX)
		return err_set(err, ERR_RANGE, "ClickHouse stores times of 1970 to 2149");
	if (w->is_prepared || w->n_days == BATCH_DAYS)
		return err_set(err, ERR_LIMIT, "a batch waits to be written");
	e = click_find_epoch(w, in->service, in->start_ns);
	rc = dict_add_profile(&e->d, in->profile, &s, err);
	click_add_entries(w, e);
	if (rc < 0)
		return rc;
	s.start_ns = in->start_ns;
	s.duration_ns = in->duration_ns;
	dict_series_hash(in->service, in->kind, in->label, in->n_labels, hash);
	rc = click_add_series(w, in, hash, err);
	if (rc == 0)
		click_add_pending(w, e, &s, in->kind, hash);
	dict_release_stored(&s);
	return rc;
}

bool click_writer_is_full(const struct click_writer *w)
{
	size_t bytes = 0;

	for (int t = 0; t <= CLICK_PROFILES; t++)
		bytes += w->rows[t].len;
	return w->is_prepared || w->n_pending >= BATCH_PROFILES || w->n_days == BATCH_DAYS ||
	       bytes >= CLICK_BATCH_BYTES;
}

/* ---- profiles that the server has ---- */

static int click_compare_pending(const void *a, const void *b)
{
	const struct click_pending *x = a, *y = b;
	int order = memcmp(x->series, y->series, sizeof(x->series));

	return order ? order : x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* Append the conditions that all profiles of the batch satisfy. pending is sorted by series. */
static void click_add_batch_conditions(const struct click_writer *w, struct buf *sql)
{
	int64_t t0 = INT64_MAX, t1 = INT64_MIN;
	size_t n_series = 0;
	uint16_t lo = UINT16_MAX, hi = 0;

	for (size_t i = 0; i < w->n_pending; i++) {
		t0 = w->pending[i].start_ns < t0 ? w->pending[i].start_ns : t0;
		t1 = w->pending[i].start_ns > t1 ? w->pending[i].start_ns : t1;
		n_series += i == 0 || memcmp(w->pending[i].series, w->pending[i - 1].series, 16) != 0;
	}
	for (size_t i = 0; i < w->n_days; i++) {
		lo = w->day[i] < lo ? w->day[i] : lo;
		hi = w->day[i] > hi ? w->day[i] : hi;
	}
	buf_addf(sql, "day >= toDate(%u) AND day <= toDate(%u) AND ts >= %" PRId64 " AND ts <= %" PRId64, lo, hi, t0,
		 t1);
	for (uint32_t i = 1; i < strtab_count(w->names); i++) {
		buf_addz(sql, i == 1 ? " AND service IN (" : ", ");
		click_add_text(sql, strtab_text(w->names, i));
	}
	buf_addz(sql, ")");
	for (size_t i = 0; n_series <= SERIES_LISTED && i < w->n_pending; i++) {
		if (i && memcmp(w->pending[i].series, w->pending[i - 1].series, 16) == 0)
			continue;
		buf_addz(sql, i == 0 ? " AND series IN (unhex('" : ", unhex('");
		for (int k = 0; k < 16; k++)
			buf_addf(sql, "%02X", w->pending[i].series[k]);
		buf_addz(sql, "')");
	}
	if (n_series <= SERIES_LISTED)
		buf_addz(sql, ")");
}

static void click_note_known(struct click_writer *w, struct click_rows *r)
{
	while (click_has_row(r)) {
		const uint8_t *hash = click_get_bytes(r, 16);
		struct click_pending key = { .start_ns = click_get_i64(r) }, *p;

		if (r->is_bad)
			return;
		memcpy(key.series, hash, sizeof(key.series));
		p = bsearch(&key, w->pending, w->n_pending, sizeof(*p), click_compare_pending);
		if (p)
			p->is_known = true;
	}
}

/* Leave out the rows of profiles that the server has, and those that are in the batch twice. */
static void click_leave_out(struct click_writer *w)
{
	struct buf kept = { 0 };

	w->n_known = 0;
	for (size_t i = 0; i < w->n_pending; i++) {
		const struct click_pending *p = &w->pending[i];

		if (p->is_known || (i && click_compare_pending(p - 1, p) == 0))
			w->n_known++;
		else
			buf_add(&kept, w->rows[CLICK_PROFILES].data + p->at, p->n);
	}
	buf_release(&w->rows[CLICK_PROFILES]);
	w->rows[CLICK_PROFILES] = kept;
}

static int click_prepare(struct click_writer *w, struct stop *stop, struct err *err)
{
	struct buf sql = { 0 };
	struct bytes known = { 0 };
	struct click_rows r;
	int rc = 0;

	if (w->n_pending) {
		qsort(w->pending, w->n_pending, sizeof(*w->pending), click_compare_pending);
		buf_addz(&sql, "SELECT series, ts FROM profiles WHERE ");
		click_add_batch_conditions(w, &sql);
		buf_addz(&sql, " FORMAT RowBinary");
		rc = click_server_ask(w->server, buf_text(&sql), true, stop, &known, err);
	}
	r = (struct click_rows){ known.data, known.data + known.n, false };
	if (rc == 0) {
		click_note_known(w, &r);
		click_leave_out(w);
		w->is_prepared = true;
		w->batch = click_random();
		w->n_sent = 0;
		w->tries = 0;
	}
	buf_release(&sql);
	free(known.data);
	return rc == 0 && r.is_bad ? err_set(err, ERR_FORMAT, "%.200s: a result is cut off", w->server->name) : rc;
}

/* ---- sending ---- */

static int click_send_rows(struct click_writer *w, enum click_table t, const struct buf *rows, struct stop *stop,
			   struct err *err)
{
	struct buf sql = { 0 };
	int rc;

	if (!rows->len)
		return 0;
	click_add_insert(t, &sql);
	rc = click_server_insert(w->server, buf_text(&sql), rows->data, rows->len, stop, err);
	buf_release(&sql);
	return rc;
}

/* Write the state of the batch, for each of its days. */
static int click_send_state(struct click_writer *w, bool is_done, struct stop *stop, struct err *err)
{
	struct buf rows = { 0 };
	int rc;

	for (size_t i = 0; i < w->n_days; i++) {
		click_put_u16(&rows, w->day[i]);
		click_put_u64(&rows, w->batch);
		click_put_text(&rows, w->name);
		click_put_u32(&rows, (uint32_t)(clock_wall_ns() / NS_PER_S));
		click_put_u32(&rows, (uint32_t)(w->n_pending - w->n_known));
		click_put_u16(&rows, w->tries);
		click_put_u8(&rows, is_done);
	}
	rc = click_send_rows(w, CLICK_BATCHES, &rows, stop, err);
	buf_release(&rows);
	return rc;
}

static void click_finish(struct click_writer *w, struct click_counts *counts)
{
	counts->n_written += w->n_pending - w->n_known;
	counts->n_known += w->n_known;
	for (int t = 0; t <= CLICK_PROFILES; t++)
		w->rows[t].len = 0;
	w->n_pending = w->n_days = 0;
	w->is_prepared = false;
	strtab_free(w->names);
	w->names = strtab_new();
}

int click_writer_flush(struct click_writer *w, struct stop *stop, struct click_counts *counts, struct err *err)
{
	bool has_profiles;
	int rc = w->is_prepared ? 0 : click_prepare(w, stop, err);

	if (rc < 0)
		return rc;
	has_profiles = w->n_pending > w->n_known;
	if (has_profiles && w->n_sent <= CLICK_PROFILES) {
		w->tries += w->tries < UINT16_MAX;
		rc = click_send_state(w, false, stop, err);
	}
	while (rc == 0 && w->n_sent <= CLICK_PROFILES) {
		rc = click_send_rows(w, (enum click_table)w->n_sent, &w->rows[w->n_sent], stop, err);
		w->n_sent += rc == 0;
	}
	if (rc == 0 && has_profiles)
		rc = click_send_state(w, true, stop, err);
	if (rc == 0)
		click_finish(w, counts);
	return rc;
}

void click_put_mark(struct buf *rows, const char *service, const struct store_mark *m)
{
	click_put_text(rows, service);
	click_put_i64(rows, m->time_ns);
	click_put_text(rows, m->env ? m->env : "");
	click_put_text(rows, m->kind ? m->kind : "");
	click_put_text(rows, m->text ? m->text : "");
}

int click_writer_marks(struct click_writer *w, const struct buf *rows, struct stop *stop, struct err *err)
{
	return click_send_rows(w, CLICK_MARKS, rows, stop, err);
}
