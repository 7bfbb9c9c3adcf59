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
#include "engine/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A tag of a node: all text labels of a sample joined ("k:v", separated by a backslash and an n), or a number with the
 * key "bytes", shown below the sample's text labels.
 */
struct tag {
	uint32_t node;
	uint32_t label; /* id of the joined text labels, or of those that the number is shown below; 0 for none */
	bool is_number;
	const char *name; /* unique: joined text labels, or the number as printed */
	const char *text; /* name as displayed: text labels one per line, escaped */
	int64_t value;    /* value of a number, in unit */
	const char *unit;
	int64_t flat, cum, flat_div, cum_div;
};

struct tags {
	size_t n;
	struct tag *tag; /* [n] tags sorted by node, then in order of appearance */
	size_t *off;     /* [nodes + 1] */
};

/*
 * Collect the tags of some nodes.
 *
 * tree    the call tree of the nodes, or NULL when they are places
 * wanted  [nodes->n] nodes whose tags are collected
 * units   of numeric labels
 * unit    display unit of numbers, as in the query
 * cutoff  tags with both flat and cum below it are omitted
 * mem     owns the result
 * Fails   ERR_LIMIT when they would take a quarter of the memory of this machine; ERR_STOPPED; out is then unchanged
 * Like    pprof internal/graph addSample, TrimLowFrequencyTags
 */
int tags_make(const struct view *v, const struct nodes *nodes, const struct calltree *tree, const bool *wanted,
	      const struct label_units *units, const char *unit, uint64_t cutoff, struct arena *mem, struct tags *out,
	      struct err *err);

/* Sort tags, heaviest first: by cum unless by_flat, then by flat, then by name. Like pprof SortTags. */
int tags_compare(const struct tag *a, const struct tag *b, bool by_flat);

#endif
