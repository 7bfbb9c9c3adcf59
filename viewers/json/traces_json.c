/*
 * traces_json.c - traces as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * As in text, what is said about a set of labels and about a location is spelt once and copied into
 * the samples.
 */
#include "config.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/texts.h"
#include "viewers/json/report_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct drawing {
	const struct report *r;
	struct texts sets, locs;
};

/* The labels with a unit, or those without, as an object; nothing when there are none. */
static void spell_labels(const struct traces *t, uint32_t set, const char *key, bool is_number, struct buf *out)
{
	struct json j = { .out = out, .depth = 1, .tight = true };
	bool any = false;

	for (uint32_t i = t->set_off[set]; i < t->set_off[set + 1]; i++) {
		const struct trace_label *l = &t->label[i];

		if ((l->unit != NULL) != is_number)
			continue;
		if (!any) {
			buf_addf(out, "\"%s\": ", key);
			jsonw_open(&j, '{');
		}
		any = true;
		jsonw_key(&j, l->key);
		jsonw_open(&j, '[');
		for (uint32_t k = l->lo; k < l->hi; k++) {
			if (is_number)
				jsonw_int(&j, t->value_of_label[k].number);
			else
				jsonw_textz(&j, t->value_of_label[k].text);
		}
		jsonw_close(&j, ']');
	}
	if (any) {
		jsonw_close(&j, '}');
		buf_addz(out, ", ");
	}
}

static void spell_location(const struct traces *t, uint32_t loc, struct buf *out)
{
	uint32_t last = t->frames.off[loc + 1];

	for (uint32_t i = t->frames.off[loc]; i < last; i++) {
		struct json j = { .out = out, .depth = 1, .tight = true };

		if (i > t->frames.off[loc])
			buf_addz(out, ", ");
		jsonw_open(&j, '{');
		jsonw_key(&j, "name");
		jsonw_textz(&j, t->name[t->frames.item[i]]);
		if (i + 1 < last) {
			jsonw_key(&j, "inline");
			jsonw_bool(&j, true);
		}
		jsonw_close(&j, '}');
	}
}

static void *start(const struct report *r)
{
	struct drawing *d = mem_zalloc(1, sizeof(*d));
	const struct traces *t = r->traces;

	d->r = r;
	for (uint32_t set = 0; set < t->n_sets; set++) {
		spell_labels(t, set, "labels", false, &d->sets.all);
		spell_labels(t, set, "num_labels", true, &d->sets.all);
		texts_end(&d->sets);
	}
	for (uint32_t loc = 0; loc < t->frames.n; loc++) {
		spell_location(t, loc, &d->locs.all);
		texts_end(&d->locs);
	}
	return d;
}

static void add_head(const struct report *r, struct buf *out)
{
	struct json j = { .out = out };

	jsonw_open(&j, '{');
	json_add_head(&j, &r->head);
	jsonw_key(&j, "label_units");
	jsonw_open(&j, '{');
	for (uint32_t i = 0; i < r->traces->n_units; i++) {
		jsonw_key(&j, r->traces->unit[i].key);
		jsonw_textz(&j, r->traces->unit[i].unit);
	}
	jsonw_close(&j, '}');
	jsonw_key(&j, "samples");
	jsonw_open(&j, '[');
}

static void add_sample(const struct drawing *d, uint32_t sample, struct buf *out)
{
	const struct traces *t = d->r->traces;
	const struct csr *stacks = t->stacks;
	uint32_t stack = t->stack[sample], first = stacks->off[stack];
	char number[24];
	const char *text;
	size_t n;

	buf_addz(out, sample ? ",\n    {\"value\": " : "\n    {\"value\": ");
	n = (size_t)snprintf(number, sizeof(number), "%" PRId64, report_value(&d->r->head, t->value[sample]));
	buf_add(out, number, n);
	buf_addz(out, ", ");
	text = texts_at(&d->sets, t->labels[sample], &n);
	buf_add(out, text, n);
	buf_addz(out, "\"frames\": [");
	for (uint32_t i = first; i < stacks->off[stack + 1]; i++) {
		if (i > first)
			buf_add(out, ", ", 2);
		text = texts_at(&d->locs, stacks->item[i], &n);
		buf_add(out, text, n);
	}
	buf_add(out, "]}", 2);
}

static void draw(const void *drawing, uint32_t lo, uint32_t hi, struct buf *out)
{
	const struct drawing *d = drawing;

	if (lo == 0)
		add_head(d->r, out);
	for (uint32_t i = lo; i < hi; i++)
		add_sample(d, i, out);
	if (hi == d->r->traces->n)
		buf_addz(out, hi ? "\n  ]\n}\n" : "]\n}\n");
}

static void end(void *drawing)
{
	struct drawing *d = drawing;

	texts_release(&d->sets);
	texts_release(&d->locs);
	free(d);
}

const struct traces_viewer json_traces = { start, draw, end };
