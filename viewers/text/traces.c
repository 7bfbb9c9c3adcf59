/*
 * traces.c - traces as pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samples are assembled from preformatted parts: the lines of a set of labels, and the lines of a location. The first
 * line of a location begins with blanks, which the value of the sample replaces if the location is its leaf.
 */
#include "config.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/string_list.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/text/text.h"
#include "viewers/text/text_int.h"

#include <stdlib.h>
#include <string.h>

#define SEPARATOR "-----------+-------------------------------------------------------\n"

enum { COLUMN = 10 };

struct text_traces_writer {
	const struct report *r;
	struct string_list sets, locs;
};

static void add_column(struct buf *out, const char *text, size_t n)
{
	size_t width = utf8_count(text, n);

	buf_fill(out, ' ', width < COLUMN ? COLUMN - width : 0);
	buf_add(out, text, n);
}

static int by_line(const void *a, const void *b)
{
	const struct buf *l = a, *r = b;
	int c = memcmp(l->data, r->data, l->len < r->len ? l->len : r->len);

	return c ? c : l->len < r->len ? -1 : l->len > r->len;
}

static void text_traces_add_label(const struct traces *t, const struct trace_label *l, struct buf *out)
{
	add_column(out, l->key, strlen(l->key));
	buf_addz(out, ": ");
	for (uint32_t i = l->lo; i < l->hi; i++) {
		buf_add(out, " ", 1);
		if (l->unit)
			unit_add_label(out, t->value_of_label[i].number, l->unit, "auto");
		else
			buf_addz(out, t->value_of_label[i].text);
	}
	buf_add(out, "\n", 1);
}

/* Append the lines of some labels, sorted as printed, which may differ from the order of keys. */
static void text_traces_add_sorted(const struct traces *t, const struct trace_label *label, uint32_t n, struct buf *out)
{
	struct buf *line = mem_zalloc(n, sizeof(*line));

	for (uint32_t i = 0; i < n; i++)
		text_traces_add_label(t, &label[i], &line[i]);
	qsort(line, n, sizeof(*line), by_line);
	for (uint32_t i = 0; i < n; i++) {
		utf8_add_safe(out, line[i].data, line[i].len - 1);
		buf_add(out, "\n", 1);
		buf_release(&line[i]);
	}
	free(line);
}

static void format_sets(struct text_traces_writer *d)
{
	const struct traces *t = d->r->traces;

	for (uint32_t set = 0; set < t->n_sets; set++) {
		const struct trace_label *label = t->label + t->set_off[set];
		uint32_t n = t->set_off[set + 1] - t->set_off[set], n_texts = 0;

		while (n_texts < n && !label[n_texts].unit)
			n_texts++;
		text_traces_add_sorted(t, label, n_texts, &d->sets.all);
		text_traces_add_sorted(t, label + n_texts, n - n_texts, &d->sets.all);
		string_list_end(&d->sets);
	}
}

static void format_locations(struct text_traces_writer *d)
{
	const struct traces *t = d->r->traces;

	for (uint32_t loc = 0; loc < t->frames.n; loc++) {
		for (uint32_t i = t->frames.off[loc]; i < t->frames.off[loc + 1]; i++) {
			const char *mark = i + 1 < t->frames.off[loc + 1] ? " (inline)" : "";

			buf_fill(&d->locs.all, ' ', COLUMN + 3);
			text_add_name(&d->r->head, t->name[t->frames.item[i]], strlen(mark), &d->locs.all);
			buf_addf(&d->locs.all, "%s\n", mark);
		}
		string_list_end(&d->locs);
	}
}

static void *text_traces_start(const struct report *r)
{
	struct text_traces_writer *d = mem_zalloc(1, sizeof(*d));

	d->r = r;
	format_sets(d);
	format_locations(d);
	return d;
}

/* Cache of formatted values, since most samples have one of a few values. */
struct recent {
	int64_t value;
	uint8_t n; /* 0: empty */
	char text[55];
};

enum { N_RECENT = 256 };

static void text_traces_add_value(const struct head *h, int64_t value, struct recent *recent, struct buf *out)
{
	struct recent *slot = &recent[hash_u64((uint64_t)value) % N_RECENT];
	struct buf text = { 0 };

	if (slot->n && slot->value == value) {
		buf_add(out, slot->text, slot->n);
		return;
	}
	text_add_value(h, value, COLUMN, &text);
	buf_add(out, text.data, text.len);
	if (text.len <= sizeof(slot->text)) {
		slot->value = value;
		slot->n = (uint8_t)text.len;
		memcpy(slot->text, text.data, text.len);
	}
	buf_release(&text);
}

static void text_traces_add_frames(const struct text_traces_writer *d, uint32_t stack, struct buf *out)
{
	enum { AHEAD = 6 };
	const struct stack_lists *stacks = d->r->traces->stacks;
	uint32_t end = stacks->off[stack + 1];
	size_t n, skip = COLUMN;

	for (uint32_t i = stacks->off[stack]; i < end; i++, skip = 0) {
		const char *text = string_list_get(&d->locs, stack_id_at(stacks, i), &n);

		if (end - i > AHEAD)
			__builtin_prefetch(string_list_get(&d->locs, stack_id_at(stacks, i + AHEAD), &(size_t){ 0 }));
		buf_add(out, text + skip, n - skip);
	}
}

static void text_traces_draw(const void *writer, uint32_t lo, uint32_t hi, struct buf *out)
{
	const struct text_traces_writer *d = writer;
	const struct traces *t = d->r->traces;
	struct recent recent[N_RECENT] = { 0 };
	size_t before = out->len;

	if (lo == 0) {
		text_add_profile(&d->r->head, out);
		if (out->len == before)
			buf_add(out, "\n", 1);
	}
	for (uint32_t i = lo; i < hi && !buf_is_stopped(); i++) {
		size_t n;
		const char *labels = string_list_get(&d->sets, t->labels[i], &n);

		buf_add(out, SEPARATOR, sizeof(SEPARATOR) - 1);
		buf_add(out, labels, n);
		text_traces_add_value(&d->r->head, t->value[i], recent, out);
		text_traces_add_frames(d, t->stack[i], out);
	}
	if (hi == t->n)
		buf_addz(out, SEPARATOR);
}

static void text_traces_end(void *writer)
{
	struct text_traces_writer *d = writer;

	string_list_release(&d->sets);
	string_list_release(&d->locs);
	free(d);
}

const struct traces_viewer text_traces = { text_traces_start, text_traces_draw, text_traces_end };
