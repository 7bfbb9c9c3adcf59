/*
 * tags.h - the labels of the samples that reach a node
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_TAGS_H
#define ENGINE_TAGS_H

#include "base/arena.h"
#include "engine/calltree.h"
#include "engine/label_unit.h"
#include "engine/nodes.h"
#include "engine/query.h"
#include "engine/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A label of a node: all text labels of a sample taken together ("k:v" parted by \n, two
 * characters), or a number of the key bytes under them.
 */
struct tag {
	uint32_t node;
	uint32_t label; /* text labels it stands for or under; 0 for none */
	bool is_number;
	const char *name; /* what it is told from others by: joined text labels, or the number as printed */
	const char *text; /* the same for people: text labels one per line, nothing in them to fear */
	int64_t value;    /* of a number, in unit */
	const char *unit;
	int64_t flat, cum, flat_div, cum_div;
};

struct tags {
	size_t n;
	struct tag *tag; /* [n] by node, in order of appearance */
	size_t *off;     /* [nodes + 1] */
};

/*
 * Collect the labels of some nodes.
 *
 * tree    the nodes are its, NULL when they are places
 * wanted  [nodes->n] whose labels
 * units   of numeric labels
 * unit    what numbers are shown in, as the question has it
 * cutoff  tags of which both flat and cum are below are left out
 * mem     the result lives there
 * Fails   ERR_LIMIT when they would take a quarter of the memory of this machine; ERR_STOPPED; out is then as it was
 * Like    pprof internal/graph addSample, TrimLowFrequencyTags
 */
int tags_make(const struct view *v, const struct nodes *nodes, const struct calltree *tree, const bool *wanted,
	      const struct label_units *units, const char *unit, uint64_t cutoff, struct arena *mem, struct tags *out,
	      struct err *err);

/* The heavier first: by cum unless by_flat, then by flat, then by name. Like pprof SortTags. */
int tags_compare(const struct tag *a, const struct tag *b, bool by_flat);

#endif
