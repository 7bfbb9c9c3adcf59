/*
 * traces_json.c - traces as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * As in text, sets of labels and locations are formatted once and copied into the samples.
 */
#include "config.h"

#include "base/buf.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/string_list.h"
#include "viewers/json/report_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct traces_json_writer {
	const struct report *r;
	struct string_list sets, locs;
};

/* Add the labels with or without a unit as an object; nothing if there are none. */
static void format_labels(const struct traces *t, uint32_t set, const char *key, bool is_number, struct buf *out)
{
	struct json j = { .out = out, .depth = 1, .is_one_line = true };
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
		jsonw_open_key(&j, l->key, '[');
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

static void format_location(const struct traces *t, uint32_t loc, struct buf *out)
{
	uint32_t last = t->frames.off[loc + 1];

	for (uint32_t i = t->frames.off[loc]; i < last; i++) {
		struct json j = { .out = out, .depth = 1, .is_one_line = true };

		if (i > t->frames.off[loc])
			buf_addz(out, ", ");
		jsonw_open(&j, '{');
		jsonw_add_text(&j, "name", t->name[t->frames.item[i]]);
		if (i + 1 < last) {
			jsonw_add_bool(&j, "inlined", true);
		}
		jsonw_close(&j, '}');
	}
}

static void *traces_json_start(const struct report *r)
{
	struct traces_json_writer *d = mem_zalloc(1, sizeof(*d));
	const struct traces *t = r->traces;

	d->r = r;
	for (uint32_t set = 0; set < t->n_sets; set++) {
		format_labels(t, set, "labels", false, &d->sets.all);
		format_labels(t, set, "num_labels", true, &d->sets.all);
		string_list_end(&d->sets);
	}
	for (uint32_t loc = 0; loc < t->frames.n; loc++) {
		format_location(t, loc, &d->locs.all);
		string_list_end(&d->locs);
	}
	return d;
}

static void traces_json_add_head(const struct report *r, struct buf *out)
{
	struct json j = { .out = out };

	jsonw_open(&j, '{');
	json_add_head(&j, &r->head);
	jsonw_open_key(&j, "label_units", '{');
	for (uint32_t i = 0; i < r->traces->n_units; i++) {
		jsonw_add_text(&j, r->traces->unit[i].key, r->traces->unit[i].unit);
	}
	jsonw_close(&j, '}');
	jsonw_open_key(&j, "samples", '[');
}

static void traces_json_add_sample(const struct traces_json_writer *d, uint32_t sample, struct buf *out)
{
	const struct traces *t = d->r->traces;
	const struct stack_lists *stacks = t->stacks;
	uint32_t stack = t->stack[sample], first = stacks->off[stack];
	char number[24];
	const char *text;
	size_t n;

	buf_addz(out, sample ? ",\n    {\"flat\": " : "\n    {\"flat\": ");
	n = (size_t)snprintf(number, sizeof(number), "%" PRId64, report_value(&d->r->head, t->value[sample]));
	buf_add(out, number, n);
	buf_addz(out, ", ");
	text = string_list_get(&d->sets, t->labels[sample], &n);
	buf_add(out, text, n);
	buf_addz(out, "\"frames\": [");
	for (uint32_t i = first; i < stacks->off[stack + 1]; i++) {
		if (i > first)
			buf_add(out, ", ", 2);
		text = string_list_get(&d->locs, stack_id_at(stacks, i), &n);
		buf_add(out, text, n);
	}
	buf_add(out, "]}", 2);
}

static void traces_json_draw(const void *writer, uint32_t lo, uint32_t hi, struct buf *out)
{
	const struct traces_json_writer *d = writer;

	if (lo == 0)
		traces_json_add_head(d->r, out);
	for (uint32_t i = lo; i < hi && !buf_is_stopped(); i++)
		traces_json_add_sample(d, i, out);
	if (hi == d->r->traces->n)
		buf_addz(out, hi ? "\n  ]\n}\n" : "]\n}\n");
}

static void traces_json_end(void *writer)
{
	struct traces_json_writer *d = writer;

	string_list_release(&d->sets);
	string_list_release(&d->locs);
	free(d);
}

const struct traces_viewer json_traces = { traces_json_start, traces_json_draw, traces_json_end };
