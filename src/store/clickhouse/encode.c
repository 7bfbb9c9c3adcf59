/*
 * encode.c - entries of dictionaries and profiles as rows of tables
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/clickhouse/encode.h"

#include "base/mem.h"
#include "base/time.h"

#include <math.h>
#include <stdlib.h>

static void click_put_str(struct buf *out, const struct dict *d, str_id id)
{
	size_t n = strtab_len(d->str, id);

	varint_put(out, n);
	buf_add(out, strtab_text(d->str, id), n);
}

static void click_put_key(struct buf *out, const struct click_epoch_key *k, uint32_t id)
{
	click_put_u16(out, k->week);
	click_put_text(out, k->service);
	click_put_u64(out, k->epoch);
	click_put_u32(out, id);
}

static uint8_t click_place_flags(const struct dict_place *p)
{
	return (uint8_t)((p->has_functions ? CLICK_HAS_FUNCTIONS : 0) | (p->has_filenames ? CLICK_HAS_FILENAMES : 0) |
			 (p->has_line_numbers ? CLICK_HAS_LINES : 0) | (p->has_inline_frames ? CLICK_HAS_INLINE : 0));
}

static void click_put_places(const struct dict *d, const struct dict_meta *m, struct buf *out)
{
	varint_put(out, m->n_places);
	for (uint32_t i = 0; i < m->n_places; i++)
		click_put_u32(out, m->place[i].map);
	varint_put(out, m->n_places);
	for (uint32_t i = 0; i < m->n_places; i++)
		click_put_u64(out, m->place[i].start);
	varint_put(out, m->n_places);
	for (uint32_t i = 0; i < m->n_places; i++)
		click_put_u64(out, m->place[i].limit);
	varint_put(out, m->n_places);
	for (uint32_t i = 0; i < m->n_places; i++)
		click_put_str(out, d, m->place[i].file);
	varint_put(out, m->n_places);
	for (uint32_t i = 0; i < m->n_places; i++)
		click_put_str(out, d, m->place[i].kernel_symbol);
	varint_put(out, m->n_places);
	for (uint32_t i = 0; i < m->n_places; i++)
		click_put_u8(out, click_place_flags(&m->place[i]));
}

void click_encode_meta(const struct click_epoch_key *k, const struct dict *d, uint32_t i, struct buf *out)
{
	const struct dict_meta *m = &d->meta[i];

	click_put_key(out, k, i);
	varint_put(out, m->n_types);
	for (uint32_t t = 0; t < m->n_types; t++)
		click_put_str(out, d, m->type[t].name);
	varint_put(out, m->n_types);
	for (uint32_t t = 0; t < m->n_types; t++)
		click_put_str(out, d, m->type[t].unit);
	varint_put(out, m->n_types);
	for (uint32_t t = 0; t < m->n_types; t++)
		click_put_u8(out, (uint8_t)m->temporality[t]);
	click_put_i64(out, m->period);
	click_put_str(out, d, m->period_type.name);
	click_put_str(out, d, m->period_type.unit);
	click_put_u8(out, m->has_period_type);
	click_put_str(out, d, m->default_type);
	click_put_str(out, d, m->drop_frames);
	click_put_str(out, d, m->keep_frames);
	click_put_str(out, d, m->doc_url);
	varint_put(out, m->n_comments);
	for (uint32_t c = 0; c < m->n_comments; c++)
		click_put_str(out, d, m->comment[c]);
	click_put_places(d, m, out);
}

void click_encode_mapping(const struct click_epoch_key *k, const struct dict *d, uint32_t i, struct buf *out)
{
	const struct mapping *m = &d->map[i];
	const struct dict_place flags = { .has_functions = m->has_functions,
					  .has_filenames = m->has_filenames,
					  .has_line_numbers = m->has_line_numbers,
					  .has_inline_frames = m->has_inline_frames };

	click_put_key(out, k, i);
	click_put_u64(out, m->start);
	click_put_u64(out, m->limit);
	click_put_u64(out, m->offset);
	click_put_str(out, d, m->file);
	click_put_str(out, d, m->build_id);
	click_put_str(out, d, m->kernel_symbol);
	click_put_u8(out, click_place_flags(&flags));
}

/* A location without lines has one row, with lines = 0. */
void click_encode_frames(const struct click_epoch_key *k, const struct dict *d, uint32_t i, struct buf *out)
{
	uint32_t first = d->loc_line[i], n = d->loc_line[i + 1] - first;

	for (uint32_t depth = 0; depth == 0 || depth < n; depth++) {
		uint32_t line = first + depth, f = n ? d->line_func[line] : 0;

		click_put_key(out, k, i);
		click_put_u32(out, depth);
		click_put_u32(out, n);
		click_put_str(out, d, n ? d->func_name[f] : 0);
		click_put_str(out, d, n ? d->func_sysname[f] : 0);
		click_put_str(out, d, n ? d->func_file[f] : 0);
		click_put_i64(out, n ? d->func_start[f] : 0);
		click_put_i64(out, n ? d->line_no[line] : 0);
		click_put_i64(out, n ? d->line_col[line] : 0);
		click_put_u64(out, d->loc_addr[i]);
		click_put_u32(out, d->loc_map[i] == PROFILE_NONE ? 0 : d->loc_map[i] + 1);
		click_put_u8(out, d->loc_folded[i]);
	}
}

static void click_put_label_value(struct buf *out, const struct dict *d, uint32_t label)
{
	struct buf digits = { 0 };

	if (d->label_is_text[label]) {
		click_put_str(out, d, d->label_text[label]);
		return;
	}
	buf_addf(&digits, "%lld", (long long)d->label_num[label]);
	click_put_text(out, buf_text(&digits));
	buf_release(&digits);
}

void click_encode_stack(const struct click_epoch_key *k, const struct dict *d, uint32_t i, struct buf *out)
{
	uint32_t n = 0, set = d->row_labels[i], lo = d->label_sets.off[set], hi = d->label_sets.off[set + 1];

	click_put_key(out, k, i);
	for (uint32_t node = d->row_node[i]; node != PROFILE_NONE; node = d->node_parent[node])
		n++;
	varint_put(out, n);
	for (uint32_t node = d->row_node[i]; node != PROFILE_NONE; node = d->node_parent[node])
		click_put_u32(out, d->node_loc[node]);
	varint_put(out, hi - lo);
	for (uint32_t l = lo; l < hi; l++)
		click_put_str(out, d, d->label_key[d->label_sets.item[l]]);
	varint_put(out, hi - lo);
	for (uint32_t l = lo; l < hi; l++)
		click_put_label_value(out, d, d->label_sets.item[l]);
	varint_put(out, hi - lo);
	for (uint32_t l = lo; l < hi; l++)
		click_put_str(out, d, d->label_unit[d->label_sets.item[l]]);
	varint_put(out, hi - lo);
	for (uint32_t l = lo; l < hi; l++)
		click_put_u8(out, !d->label_is_text[d->label_sets.item[l]]);
}

uint64_t click_shape(const struct dict *d, const struct dict_meta *m)
{
	struct store_label *part = mem_alloc(2 * (size_t)m->n_types + 1, sizeof(*part));
	static const char *const digits[] = { "0", "1", "2", "3" };
	uint8_t hash[16];
	uint64_t shape;

	for (uint32_t t = 0; t < m->n_types; t++) {
		part[2 * t] = (struct store_label){ strtab_text(d->str, m->type[t].name),
						    strtab_text(d->str, m->type[t].unit) };
		part[2 * t + 1] = (struct store_label){ "", digits[m->temporality[t]] };
	}
	dict_series_hash("", "", part, 2 * (size_t)m->n_types, hash);
	memcpy(&shape, hash, sizeof(shape));
	free(part);
	return shape;
}

/* The largest sum of absolute values of a column: no sum of such profiles overflows while the sum of their weights is small. */
static double click_find_weight(const struct stored *s)
{
	double weight = 0;

	for (uint32_t t = 0; t < s->n_columns; t++) {
		double sum = 0;

		for (uint32_t i = 0; i < s->n; i++)
			sum += fabs((double)s->value[(size_t)t * s->n + i]);
		weight = sum > weight ? sum : weight;
	}
	return weight;
}

void click_encode_profile(const struct click_epoch_key *k, const struct dict *d, const struct stored *s,
			  const char *kind, const uint8_t series[16], struct buf *out)
{
	const struct dict_meta *m = &d->meta[s->meta];
	double weight = click_find_weight(s);
	uint32_t row = 0;

	click_put_u16(out, (uint16_t)(s->start_ns / NS_PER_DAY));
	click_put_text(out, k->service);
	click_put_text(out, kind);
	buf_add(out, series, 16);
	click_put_i64(out, s->start_ns);
	click_put_i64(out, s->duration_ns);
	click_put_u64(out, k->epoch);
	click_put_u32(out, s->meta);
	click_put_u64(out, click_shape(d, m));
	varint_put(out, m->n_types);
	for (uint32_t t = 0; t < m->n_types; t++)
		click_put_str(out, d, m->type[t].name);
	varint_put(out, s->n);
	for (uint32_t i = 0; i < s->n; row = s->row[i++])
		click_put_u32(out, s->row[i] - row);
	varint_put(out, s->n_columns);
	for (uint32_t t = 0; t < s->n_columns; t++) {
		varint_put(out, s->n);
		buf_add(out, s->value + (size_t)t * s->n, s->n * sizeof(*s->value));
	}
	varint_put(out, s->n_columns);
	for (uint32_t t = 0; t < s->n_columns; t++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < s->n; i++)
			sum += (uint64_t)s->value[(size_t)t * s->n + i];
		click_put_u64(out, sum);
	}
	buf_add(out, &weight, sizeof(weight));
}
