/*
 * dict_encode.c - the encoding of the tables of a dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The number of the first entry, then column by column, since similar numbers side by side compress better. A difference is
 * that from the previous entry of the table, or from 0 for entry 0. dict_decode.c reads it.
 */
#include "config.h"

#include "store/local/format/dict.h"
#include "store/local/format/varint.h"

#include <assert.h>

/* Append the differences of a column of ids, for entries [from, n). */
static void put_ids(const uint32_t *column, uint32_t from, uint32_t n, struct buf *out)
{
	for (uint32_t i = from; i < n; i++)
		varint_put_delta(out, column[i], i ? column[i - 1] : 0);
}

static void encode_strings(const struct dict *d, uint32_t from, struct buf *out)
{
	uint32_t n = strtab_count(d->str);

	for (uint32_t i = from; i < n; i++)
		varint_put(out, strtab_len(d->str, i));
	for (uint32_t i = from; i < n; i++)
		buf_add(out, strtab_text(d->str, i), strtab_len(d->str, i));
}

static void encode_functions(const struct dict *d, uint32_t from, struct buf *out)
{
	put_ids(d->func_name, from, d->n_funcs, out);
	for (uint32_t i = from; i < d->n_funcs; i++)
		varint_put_delta(out, d->func_sysname[i], d->func_name[i]);
	put_ids(d->func_file, from, d->n_funcs, out);
	for (uint32_t i = from; i < d->n_funcs; i++)
		varint_put_signed(out, d->func_start[i]);
}

static uint64_t flags(bool functions, bool filenames, bool line_numbers, bool inline_frames)
{
	return (uint64_t)functions | (uint64_t)filenames << 1 | (uint64_t)line_numbers << 2 |
	       (uint64_t)inline_frames << 3;
}

static void encode_mappings(const struct dict *d, uint32_t from, struct buf *out)
{
	for (uint32_t i = from; i < d->n_maps; i++) {
		const struct mapping *m = &d->map[i];

		varint_put(out, m->build_id);
		varint_put(out, m->file);
		varint_put(out, m->kernel_symbol);
		varint_put(out, m->start);
		varint_put(out, m->limit - m->start);
		varint_put(out, m->offset);
		varint_put(out, flags(m->has_functions, m->has_filenames, m->has_line_numbers, m->has_inline_frames));
	}
}

static void encode_locations(const struct dict *d, uint32_t from, struct buf *out)
{
	uint32_t first = d->loc_line[from], end = d->n_lines;

	for (uint32_t i = from; i < d->n_locs; i++) /* mapping + 1, 0 for none */
		varint_put(out, (uint64_t)(d->loc_map[i] + 1) << 1 | d->loc_folded[i]);
	for (uint32_t i = from; i < d->n_locs; i++)
		varint_put(out, d->loc_line[i + 1] - d->loc_line[i]);
	for (uint32_t i = from; i < d->n_locs; i++)
		varint_put_delta(out, d->loc_addr[i], i ? d->loc_addr[i - 1] : 0);
	put_ids(d->line_func, first, end, out);
	for (uint32_t i = first; i < end; i++)
		varint_put_delta(out, (uint64_t)d->line_no[i], (uint64_t)d->func_start[d->line_func[i]]);
	for (uint32_t i = first; i < end; i++)
		varint_put_signed(out, d->line_col[i]);
}

static void encode_nodes(const struct dict *d, uint32_t from, struct buf *out)
{
	for (uint32_t i = from; i < d->n_nodes; i++) /* distance of the parent, 0 for a root */
		varint_put(out, d->node_parent[i] == PROFILE_NONE ? 0 : i - d->node_parent[i]);
	put_ids(d->node_loc, from, d->n_nodes, out);
}

static void dict_encode_labels(const struct dict *d, uint32_t from, struct buf *out)
{
	put_ids(d->label_key, from, d->n_labels, out);
	for (uint32_t i = from; i < d->n_labels; i++)
		varint_put(out, (uint64_t)d->label_unit[i] << 1 | d->label_is_text[i]);
	put_ids(d->label_text, from, d->n_labels, out);
	for (uint32_t i = from; i < d->n_labels; i++)
		varint_put_signed(out, d->label_num[i]);
}

static void encode_label_sets(const struct dict *d, uint32_t from, struct buf *out)
{
	const struct csr *s = &d->label_sets;

	for (uint32_t i = from; i < s->n; i++)
		varint_put(out, s->off[i + 1] - s->off[i]);
	put_ids(s->item, s->off[from], s->off[s->n], out);
}

static void encode_rows(const struct dict *d, uint32_t from, struct buf *out)
{
	for (uint32_t i = from; i < d->n_rows; i++) /* node + 1, 0 for none */
		varint_put_delta(out, (uint32_t)(d->row_node[i] + 1), i ? (uint32_t)(d->row_node[i - 1] + 1) : 0);
	put_ids(d->row_labels, from, d->n_rows, out);
}

static void dict_encode_type(const struct value_type *t, struct buf *out)
{
	varint_put(out, t->name);
	varint_put(out, t->unit);
}

static void encode_place(const struct dict *d, const struct dict_place *p, struct buf *out)
{
	const struct mapping *m = &d->map[p->map];

	varint_put(out, p->map);
	varint_put_delta(out, p->start, m->start);
	varint_put_delta(out, p->limit - p->start, m->limit - m->start);
	varint_put_delta(out, p->file, m->file);
	varint_put_delta(out, p->kernel_symbol, m->kernel_symbol);
	varint_put(out, flags(p->has_functions, p->has_filenames, p->has_line_numbers, p->has_inline_frames));
}

/* Types and places are lists, or the distance of the first meta with equal ones. */
static void dict_encode_meta(const struct dict *d, uint32_t i, struct buf *out)
{
	const struct dict_meta *m = &d->meta[i];

	varint_put(out, i - m->same_types);
	if (m->same_types == i) {
		varint_put(out, m->n_types);
		for (uint32_t t = 0; t < m->n_types; t++) {
			dict_encode_type(&m->type[t], out);
			varint_put(out, m->temporality[t]);
		}
	}
	varint_put(out, i - m->same_places);
	if (m->same_places == i) {
		varint_put(out, m->n_places);
		for (uint32_t k = 0; k < m->n_places; k++)
			encode_place(d, &m->place[k], out);
	}
	varint_put_signed(out, m->period);
	varint_put(out, m->has_period_type);
	dict_encode_type(&m->period_type, out);
	varint_put(out, m->default_type);
	varint_put(out, m->drop_frames);
	varint_put(out, m->keep_frames);
	varint_put(out, m->doc_url);
	varint_put(out, m->n_comments);
	for (uint32_t k = 0; k < m->n_comments; k++)
		varint_put(out, m->comment[k]);
}

static void encode_series(const struct dict_series *s, struct buf *out)
{
	buf_add(out, s->hash, sizeof(s->hash));
	varint_put(out, s->kind);
	varint_put(out, s->n_labels);
	for (uint32_t k = 0; k < s->n_labels; k++) {
		varint_put(out, s->name[k]);
		varint_put(out, s->value[k]);
	}
}

void dict_encode(const struct dict *d, enum dict_table table, uint32_t from, struct buf *out)
{
	static void (*const encode[DICT_TABLES_END])(const struct dict *d, uint32_t from, struct buf *out) = {
		[DICT_STRINGS] = encode_strings,       [DICT_FUNCTIONS] = encode_functions,
		[DICT_MAPPINGS] = encode_mappings,     [DICT_LOCATIONS] = encode_locations,
		[DICT_NODES] = encode_nodes,           [DICT_LABELS] = dict_encode_labels,
		[DICT_LABEL_SETS] = encode_label_sets, [DICT_ROWS] = encode_rows,
	};

	assert(from <= dict_count(d, table));
	varint_put(out, from);
	if (encode[table])
		encode[table](d, from, out);
	else if (table == DICT_METAS)
		for (uint32_t i = from; i < d->n_metas; i++)
			dict_encode_meta(d, i, out);
	else
		for (uint32_t i = from; i < d->n_series; i++)
			encode_series(&d->series[i], out);
}
