/*
 * push_split.c - parts of a profile as profiles of their own
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * New ids of entries are kept in arrays as long as the tables of the profile. They are valid if their round is that of the
 * current part, so nothing is cleared between parts.
 */
#include "config.h"

#include "formats/push/push_split.h"

#include "base/mem.h"
#include "formats/common/merged_rows.h"
#include "profile/builder.h"

#include <assert.h>
#include <stdlib.h>

/* New ids of a table. */
struct split_ids {
	uint32_t *id, *round;
};

struct push_splitter {
	const struct profile *p;
	const struct format_options *options;
	struct split_ids maps, funcs, locs, labels;
	uint32_t round;

	/* of the current part */
	struct builder *b;
	uint32_t *locs_of_row, *labels_of_row;
	size_t cap_locs, cap_labels;
	struct builder_line *line;
	size_t cap_lines;
};

static void split_ids_init(struct split_ids *ids, uint32_t n)
{
	ids->id = mem_alloc((size_t)n + 1, sizeof(*ids->id));
	ids->round = mem_zalloc((size_t)n + 1, sizeof(*ids->round));
}

static void split_ids_release(struct split_ids *ids)
{
	free(ids->id);
	free(ids->round);
}

struct push_splitter *push_splitter_new(const struct profile *p, const struct format_options *options)
{
	struct push_splitter *s = mem_zalloc(1, sizeof(*s));

	assert(!p->forest);
	s->p = p;
	s->options = options;
	split_ids_init(&s->maps, p->n_maps);
	split_ids_init(&s->funcs, p->n_funcs);
	split_ids_init(&s->locs, p->n_locs);
	split_ids_init(&s->labels, p->n_labels);
	return s;
}

void push_splitter_free(struct push_splitter *s)
{
	if (!s)
		return;
	split_ids_release(&s->maps);
	split_ids_release(&s->funcs);
	split_ids_release(&s->locs);
	split_ids_release(&s->labels);
	free(s->locs_of_row);
	free(s->labels_of_row);
	free(s->line);
	free(s);
}

/* Is an entry in the current part already? If not, it is marked, and the caller appends it. */
static bool split_has(const struct push_splitter *s, struct split_ids *ids, uint32_t old)
{
	if (ids->round[old] == s->round)
		return true;
	ids->round[old] = s->round;
	return false;
}

static str_id split_string(const struct push_splitter *s, str_id old)
{
	return old ? strtab_add(builder_strings(s->b), strtab_text(s->p->str, old), strtab_len(s->p->str, old)) : 0;
}

static int split_mapping(struct push_splitter *s, uint32_t old, struct err *err)
{
	struct mapping m;

	if (split_has(s, &s->maps, old))
		return 0;
	m = s->p->map[old];
	m.file = split_string(s, m.file);
	m.build_id = split_string(s, m.build_id);
	m.kernel_symbol = split_string(s, m.kernel_symbol);
	return builder_mapping(s->b, &m, &s->maps.id[old], err);
}

static int split_function(struct push_splitter *s, uint32_t old, struct err *err)
{
	const struct profile *p = s->p;
	struct builder_function f;

	if (split_has(s, &s->funcs, old))
		return 0;
	f = (struct builder_function){ .id = p->func_id[old],
				       .name = split_string(s, p->func_name[old]),
				       .sysname = split_string(s, p->func_sysname[old]),
				       .file = split_string(s, p->func_file[old]),
				       .start = p->func_start[old] };
	return builder_function(s->b, &f, &s->funcs.id[old], err);
}

static int split_location(struct push_splitter *s, uint32_t old, struct err *err)
{
	const struct profile *p = s->p;
	uint32_t first = p->loc_line[old], n = p->loc_line[old + 1] - first;
	struct builder_location l = {
		.id = p->loc_id[old], .addr = p->loc_addr[old], .map = p->loc_map[old], .folded = p->loc_folded[old]
	};
	int rc = 0;

	if (split_has(s, &s->locs, old))
		return 0;
	if (l.map != PROFILE_NONE) {
		rc = split_mapping(s, l.map, err);
		l.map = s->maps.id[l.map];
	}
	s->line = mem_grow(s->line, &s->cap_lines, (size_t)n + 1, sizeof(*s->line));
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		uint32_t func = p->line_func[first + i];

		rc = split_function(s, func, err);
		s->line[i] = (struct builder_line){ s->funcs.id[func], p->line_no[first + i], p->line_col[first + i] };
	}
	return rc < 0 ? rc : builder_location(s->b, &l, s->line, n, &s->locs.id[old], err);
}

static int split_label(struct push_splitter *s, uint32_t old, struct err *err)
{
	const struct profile *p = s->p;
	struct builder_label l;

	if (split_has(s, &s->labels, old))
		return 0;
	l = (struct builder_label){ .key = split_string(s, p->label_key[old]),
				    .text = split_string(s, p->label_text[old]),
				    .unit = split_string(s, p->label_unit[old]),
				    .num = p->label_num[old],
				    .is_text = p->label_is_text[old] };
	return builder_label(s->b, &l, &s->labels.id[old], err);
}

/* Add a row to the current part. */
static int split_row(struct push_splitter *s, struct merged_rows *rows, uint32_t row, const int64_t *values,
		     bool skips_first, struct err *err)
{
	const struct profile *p = s->p;
	uint32_t stack = p->stack[row], set = p->labels[row];
	size_t n = p->stacks.off[stack + 1] - p->stacks.off[stack], n_labels = 0;
	int rc = 0;

	s->locs_of_row = mem_grow(s->locs_of_row, &s->cap_locs, n + 1, sizeof(*s->locs_of_row));
	for (size_t i = 0; rc == 0 && i < n; i++) {
		uint32_t loc = stack_id_at(&p->stacks, p->stacks.off[stack] + (uint32_t)i);

		rc = split_location(s, loc, err);
		s->locs_of_row[i] = s->locs.id[loc];
	}
	for (uint32_t i = p->label_sets.off[set] + skips_first; rc == 0 && i < p->label_sets.off[set + 1]; i++) {
		uint32_t label = p->label_sets.item[i];

		rc = split_label(s, label, err);
		s->labels_of_row = mem_grow(s->labels_of_row, &s->cap_labels, n_labels + 1, sizeof(*s->labels_of_row));
		s->labels_of_row[n_labels++] = s->labels.id[label];
	}
	return rc < 0 ? rc : merged_rows_add(rows, values, s->locs_of_row, n, s->labels_of_row, n_labels, err);
}

static void split_meta(struct push_splitter *s, const bool *column)
{
	const struct profile_meta *from = &s->p->meta;
	struct profile_meta *to = builder_meta(s->b);

	to->time_ns = from->time_ns;
	to->duration_ns = from->duration_ns;
	to->period = from->period;
	to->has_period_type = from->has_period_type;
	to->period_type =
		(struct value_type){ split_string(s, from->period_type.name), split_string(s, from->period_type.unit) };
	to->drop_frames = split_string(s, from->drop_frames);
	to->keep_frames = split_string(s, from->keep_frames);
	to->doc_url = split_string(s, from->doc_url);
	for (uint32_t t = 0; t < s->p->n_types; t++)
		if (column[t] && s->p->type[t].name == from->default_type)
			to->default_type = split_string(s, from->default_type);
	for (uint32_t i = 0; i < from->n_comments; i++)
		builder_comment(s->b, split_string(s, from->comment[i]));
}

int push_split(struct push_splitter *s, const uint32_t *row, size_t n, const bool *column, bool skips_first,
	       struct profile **out, struct err *err)
{
	const struct profile *p = s->p;
	int64_t *values = mem_alloc((size_t)p->n_types + 1, sizeof(*values));
	struct merged_rows *rows;
	int rc;

	s->round++;
	s->b = builder_new();
	split_meta(s, column);
	for (uint32_t t = 0; t < p->n_types; t++)
		if (column[t])
			builder_type(s->b, split_string(s, p->type[t].name), split_string(s, p->type[t].unit));
	rows = merged_rows_new(s->b, s->options, p->stacks.off[p->stacks.n]);
	rc = p->n_maps ? split_mapping(s, 0, err) : 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		size_t n_values = 0;

		for (uint32_t t = 0; t < p->n_types; t++)
			if (column[t])
				values[n_values++] = p->value[t][row[i]];
		rc = split_row(s, rows, row[i], values, skips_first, err);
	}
	if (rc == 0)
		*out = builder_seal(s->b);
	merged_rows_free(rows);
	builder_free(s->b);
	s->b = NULL;
	free(values);
	return rc;
}
