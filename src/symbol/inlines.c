/*
 * inlines.c - which function an address is in, and through which inlined calls
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Entries are passed once each, in order of the file, also those in functions that cover no address:
 * functions may be nested anywhere. What is left out is what is below inlined calls that cover none,
 * since calls lie in those around them, and types where the language is known to have no code in
 * them. Of the entries that cover an address, the last in order is the innermost. dwarf_siblingof at
 * the last child says where the list ends, and what follows is the sibling of the parent: asking for
 * that of the parent would walk over all children again.
 */
#include "config.h"

#include "symbol/inlines.h"

#include "base/mem.h"
#include "base/search.h"
#include "symbol/dwarf_handle.h"
#include "symbol/frames_search.h"

#include <dwarf.h>
#include <stdlib.h>

struct inlines_open {
	Dwarf_Die die;
	uint64_t depth;
	uint32_t node; /* INLINES_NONE until it is needed */
	bool is_call;
};

struct walk {
	struct inlines *out;
	const uint64_t *addr;
	uint32_t n;
	uint64_t *work;
	const unsigned char *end; /* of the unit */
	uint64_t depth;
	bool bare_types; /* no code in classes */
};

static uint32_t add_node(struct walk *w, Dwarf_Die *die, bool is_call, uint32_t parent)
{
	struct inlines *out = w->out;
	struct inline_node node = {
		.name = dwarf_function_name(die),
		.call_file = is_call ? dwarf_number(die, DW_AT_call_file) : 0,
		.call_line = is_call ? (uint32_t)dwarf_number(die, DW_AT_call_line) : 0,
		.call_column = is_call ? (uint32_t)dwarf_number(die, DW_AT_call_column) : 0,
		.parent = parent,
		.is_call = is_call,
	};
	int line;

	if (dwarf_decl_line(die, &line) == 0)
		node.start_line = (uint32_t)line;
	out->node = mem_grow(out->node, &out->cap, out->n + 1, sizeof(node));
	out->node[out->n++] = node;
	return (uint32_t)(out->n - 1);
}

/* The node of the innermost open entry: those around it first, out to the function. */
static uint32_t open_node(struct walk *w)
{
	struct inlines *out = w->out;
	size_t first = out->n_open;
	uint32_t node = INLINES_NONE;

	while (first && out->open[first - 1].node == INLINES_NONE && out->open[first - 1].is_call)
		first--;
	if (first && out->open[first - 1].node == INLINES_NONE)
		first--; /* the function */
	else if (first)
		node = out->open[first - 1].node;
	for (size_t i = first; i < out->n_open; i++) {
		struct inlines_open *o = &out->open[i];

		o->node = node = add_node(w, &o->die, o->is_call, o->is_call ? node : INLINES_NONE);
	}
	return node;
}

/* Give the addresses of an entry to it; the node that this made, or INLINES_NONE. */
static uint32_t cover(struct walk *w, Dwarf_Die *die, bool is_call)
{
	uint32_t node = INLINES_NONE;
	Dwarf_Addr base, lo, hi;

	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0;) {
		if (!frames_spend(w->work, 1))
			break;
		for (uint32_t k = (uint32_t)lower_bound_u64(w->addr, w->n, lo); k < w->n && w->addr[k] < hi; k++) {
			if (!frames_spend(w->work, 1))
				return node;
			if (node == INLINES_NONE)
				node = add_node(w, die, is_call, is_call ? open_node(w) : INLINES_NONE);
			w->out->at[k] = node;
		}
	}
	return node;
}

static int find_ranges(Dwarf_Attribute *attr, void *arg)
{
	bool *has = arg;

	*has = attr->code == DW_AT_low_pc || attr->code == DW_AT_ranges;
	return *has ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* Compilers of C and C++ put functions with code outside of the types they belong to, but for types in functions
   (lambdas of GCC); Rust's does not. */
static bool has_bare_types(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* Can there be functions with code below? */
static bool may_hold_code(const struct walk *w, int tag)
{
	if (w->bare_types && !w->out->n_open &&
	    (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type))
		return false;
	return tag != DW_TAG_enumeration_type && tag != DW_TAG_array_type && tag != DW_TAG_subroutine_type &&
	       tag != DW_TAG_formal_parameter && tag != DW_TAG_variable && tag != DW_TAG_call_site &&
	       tag != DW_TAG_GNU_call_site && tag != DW_TAG_GNU_formal_parameter_pack;
}

/* Look at an entry that the walk has come to. Gives whether to look below it too. */
static bool visit(struct walk *w, Dwarf_Die *die, int tag)
{
	struct inlines *out = w->out;
	bool is_call = tag == DW_TAG_inlined_subroutine, has_ranges = false;
	uint32_t node = INLINES_NONE;

	if (!is_call && tag != DW_TAG_subprogram)
		return may_hold_code(w, tag);
	dwarf_getattrs(die, find_ranges, &has_ranges, 0); /* once over them: dwarf_ranges looks several times */
	if (has_ranges)
		node = cover(w, die, is_call);
	if ((is_call && has_ranges && node == INLINES_NONE) || !dwarf_haschildren(die))
		return false;
	out->open = mem_grow(out->open, &out->cap_open, out->n_open + 1, sizeof(*out->open));
	out->open[out->n_open++] = (struct inlines_open){ *die, w->depth + 1, node, is_call };
	return true;
}

/* Go to the entry that follows in order of the file, or behind all below this one; false at the end. */
static bool step(struct walk *w, Dwarf_Die *die, bool below)
{
	Dwarf_Die next = { 0 };
	const unsigned char *at;

	if (below && dwarf_haschildren(die) && dwarf_child(die, &next) == 0) {
		w->depth++;
		*die = next;
		return true;
	}
	int rc = dwarf_siblingof(die, &next);
	if (rc == 0) {
		*die = next;
		return true;
	}
	at = next.addr;
	if (rc < 0 || !at)
		return false;
	for (; at < w->end && !*at && w->depth; at++)
		w->depth--;
	if (at >= w->end || !w->depth)
		return false;
	*die = (Dwarf_Die){ .addr = (void *)at, .cu = die->cu };
	return true;
}

/* Where a unit ends, in memory; NULL when it is damaged. */
static const unsigned char *end_of(Dwarf_Die *unit)
{
	Dwarf_Off off = dwarf_dieoffset(unit), start = off - dwarf_cuoffset(unit), next;
	size_t header;

	if (dwarf_nextcu(dwarf_cu_getdwarf(unit->cu), start, &next, &header, NULL, NULL, NULL) != 0)
		return NULL;
	return (const unsigned char *)unit->addr + (next - off);
}

void inlines_find(struct inlines *out, Dwarf_Die *unit, const uint64_t *addr, uint32_t n, uint64_t *work)
{
	struct walk w = { .out = out, .addr = addr, .n = n, .work = work, .end = end_of(unit) };
	Dwarf_Die die = *unit;

	w.bare_types = has_bare_types(unit);
	out->n = out->n_open = 0;
	out->at = mem_grow(out->at, &out->cap_at, n ? n : 1, sizeof(*out->at));
	for (uint32_t i = 0; i < n; i++)
		out->at[i] = INLINES_NONE;
	while (w.end && frames_spend(work, 1)) {
		while (out->n_open && out->open[out->n_open - 1].depth > w.depth)
			out->n_open--;
		if (!step(&w, &die, visit(&w, &die, dwarf_tag(&die))))
			break;
	}
}

void inlines_release(struct inlines *l)
{
	free(l->node);
	free(l->at);
	free(l->open);
	*l = (struct inlines){ 0 };
}
