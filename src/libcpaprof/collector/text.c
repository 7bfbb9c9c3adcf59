/*
 * text.c - the texts of profiles, as Go's runtime/pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Readers take one from every address, of the first frame too, so one is added. At the end come the
 * mappings, which Go's have not: with them a reader finds names by itself.
 */
#include "config.h"

#include "libcpaprof/collector/text.h"

#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/order.h"
#include "libcpaprof/collector/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ADD_MAX = 512, ROWS_MAX = 1 << 24 };

static void flush(struct text *t)
{
	if (t->len && !t->error)
		t->error = t->sink(t->arg, t->buffer, t->len);
	t->len = 0;
}

void snap_text_put(struct text *t, const void *data, size_t n)
{
	while (n) {
		size_t part = n < TEXT_BUFFER - t->len ? n : TEXT_BUFFER - t->len;

		memcpy(t->buffer + t->len, data, part);
		t->len += part;
		data = (const char *)data + part;
		n -= part;
		if (t->len == TEXT_BUFFER)
			flush(t);
	}
}

void snap_text_add(struct text *t, const char *fmt, ...)
{
	char s[ADD_MAX];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(s, sizeof(s), fmt, args);
	va_end(args);
	if (n > 0)
		snap_text_put(t, s, (size_t)n < sizeof(s) ? (size_t)n : sizeof(s) - 1);
}

/* Terminals obey U+0080 to U+009F too, and some the bytes; U+202A to U+202E turn lines around. */
size_t snap_text_shown(const char *s, size_t n)
{
	size_t size = collect_character(s, n);
	unsigned char c = (unsigned char)*s;

	if (size == 0 || c < ' ' || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] < 0xa0))
		return 0;
	if (size == 3 && memcmp(s, "\xe2\x80", 2) == 0 && (unsigned char)s[2] >= 0xaa && (unsigned char)s[2] <= 0xae)
		return 0;
	return size;
}

void snap_text_safe(struct text *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t size = snap_text_shown(s + i, n - i);

		snap_text_put(t, size ? s + i : "?", size ? size : 1);
		i += size ? size : 1;
	}
}

/* A text as Go quotes it. */
static void quote(struct text *t, const char *s, size_t n)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";

	snap_text_put(t, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		const char *at = s[i] ? strchr(from, s[i]) : NULL;

		if (at)
			snap_text_add(t, "\\%c", to[at - from]);
		else if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			snap_text_add(t, "\\x%02x", (unsigned)s[i]);
		else if ((unsigned char)s[i] == 0xc2 && i + 1 < n && (unsigned char)s[i + 1] < 0xa0)
			snap_text_add(t, "\\u00%02x", (unsigned)(unsigned char)s[++i]);
		else
			snap_text_put(t, &s[i], 1);
	}
	snap_text_put(t, "\"", 1);
}

struct labelling {
	struct text *t;
	uint32_t n;
};

static int put_label(void *arg, const char *key, size_t n_key, const char *value, size_t n_value)
{
	struct labelling *l = arg;

	snap_text_add(l->t, l->n++ ? ", " : "{");
	quote(l->t, key, n_key);
	snap_text_add(l->t, ":");
	quote(l->t, value, n_value);
	return 0;
}

void snap_text_labels(struct text *t, uint32_t label)
{
	struct labelling l = { .t = t };

	collect_labels(t->s->p->c, label, put_label, &l);
	snap_text_add(t, l.n ? "}" : "{}");
}

/* " 0x..." There are millions. */
static void put_address(struct text *t, uint64_t addr)
{
	static const char digit[] = "0123456789abcdef";
	char s[19];
	char *at = s + sizeof(s);

	do {
		*--at = digit[addr & 15];
		addr >>= 4;
	} while (addr);
	*--at = 'x';
	*--at = '0';
	*--at = ' ';
	snap_text_put(t, at, (size_t)(s + sizeof(s) - at));
}

void snap_text_addresses(struct text *t, const struct snap_row *r)
{
	const struct table_loc *loc = t->s->p->table.loc.data;
	const uint32_t *frames = t->s->p->table.frames.data;

	for (uint32_t i = 0; i < r->n; i++)
		put_address(t, loc[frames[r->at + i]].addr + 1);
	if (r->n == 0)
		snap_text_add(t, " 0x1"); /* readers want one */
	snap_text_put(t, "\n", 1);
}

static void write_mappings(struct text *t)
{
	const struct maps *maps = &t->s->p->maps;
	const struct map *m = maps->map.data;
	const char *texts = maps->texts.data;

	snap_text_add(t, "\n--- Memory map: ---\n");
	for (size_t i = 0; i < maps->map.n; i++, m++) {
		snap_text_add(t, "0x%" PRIx64 "-0x%" PRIx64 " ", m->start, m->limit);
		snap_text_safe(t, texts + m->path, m->n_path);
		snap_text_add(t, " (@%" PRIx64 ")", m->offset);
		if (m->n_id)
			snap_text_add(t, " ");
		snap_text_put(t, texts + m->id, m->n_id);
		snap_text_put(t, "\n", 1);
	}
}

/* Two addresses as their texts compare, "0x10" before "0x2". */
static int compare_text(uint64_t a, uint64_t b)
{
	int digits_a = a ? 16 - __builtin_clzll(a) / 4 : 1, digits_b = b ? 16 - __builtin_clzll(b) / 4 : 1;

	a <<= 4 * (16 - digits_a);
	b <<= 4 * (16 - digits_b);
	if (a != b)
		return a < b ? -1 : 1;
	return digits_a - digits_b;
}

/* What comes first: more of the value that counts, then the text of the addresses. */
static int compare_rows(const struct snap *s, const struct snap_row *a, const struct snap_row *b)
{
	const struct table_loc *loc = s->p->table.loc.data;
	const uint32_t *frames = s->p->table.frames.data;
	bool heap = s->kind == SNAP_HEAP || s->kind == SNAP_ALLOCS;
	bool wait = s->kind == SNAP_BLOCK || s->kind == SNAP_MUTEX;
	int64_t x = heap ? a->raw[1] : a->value[wait], y = heap ? b->raw[1] : b->value[wait];

	if (x != y)
		return x > y ? -1 : 1;
	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		uint64_t of_a = loc[frames[a->at + i]].addr, of_b = loc[frames[b->at + i]].addr;

		if (of_a != of_b)
			return compare_text(of_a + 1, of_b + 1);
	}
	return a->n != b->n ? (a->n < b->n ? -1 : 1) : a->label < b->label ? -1 : a->label > b->label;
}

static int compare_ids(const void *arg, uint32_t a, uint32_t b)
{
	const struct text *t = arg;
	const struct snap_row *row = t->s->row.data;

	return compare_rows(t->s, &row[a], &row[b]);
}

static void each_row(struct text *t, void (*put_row)(struct text *t, const struct snap_row *r))
{
	const struct snap_row *row = t->s->row.data;
	size_t n = t->s->row.n;
	uint32_t *order = n ? order_make(n, compare_ids, t) : NULL;

	if (n && !order)
		t->error = -ENOMEM;
	for (size_t i = 0; order && i < n && !t->error; i++)
		put_row(t, &row[order[i]]);
	order_free(order, n);
}

static void put_count(struct text *t, const struct snap_row *r)
{
	snap_text_add(t, "%" PRId64 " @", r->value[0]);
	snap_text_addresses(t, r);
	if (r->label) {
		snap_text_add(t, "# labels: ");
		snap_text_labels(t, r->label);
		snap_text_put(t, "\n", 1);
	}
	snap_text_frames(t, r);
}

void snap_text_counts(struct text *t)
{
	const struct snap_row *row = t->s->row.data;
	int64_t total = 0;

	for (size_t i = 0; i < t->s->row.n; i++)
		if (__builtin_add_overflow(total, row[i].value[0], &total))
			total = INT64_MAX;
	snap_text_safe(t, t->s->name, strlen(t->s->name));
	snap_text_add(t, " profile: total %" PRId64 "\n", total);
	each_row(t, put_count);
}

static void put_heap(struct text *t, const struct snap_row *r)
{
	snap_text_add(t, "%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @", r->raw[0], r->raw[1], r->raw[2],
		      r->raw[3]);
	snap_text_addresses(t, r);
	snap_text_frames(t, r);
}

void snap_text_heap(struct text *t)
{
	const struct snap_row *row = t->s->row.data;
	int64_t total[SNAP_VALUES] = { 0 };

	for (size_t i = 0; i < t->s->row.n; i++)
		for (int k = 0; k < SNAP_VALUES; k++)
			if (__builtin_add_overflow(total[k], row[i].raw[k], &total[k]))
				total[k] = INT64_MAX - 1;
	/* pprof takes a profile whose two pairs are the same for one that has one pair */
	total[3] += total[1] == total[3];
	snap_text_add(t, "heap profile: %" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @ ", total[0], total[1],
		      total[2], total[3]);
	/* what Go calls heap/2N; google-pprof divides by zero there when a row has nothing in use */
	if (t->s->gperf)
		snap_text_add(t, "heap_v2/%" PRIu64 "\n", t->s->period);
	else
		snap_text_add(t, "heap/%" PRIu64 "\n", 2 * t->s->period);
	each_row(t, put_heap);
	snap_text_memory(t);
}

static void put_wait(struct text *t, const struct snap_row *r)
{
	snap_text_add(t, "%" PRId64 " %" PRId64 " @", r->value[1], r->value[0]);
	snap_text_addresses(t, r);
	snap_text_frames(t, r);
}

void snap_text_contention(struct text *t)
{
	snap_text_add(t, "--- %s:\ncycles/second=1000000000\n", t->s->kind == SNAP_MUTEX ? "mutex" : "contention");
	/* values stand for all already; readers multiply by this */
	if (t->s->kind == SNAP_MUTEX)
		snap_text_add(t, "sampling period=1\n");
	each_row(t, put_wait);
}

/* A snap of which each row is another stack, whatever the threads. */
static int stacks_of(const struct snap *s, struct snap *out)
{
	struct snap_row sum;

	*out = *s;
	out->row = (struct vec){ 0 };
	for (size_t i = 0; snap_next_stack(s, &i, &sum);) {
		struct snap_row *to = vec_room(&out->row, 1, sizeof(*to), ROWS_MAX);

		if (!to)
			return -ENOMEM;
		*to = sum;
		out->row.n++;
	}
	return 0;
}

static void write_form(struct text *t, int debug)
{
	switch (t->s->kind) {
	case SNAP_HEAP:
	case SNAP_ALLOCS:
		snap_text_heap(t);
		break;
	case SNAP_BLOCK:
	case SNAP_MUTEX:
		snap_text_contention(t);
		break;
	case SNAP_THREADS:
		if (debug > 1) {
			snap_text_threads(t);
			return;
		}
		/* fall through */
	default:
		snap_text_counts(t);
	}
	write_mappings(t);
}

int snap_write_text(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink,
		    void *arg)
{
	struct text *t = memory_map(sizeof(*t));
	struct snap stacks = *s;
	int rc;

	if (!t)
		return -ENOMEM;
	t->s = s;
	t->names = names;
	t->names_arg = names_arg;
	t->sink = sink;
	t->arg = arg;
	if (s->kind == SNAP_THREADS && debug == 1) {
		t->error = stacks_of(s, &stacks);
		t->s = &stacks;
	}
	write_form(t, debug);
	flush(t);
	rc = t->error;
	if (t->s == &stacks)
		vec_release(&stacks.row, sizeof(struct snap_row));
	snap_text_release_frames(t);
	memory_unmap(t, sizeof(*t));
	return rc;
}
