/*
 * dot_label.c - the text in the boxes of a call graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/dot_int.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "engine/shorten.h"
#include "report/head.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name with a new line for every part of it. */
static void add_name_lines(struct buf *out, const char *name)
{
	static const char any[] = "[...]";
	struct buf shortened = { 0 }, safe = { 0 }, quoted = { 0 };
	const char *s;

	shorten_add(&shortened, name);
	utf8_add_safe(&safe, buf_text(&shortened), shortened.len);
	dot_add_text(&quoted, buf_text(&safe), safe.len, "\\l");
	for (s = buf_text(&quoted); *s; s++) {
		if (starts_with(s, any)) {
			buf_addz(out, "[…]"); /* what Go prints for type parameters */
			s += sizeof(any) - 2;
		} else if (*s == '.' || starts_with(s, "::")) {
			buf_addz(out, "\\n");
			s += *s == ':';
		} else {
			buf_add(out, s, 1);
		}
	}
	buf_release(&quoted);
	buf_release(&safe);
	buf_release(&shortened);
}

static void add_base(struct buf *out, const char *path)
{
	struct buf base = { 0 }, safe = { 0 };

	path_add_base(&base, path);
	utf8_add_safe(&safe, base.data, base.len);
	dot_add_text(out, safe.data, safe.len, "\\l");
	buf_release(&safe);
	buf_release(&base);
}

void dot_add_label(const struct net *net, uint32_t node, struct buf *out)
{
	const struct places *pl = &net->places;
	uint32_t at = nodes_place(&net->nodes, node);
	const struct place *k = &pl->place[at];
	const char *file = places_file(pl, at);

	if (k->addr)
		buf_addf(out, "%016" PRIx64 "\\n", k->addr);
	if (k->name) {
		add_name_lines(out, report_head_text(pl->p, k->name, net->names.mem));
		buf_addz(out, "\\n");
	}
	if (k->line) {
		if (*file)
			add_base(out, file);
		buf_addf(out, ":%" PRId64, k->line);
		if (k->col)
			buf_addf(out, ":%" PRId64, k->col);
		buf_addz(out, "\\n");
	} else if (*file) {
		add_base(out, file);
		buf_addz(out, "\\n");
	} else if (!k->name && k->objfile) {
		buf_addz(out, "[");
		add_base(out, report_head_text(pl->p, k->objfile, net->names.mem));
		buf_addz(out, "]\\n");
	} else if (!k->name) {
		buf_addz(out, "<unknown>\\n");
	}
}

/* A node's boxes being written. */
struct nodelets {
	const struct head *h;
	bool by_flat;
	struct buf *out;
	bool any;
};

static int by_flat_weight(const void *a, const void *b)
{
	return tags_compare(*(const struct tag *const *)a, *(const struct tag *const *)b, true);
}

static int by_cum_weight(const void *a, const void *b)
{
	return tags_compare(*(const struct tag *const *)a, *(const struct tag *const *)b, false);
}

static void sort_tags(const struct tag **tag, size_t n, bool by_flat)
{
	if (n)
		qsort(tag, n, sizeof(*tag), by_flat ? by_flat_weight : by_cum_weight);
}

static double distance(const struct tag *t, const struct tag *seed)
{
	const char *unit;
	double v = unit_scale(seed->value, seed->unit, t->unit, &unit), own = (double)t->value;

	return v < own ? own - v : v - own;
}

/* Numbers drawn as one box. */
struct group {
	struct tag sum; /* name is its label; weights are divided */
	const struct tag *min, *max, *seed;
	bool several;
};

static void group_add(struct group *g, const struct tag *t)
{
	if (!g->seed) {
		*g = (struct group){ .sum = *t, .min = t, .max = t, .seed = t };
		return;
	}
	if (t->value < g->min->value) /* numbers of one key have one unit */
		g->min = t;
	if (t->value > g->max->value)
		g->max = t;
	g->sum.flat = num_add_capped(g->sum.flat, t->flat);
	g->sum.cum = num_add_capped(g->sum.cum, t->cum);
	g->sum.flat_div = num_add_capped(g->sum.flat_div, t->flat_div);
	g->sum.cum_div = num_add_capped(g->sum.cum_div, t->cum_div);
	g->several = true;
}

static void group_finish(struct group *g, struct buf *label)
{
	unit_add_label(label, g->min->value, g->min->unit, "auto");
	if (g->several) {
		buf_addz(label, "..");
		unit_add_label(label, g->max->value, g->max->unit, "auto");
	}
	g->sum.flat = nodes_mean(g->sum.flat, g->sum.flat_div);
	g->sum.cum = nodes_mean(g->sum.cum, g->sum.cum_div);
	g->sum.flat_div = g->sum.cum_div = 0;
	g->sum.name = buf_text(label);
}

static void add_box(struct nodelets *x, const char *source, const char *id, const struct tag *t, int64_t weight,
		    const char *style)
{
	struct buf w = { 0 };

	dot_add_value(x->h, weight, &w);
	buf_addf(x->out, "%s [label = \"", id);
	dot_add_text(x->out, t->text, strlen(t->text), "\\n");
	buf_addf(x->out, "\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"%s\"]\n", id, buf_text(&w));
	buf_addf(x->out, "%s -> %s [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"%s]\n", source, id,
		 buf_text(&w), buf_text(&w), buf_text(&w), style);
	buf_release(&w);
	x->any = true;
}

static void add_number_boxes(struct nodelets *x, const struct tag **tag, size_t n, const char *source)
{
	for (size_t i = 0; i < n; i++) {
		int64_t flat = nodes_mean(tag[i]->flat, tag[i]->flat_div);
		int64_t cum = nodes_mean(tag[i]->cum, tag[i]->cum_div);
		bool whole = x->by_flat || flat == cum;
		char id[64];

		snprintf(id, sizeof(id), "N%s_%zu", source, i);
		if (whole ? flat : cum)
			add_box(x, source, id, tag[i], whole ? flat : cum, whole ? "" : " style=\"dotted\"");
	}
}

/* The numbers under a label: each its box, or the nearest ones together when there are many. */
static void add_numbers(struct nodelets *x, const struct tag **tag, size_t n, const char *source)
{
	struct group group[NET_LABELS] = { 0 };
	struct buf label[NET_LABELS] = { 0 };
	const struct tag *sum[NET_LABELS];

	sort_tags(tag, n, x->by_flat);
	if (n <= NET_LABELS) {
		add_number_boxes(x, tag, n, source);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		int best = i < NET_LABELS ? (int)i : 0;

		for (int g = 1; i >= NET_LABELS && g < NET_LABELS; g++)
			if (distance(tag[i], group[g].seed) < distance(tag[i], group[best].seed))
				best = g;
		group_add(&group[best], tag[i]);
	}
	for (int g = 0; g < NET_LABELS; g++) {
		group_finish(&group[g], &label[g]);
		group[g].sum.text = group[g].sum.name;
		sum[g] = &group[g].sum;
	}
	sort_tags(sum, NET_LABELS, x->by_flat);
	add_number_boxes(x, sum, NET_LABELS, source);
	for (int g = 0; g < NET_LABELS; g++)
		buf_release(&label[g]);
}

/* The tags of a node under a label; gives how many. */
static size_t pick_tags(const struct tag *tag, size_t n, bool numbers, uint32_t label, const struct tag **out)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (tag[i].is_number == numbers && (!numbers || tag[i].label == label))
			out[found++] = &tag[i];
	return found;
}

bool dot_add_nodelets(const struct net *net, const struct head *h, uint32_t node, struct buf *out)
{
	const struct tag *tag = net->tags.tag + net->tags.off[node];
	size_t n = net->tags.off[node + 1] - net->tags.off[node], n_labels;
	const struct tag **label = mem_alloc(n, sizeof(*label)), **number = mem_alloc(n, sizeof(*number));
	struct nodelets x = { .h = h, .by_flat = net->out.off[node] < net->out.off[node + 1], .out = out };
	char source[32], id[64];

	snprintf(source, sizeof(source), "N%" PRIu32, net->position[node]);
	n_labels = pick_tags(tag, n, false, 0, label);
	sort_tags(label, n_labels, x.by_flat);
	for (size_t i = 0; i < n_labels && i < NET_LABELS; i++) {
		const struct tag *t = label[i];
		int64_t weight = x.by_flat ? nodes_mean(t->flat, t->flat_div) : nodes_mean(t->cum, t->cum_div);

		if (weight == 0)
			continue;
		snprintf(id, sizeof(id), "%s_%zu", source, i);
		add_box(&x, source, id, t, weight, "");
		add_numbers(&x, number, pick_tags(tag, n, true, t->label, number), id);
	}
	add_numbers(&x, number, pick_tags(tag, n, true, 0, number), source);
	free(label);
	free(number);
	return x.any;
}
