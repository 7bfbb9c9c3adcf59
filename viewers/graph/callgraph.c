/*
 * callgraph.c - a call graph as boxes and arrows: texts, sizes and colours
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/graph/callgraph.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "engine/shorten.h"
#include "report/head.h"
#include "viewers/graph/callgraph_int.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FONT_MIN = 8, FONT_GROWTH = 16 };

void callgraph_add_value(const struct callgraph *g, int64_t value, struct buf *out)
{
	struct buf text = { 0 };

	report_add_value(&g->r->head, value, &text);
	utf8_add_safe(out, buf_text(&text), text.len);
	buf_release(&text);
}

int64_t callgraph_weight(const struct edge *call)
{
	return nodes_mean(call->weight, call->div);
}

/* Append a name with a line break after every part. */
static void add_name_lines(struct buf *out, const char *name)
{
	static const char has_any[] = "[...]";
	struct buf shortened = { 0 }, safe = { 0 };
	const char *s;

	shorten_add(&shortened, name);
	utf8_add_safe(&safe, buf_text(&shortened), shortened.len);
	for (s = buf_text(&safe); *s; s++) {
		if (starts_with(s, has_any)) {
			buf_addz(out, "[…]"); /* Go's notation for type parameters */
			s += sizeof(has_any) - 2;
		} else if (*s == '.' || starts_with(s, "::")) {
			buf_add(out, "\n", 1);
			s += *s == ':';
		} else {
			buf_add(out, s, 1);
		}
	}
	buf_release(&safe);
	buf_release(&shortened);
}

static void add_base(struct buf *out, const char *path)
{
	struct buf base = { 0 };

	path_add_base(&base, path);
	utf8_add_safe(out, buf_text(&base), base.len);
	buf_release(&base);
}

/* Append the name of a node, split into lines, each ending in \n. Like pprof multilinePrintableName. */
static void callgraph_add_name(const struct net *net, uint32_t node, struct buf *out)
{
	const struct places *pl = &net->places;
	uint32_t at = nodes_place(&net->nodes, node);
	const struct place *k = &pl->place[at];
	const char *file = places_file(pl, at);

	if (k->addr)
		buf_addf(out, "%016" PRIx64 "\n", k->addr);
	if (k->name) {
		add_name_lines(out, report_head_text(pl->p, k->name, net->names.mem));
		buf_add(out, "\n", 1);
	}
	if (k->line) {
		if (*file)
			add_base(out, file);
		buf_addf(out, ":%" PRId64, k->line);
		if (k->col)
			buf_addf(out, ":%" PRId64, k->col);
		buf_add(out, "\n", 1);
	} else if (*file) {
		add_base(out, file);
		buf_add(out, "\n", 1);
	} else if (!k->name && k->objfile) {
		buf_addz(out, "[");
		add_base(out, report_head_text(pl->p, k->objfile, net->names.mem));
		buf_addz(out, "]\n");
	} else if (!k->name) {
		buf_addz(out, "<unknown>\n");
	}
}

/* Append "VALUE (PERCENT)". */
static void callgraph_add_share(const struct callgraph *g, int64_t value, struct buf *out)
{
	callgraph_add_value(g, value, out);
	buf_addz(out, " (");
	unit_add_percent_trimmed(out, value, g->r->head.total);
	buf_addz(out, ")");
}

/* Append "FLAT (PERCENT)", followed by "of CUM (PERCENT)" if cum differs. */
static void callgraph_add_weights(const struct callgraph *g, int64_t flat, int64_t cum, struct buf *out)
{
	if (flat == 0)
		buf_addz(out, "0");
	else
		callgraph_add_share(g, flat, out);
	if (cum == flat)
		return;
	buf_addz(out, flat ? "\nof " : " of ");
	callgraph_add_share(g, cum, out);
}

void callgraph_add_text(const struct callgraph *g, const struct callgraph_box *b, struct buf *out)
{
	const char *line = b->label;

	if (!line) {
		callgraph_add_name(g->net, g->net->shown.node[b->node], out);
		callgraph_add_weights(g, b->flat, b->weight, out);
		return;
	}
	for (;; line++) {
		size_t n = strcspn(line, "\n");

		utf8_add_safe(out, line, n);
		line += n;
		if (!*line)
			return;
		buf_add(out, "\n", 1);
	}
}

int callgraph_thickness(const struct callgraph *g, int64_t weight, int max)
{
	int64_t total = g->r->head.total;
	__int128 share = total ? (__int128)weight * max / total : 0;

	share = share < 0 ? -share : share;
	return 1 + (int)(share < max ? share : max);
}

static double callgraph_share_of(const struct callgraph *g, int64_t value)
{
	return (double)value / (double)num_abs(g->r->head.total); /* may be NaN */
}

uint32_t callgraph_color(const struct callgraph *g, int64_t value_of, bool is_light)
{
	double share = callgraph_share_of(g, value_of), saturation = is_light ? 0.1 : 1, value = is_light ? 0.93 : 0.7;
	double size = isnan(share) ? 1 : fmin(fabs(share), 1), shift = isnan(share) ? 1 / saturation : pow(size, 0.3);
	double weak;

	if (size < 0.2)
		saturation *= size / 0.2;
	weak = value * (1 - saturation * shift);
	if (share < 0)
		return (uint32_t)(weak * 255) << 16 | (uint32_t)(weak * 255) << 8 | (uint32_t)(value * 255);
	return (uint32_t)(value * 255) << 16 | (uint32_t)(weak * 255) << 8 | (uint32_t)(value * (1 - saturation) * 255);
}

int callgraph_step(const struct callgraph *g, int64_t value)
{
	double share = callgraph_share_of(g, value);
	double size = isnan(share) ? 0 : sqrt(fmin(fabs(share), 1));
	int step = (int)lround(size * CALLGRAPH_STEPS);

	return share < 0 ? -step : step;
}

uint32_t callgraph_add_box(struct callgraph_builder *b, struct callgraph_box box)
{
	b->box = mem_grow(b->box, &b->cap, b->n + 1, sizeof(*b->box));
	box.id = arena_strndup(b->mem, box.id, strlen(box.id));
	b->box[b->n] = box;
	return (uint32_t)b->n++;
}

/* The size of the text of a node: the square root of its share of the largest flat. */
static int font_of(int64_t flat, double max_flat)
{
	return FONT_MIN + (flat ? (int)ceil(FONT_GROWTH * sqrt((double)num_abs(flat) / max_flat)) : 0);
}

static void callgraph_add_calls(const struct net *net, struct arena *mem, struct callgraph *out)
{
	out->call = arena_alloc(mem, net->edges.n, sizeof(*out->call));
	for (size_t i = 0; i < net->edges.n; i++) {
		const struct edge *e = &net->edges.edge[i];

		if (net->position[e->src] && net->position[e->dst])
			out->call[out->n_calls++] = e;
	}
}

void callgraph_make(const struct net *net, const struct report *r, struct arena *mem, struct callgraph *out)
{
	struct callgraph_builder b = { .net = net, .mem = mem };
	double max_flat = 0;

	assert(net->is_picture);
	*out = (struct callgraph){ .net = net, .r = r, .box_of = arena_alloc(mem, net->shown.n, sizeof(*out->box_of)) };
	for (uint32_t i = 0; i < net->shown.n; i++)
		max_flat = fmax(max_flat, (double)num_abs(nodes_flat(&net->nodes, net->shown.node[i])));
	for (uint32_t i = 0; i < net->shown.n; i++) {
		int64_t flat = nodes_flat(&net->nodes, net->shown.node[i]);
		struct callgraph_box box = { .node = i,
					     .weight = nodes_cum(&net->nodes, net->shown.node[i]),
					     .flat = flat,
					     .font = font_of(flat, max_flat) };
		char id[16];

		snprintf(id, sizeof(id), "N%" PRIu32, i + 1);
		box.id = id;
		out->box_of[i] = callgraph_add_box(&b, box);
		if (callgraph_add_labels(&b, out->box_of[i]))
			b.box[out->box_of[i]].has_labels = true;
	}
	out->box = arena_own(mem, b.box);
	out->n = (uint32_t)b.n;
	callgraph_add_calls(net, mem, out);
}
