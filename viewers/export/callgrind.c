/*
 * callgrind.c - a profile for kcachegrind
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * See "Callgrind Format Specification" in the Valgrind manual: names are written once and then referenced by number,
 * addresses are relative to the previous line.
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "engine/net.h"
#include "report/head.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number to distinguish functions with the same name and file. */
struct callgrind_alias {
	uint32_t number, of; /* number is in [1, of]; of is 0 for a unique name */
};

struct callgrind_writer {
	const struct net *net;
	const struct head *h;
	struct buf *out;
	struct strtab *objects, *files, *names;
	struct callgrind_alias *alias; /* [nodes] */
	bool has_prev;
	uint64_t prev; /* address of the previous line */
};

/* Append "(N) name" at the first use of a name, then "(N)"; nothing for an empty name. */
static void callgrind_add_name(struct callgrind_writer *w, const char *key, struct strtab *seen, const char *name)
{
	uint32_t before = strtab_count(seen);
	str_id id;

	buf_addz(w->out, key);
	if (*name) {
		id = strtab_addz(seen, name);
		buf_addf(w->out, "(%" PRIu32 ")", id);
		if (id == before) {
			buf_add(w->out, " ", 1);
			utf8_add_safe(w->out, name, strlen(name));
		}
	}
	buf_add(w->out, "\n", 1);
}

static void callgrind_add_address(struct callgrind_writer *w, uint64_t addr)
{
	char absolute[24], relative[24];
	int n = snprintf(absolute, sizeof(absolute), addr ? "%#" PRIx64 : "0x%" PRIx64, addr);

	if (w->has_prev && addr == w->prev) {
		buf_addz(w->out, "*");
		return;
	}
	if (w->has_prev && snprintf(relative, sizeof(relative), "%+" PRId64, (int64_t)(addr - w->prev)) < n)
		buf_addz(w->out, relative);
	else
		buf_addz(w->out, absolute);
}

static int64_t whole_value(const struct head *h, int64_t value)
{
	const char *unit;

	return num_trunc(unit_scale(report_value(h, value), h->unit, h->out_unit, &unit));
}

static const struct place *callgrind_place_of(const struct callgrind_writer *w, uint32_t node)
{
	return &w->net->places.place[nodes_place(&w->net->nodes, node)];
}

static const struct place_detail *callgrind_detail_of(const struct callgrind_writer *w, uint32_t node)
{
	return places_detail(&w->net->places, nodes_place(&w->net->nodes, node));
}

static const char *callgrind_file_of(const struct callgrind_writer *w, uint32_t node)
{
	return places_file(&w->net->places, nodes_place(&w->net->nodes, node));
}

static const char *callgrind_text_of(const struct callgrind_writer *w, str_id id)
{
	return report_head_text(w->net->places.p, id, w->net->names.mem);
}

/* Append a callee, with its alias. */
static void add_callee(struct callgrind_writer *w, uint32_t node)
{
	const struct callgrind_alias *a = &w->alias[node];
	struct buf name = { 0 };

	buf_addz(&name, callgrind_text_of(w, callgrind_place_of(w, node)->name));
	if (a->of)
		buf_addf(&name, " [%" PRIu32 "/%" PRIu32 "]", a->number, a->of);
	callgrind_add_name(w, "cfn=", w->names, buf_text(&name));
	buf_release(&name);
}

static bool same_block(const struct callgrind_writer *w, uint32_t a, uint32_t b)
{
	const struct place *l = callgrind_place_of(w, a), *r = callgrind_place_of(w, b);

	return callgrind_detail_of(w, a)->objfile == callgrind_detail_of(w, b)->objfile && l->file == r->file &&
	       l->name == r->name;
}

static void callgrind_add_block(struct callgrind_writer *w, uint32_t node)
{
	buf_add(w->out, "\n", 1);
	callgrind_add_name(w, "ob=", w->objects, callgrind_text_of(w, callgrind_detail_of(w, node)->objfile));
	callgrind_add_name(w, "fl=", w->files, callgrind_file_of(w, node));
	callgrind_add_name(w, "fn=", w->names,
			   callgrind_text_of(w, callgrind_place_of(w, node)->name)); /* like pprof, without a number */
}

static void callgrind_add_call(struct callgrind_writer *w, const struct edge *e)
{
	callgrind_add_name(w, "cfl=", w->files, callgrind_file_of(w, e->dst));
	add_callee(w, e->dst);
	buf_addz(w->out, "calls=0 ");
	callgrind_add_address(w, callgrind_detail_of(w, e->dst)->addr);
	buf_addf(w->out, " %" PRId64 "\n* * %" PRId64 "\n", callgrind_detail_of(w, e->dst)->line,
		 whole_value(w->h, nodes_mean(e->weight, e->div)));
}

static void callgrind_add_node(struct callgrind_writer *w, uint32_t node)
{
	const struct net *net = w->net;
	uint64_t addr = callgrind_detail_of(w, node)->addr;

	callgrind_add_address(w, addr);
	buf_addf(w->out, " %" PRId64 " %" PRId64 "\n", callgrind_detail_of(w, node)->line,
		 whole_value(w->h, nodes_flat(&net->nodes, node)));
	for (size_t i = net->out.off[node]; i < net->out.off[node + 1]; i++)
		callgrind_add_call(w, &net->edges.edge[net->out.call[i]]);
	w->has_prev = true;
	w->prev = addr;
}

/* The key of a function. In a tree it includes the parent. */
struct callgrind_function {
	str_id name, objfile;
	uint32_t file, parent;
	int64_t start;
	uint32_t number; /* number among the functions with its name and file */
	uint32_t first;  /* the first function with its name and file */
	uint32_t of;     /* number of these functions, set in the first one */
};

struct callgrind_functions {
	struct callgrind_function *f;
	uint32_t n;
	size_t cap;
	struct idtab ids, names;
};

static bool callgrind_same_name(const struct callgrind_function *a, const struct callgrind_function *b)
{
	return a->name == b->name && a->file == b->file;
}

static bool same_function(const struct callgrind_function *a, const struct callgrind_function *b)
{
	return callgrind_same_name(a, b) && a->objfile == b->objfile && a->parent == b->parent && a->start == b->start;
}

/* Find the first function with the name and file of the key; fs->n if there is none yet. */
static uint32_t callgrind_find_first(struct callgrind_functions *fs, const struct callgrind_function *key)
{
	uint64_t h = hash_u64((uint64_t)key->name << 32 | key->file);
	uint32_t id;

	for (size_t pos = idtab_start(&fs->names, h); idtab_next(&fs->names, h, &pos, &id);)
		if (callgrind_same_name(&fs->f[id], key))
			return id;
	idtab_put(&fs->names, h, fs->n);
	return fs->n;
}

static uint32_t callgrind_find_function(struct callgrind_functions *fs, const struct callgrind_function *key)
{
	uint64_t words[4] = { (uint64_t)key->name << 32 | key->file, key->objfile, key->parent, (uint64_t)key->start };
	uint64_t h = hash_bytes(words, sizeof(words));
	uint32_t id, first;

	for (size_t pos = idtab_start(&fs->ids, h); idtab_next(&fs->ids, h, &pos, &id);)
		if (same_function(&fs->f[id], key))
			return id;
	first = callgrind_find_first(fs, key);
	fs->f = mem_grow(fs->f, &fs->cap, (size_t)fs->n + 1, sizeof(*fs->f));
	fs->f[fs->n] = *key;
	fs->f[fs->n].first = first;
	fs->f[fs->n].number = ++fs->f[first].of;
	idtab_put(&fs->ids, h, fs->n);
	return fs->n++;
}

/* Number the functions of each name in order of the nodes. Like pprof getDisambiguatedNames. */
static void find_aliases(struct callgrind_writer *w)
{
	const struct net *net = w->net;
	struct callgrind_functions fs = { 0 };
	uint32_t *of = mem_alloc(net->shown.n, sizeof(*of));

	idtab_init(&fs.ids, 0);
	idtab_init(&fs.names, 0);
	for (uint32_t i = 0; i < net->shown.n; i++) {
		uint32_t node = net->shown.node[i];
		const struct place *k = callgrind_place_of(w, node);
		const struct place_detail *d = callgrind_detail_of(w, node);
		const struct callgrind_function key = { .name = k->name,
							.objfile = d->objfile,
							.file = k->file,
							.parent = net->is_tree ? net->tree.parent[node] : 0,
							.start = d->start };

		of[i] = callgrind_find_function(&fs, &key);
	}
	for (uint32_t i = 0; i < net->shown.n && !buf_is_stopped(); i++) {
		const struct callgrind_function *own = &fs.f[of[i]];

		if (fs.f[own->first].of > 1)
			w->alias[net->shown.node[i]] = (struct callgrind_alias){ own->number, fs.f[own->first].of };
	}
	idtab_release(&fs.ids);
	idtab_release(&fs.names);
	free(of);
	free(fs.f);
}

void callgrind_draw(const struct net *net, const struct report *r, struct buf *out)
{
	struct callgrind_writer w = { .net = net,
				      .h = &r->head,
				      .out = out,
				      .objects = strtab_new(),
				      .files = strtab_new(),
				      .names = strtab_new(),
				      .alias = mem_zalloc(net->nodes.n, sizeof(*w.alias)) };

	assert(net && r && out);
	find_aliases(&w);
	buf_addz(out, "positions: instr line\nevents: ");
	utf8_add_safe(out, r->head.type, strlen(r->head.type));
	buf_addz(out, "(");
	utf8_add_safe(out, r->head.out_unit, strlen(r->head.out_unit));
	buf_addz(out, ")\n");
	for (uint32_t i = 0; i < net->shown.n && !buf_is_stopped(); i++) {
		if (i == 0 || !same_block(&w, net->shown.node[i - 1], net->shown.node[i]))
			callgrind_add_block(&w, net->shown.node[i]);
		callgrind_add_node(&w, net->shown.node[i]);
	}
	strtab_free(w.objects);
	strtab_free(w.files);
	strtab_free(w.names);
	free(w.alias);
}
