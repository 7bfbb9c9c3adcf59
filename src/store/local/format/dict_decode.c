/*
 * dict_decode.c - read the encoding of the tables of a dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Columns are read into the tables after their last entry, and their number is set at the end. Every entry has at least a
 * byte in each column, so the memory used is bounded by the size of the data. dict_encode.c describes the encoding.
 */
#include "config.h"

#include "base/arena.h"
#include "base/mem.h"
#include "store/local/format/dict_int.h"
#include "store/local/format/dict_nodes.h"
#include "store/local/format/varint.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct decoder {
	struct dict *d;
	enum dict_table table;
	uint32_t from, n; /* the entries [from, n) are decoded */
	const uint8_t *at, *end;
	struct err *err;
};

/* --- numbers --- */

static int dict_decode_fail(const struct decoder *x, uint32_t entry, const char *problem)
{
	return err_set(x->err, ERR_FORMAT, "%s: entry %" PRIu32 " of %" PRIu32 ": %s", dict_table_name(x->table), entry,
		       x->n, problem);
}

static inline int dict_decode_get(struct decoder *x, uint32_t entry, uint64_t *v)
{
	return varint_get(&x->at, x->end, v)
		       ? 0
		       : dict_decode_fail(x, entry, "ends too early, or a number exceeds 64 bits");
}

static inline int get_signed(struct decoder *x, uint32_t entry, int64_t *v)
{
	uint64_t bits = 0;
	int rc = dict_decode_get(x, entry, &bits);

	*v = varint_unzigzag(bits);
	return rc;
}

/* The entry that a number refers to must exist. */
static inline int dict_decode_check(const struct decoder *x, uint32_t entry, uint64_t id, uint64_t n,
				    enum dict_table table)
{
	if (id < n)
		return 0;
	return err_set(x->err, ERR_FORMAT,
		       "%s: entry %" PRIu32 " of %" PRIu32 ": %s: %" PRIu64 " of %" PRIu64 " does not exist",
		       dict_table_name(x->table), entry, x->n, dict_table_name(table), id, n);
}

static int get_id(struct decoder *x, uint32_t entry, uint32_t n, enum dict_table table, uint32_t *id)
{
	uint64_t v = 0;

	if (dict_decode_get(x, entry, &v) < 0 || dict_decode_check(x, entry, v, n, table) < 0)
		return ERR_FORMAT;
	*id = (uint32_t)v;
	return 0;
}

static int get_string(struct decoder *x, uint32_t entry, str_id *id)
{
	return get_id(x, entry, strtab_count(x->d->str), DICT_STRINGS, id);
}

/* An id as the difference from another number. */
static inline int get_delta(struct decoder *x, uint32_t entry, uint64_t base, uint32_t n, enum dict_table table,
			    uint32_t *id)
{
	int64_t delta = 0;
	uint64_t v;

	if (get_signed(x, entry, &delta) < 0)
		return ERR_FORMAT;
	v = base + (uint64_t)delta;
	if (dict_decode_check(x, entry, v, n, table) < 0)
		return ERR_FORMAT;
	*id = (uint32_t)v;
	return 0;
}

/* The length of a list of at least a byte per element. */
static int get_length(struct decoder *x, uint32_t entry, uint32_t *n)
{
	uint64_t v = 0;

	if (dict_decode_get(x, entry, &v) < 0)
		return ERR_FORMAT;
	if (v > (uint64_t)(x->end - x->at) || v >= UINT32_MAX)
		return dict_decode_fail(x, entry, "a list is longer than the data");
	*n = (uint32_t)v;
	return 0;
}

/* Read the lengths of the lists of all entries. Fails if all lists have more than a byte per element of data. */
static int get_lengths(struct decoder *x, uint32_t *length, uint32_t *total)
{
	uint64_t sum = 0;

	for (uint32_t i = x->from; i < x->n; i++) {
		if (get_length(x, i, &length[i - x->from]) < 0)
			return ERR_FORMAT;
		sum += length[i - x->from];
	}
	if (sum > (uint64_t)(x->end - x->at) || sum > DICT_ID_MAX)
		return dict_decode_fail(x, x->n, "the lists are longer than the data");
	*total = (uint32_t)sum;
	return 0;
}

/* Read elements [from, n) of a column of ids, each a difference from the previous one. limit: entries of the table. */
static int get_ids(struct decoder *x, uint32_t *column, uint32_t from, uint32_t n, uint32_t limit,
		   enum dict_table table)
{
	for (uint32_t i = from; i < n; i++)
		if (get_delta(x, i, i ? column[i - 1] : 0, limit, table, &column[i]) < 0)
			return ERR_FORMAT;
	return 0;
}

static int get_texts(struct decoder *x, str_id *column)
{
	return get_ids(x, column, x->from, x->n, strtab_count(x->d->str), DICT_STRINGS);
}

static int get_numbers(struct decoder *x, int64_t *column)
{
	for (uint32_t i = x->from; i < x->n; i++)
		if (get_signed(x, i, &column[i]) < 0)
			return ERR_FORMAT;
	return 0;
}

/* --- tables --- */

static int decode_strings(struct decoder *x)
{
	uint32_t n = x->n - x->from, total, *length = mem_alloc(n, sizeof(*length));
	int rc = get_lengths(x, length, &total);

	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		if (strtab_add(x->d->str, (const char *)x->at, length[i]) != x->from + i)
			rc = dict_decode_fail(x, x->from + i, "is equal to an earlier one");
		x->at += length[i];
	}
	free(length);
	return rc;
}

static int decode_functions(struct decoder *x)
{
	struct dict *d = x->d;
	uint32_t n_str = strtab_count(d->str);

	dict_grow_functions(d, x->n);
	if (get_texts(x, d->func_name) < 0)
		return ERR_FORMAT;
	for (uint32_t i = x->from; i < x->n; i++)
		if (get_delta(x, i, d->func_name[i], n_str, DICT_STRINGS, &d->func_sysname[i]) < 0)
			return ERR_FORMAT;
	if (get_texts(x, d->func_file) < 0 || get_numbers(x, d->func_start) < 0)
		return ERR_FORMAT;
	d->n_funcs = x->n;
	return 0;
}

enum { FLAGS_END = 16 };

static int decode_mapping(struct decoder *x, uint32_t i)
{
	struct mapping m = { 0 };
	uint64_t size = 0, flags = 0;

	if (get_string(x, i, &m.build_id) < 0 || get_string(x, i, &m.file) < 0 ||
	    get_string(x, i, &m.kernel_symbol) < 0 || dict_decode_get(x, i, &m.start) < 0 ||
	    dict_decode_get(x, i, &size) < 0 || dict_decode_get(x, i, &m.offset) < 0 ||
	    dict_decode_get(x, i, &flags) < 0)
		return ERR_FORMAT;
	if (flags >= FLAGS_END)
		return dict_decode_fail(x, i, "unknown flags");
	m.limit = m.start + size;
	m.has_functions = flags & 1;
	m.has_filenames = flags & 2;
	m.has_line_numbers = flags & 4;
	m.has_inline_frames = flags & 8;
	return dict_append_mapping(x->d, &m, x->err);
}

static int decode_lines(struct decoder *x, uint32_t n)
{
	struct dict *d = x->d;
	uint32_t first = d->n_lines;

	if (n > (uint64_t)(x->end - x->at) / 3 || n > DICT_ID_MAX - first)
		return dict_decode_fail(x, x->n, "the lists of lines are longer than the data");
	dict_grow_lines(d, (size_t)first + n);
	if (get_ids(x, d->line_func, first, first + n, d->n_funcs, DICT_FUNCTIONS) < 0)
		return ERR_FORMAT;
	for (uint32_t i = first; i < first + n; i++) {
		int64_t delta = 0;

		if (get_signed(x, i, &delta) < 0)
			return ERR_FORMAT;
		d->line_no[i] = (int64_t)((uint64_t)d->func_start[d->line_func[i]] + (uint64_t)delta);
	}
	for (uint32_t i = first; i < first + n; i++)
		if (get_signed(x, i, &d->line_col[i]) < 0)
			return ERR_FORMAT;
	d->n_lines = first + n;
	return 0;
}

static int decode_locations(struct decoder *x)
{
	struct dict *d = x->d;
	uint32_t n_lines;

	dict_grow_locations(d, x->n);
	for (uint32_t i = x->from; i < x->n; i++) {
		uint64_t v = 0;

		if (dict_decode_get(x, i, &v) < 0 ||
		    dict_decode_check(x, i, v >> 1, (uint64_t)d->n_maps + 1, DICT_MAPPINGS) < 0)
			return ERR_FORMAT;
		d->loc_map[i] = (uint32_t)(v >> 1) - 1;
		d->loc_folded[i] = v & 1;
	}
	if (get_lengths(x, &d->loc_line[x->from + 1], &n_lines) < 0)
		return ERR_FORMAT;
	for (uint32_t i = x->from; i < x->n; i++) {
		int64_t delta = 0;

		d->loc_line[i + 1] += d->loc_line[i];
		if (get_signed(x, i, &delta) < 0)
			return ERR_FORMAT;
		d->loc_addr[i] = (i ? d->loc_addr[i - 1] : 0) + (uint64_t)delta;
	}
	if (decode_lines(x, n_lines) < 0)
		return ERR_FORMAT;
	d->n_locs = x->n;
	return 0;
}

static int decode_nodes(struct decoder *x)
{
	struct dict *d = x->d;

	dict_grow_nodes(d, x->n);
	for (uint32_t i = x->from; i < x->n; i++) {
		uint64_t distance = 0;

		if (dict_decode_get(x, i, &distance) < 0)
			return ERR_FORMAT;
		if (distance > i)
			return dict_decode_fail(x, i, "its caller does not exist");
		d->node_parent[i] = distance ? i - (uint32_t)distance : PROFILE_NONE;
	}
	if (get_ids(x, d->node_loc, x->from, x->n, d->n_locs, DICT_LOCATIONS) < 0)
		return ERR_FORMAT;
	d->n_nodes = x->n;
	return 0;
}

static int decode_labels(struct decoder *x)
{
	struct dict *d = x->d;

	dict_grow_labels(d, x->n);
	if (get_texts(x, d->label_key) < 0)
		return ERR_FORMAT;
	for (uint32_t i = x->from; i < x->n; i++) {
		uint64_t v = 0;

		if (dict_decode_get(x, i, &v) < 0 ||
		    dict_decode_check(x, i, v >> 1, strtab_count(d->str), DICT_STRINGS) < 0)
			return ERR_FORMAT;
		d->label_unit[i] = (str_id)(v >> 1);
		d->label_is_text[i] = v & 1;
	}
	if (get_texts(x, d->label_text) < 0 || get_numbers(x, d->label_num) < 0)
		return ERR_FORMAT;
	d->n_labels = x->n;
	return 0;
}

static int decode_label_sets(struct decoder *x)
{
	struct csr *s = &x->d->label_sets;
	uint32_t first = s->off[x->from], n;

	dict_grow_label_sets(x->d, x->n, first);
	if (get_lengths(x, &s->off[x->from + 1], &n) < 0)
		return ERR_FORMAT;
	if (n > DICT_ID_MAX - first)
		return dict_decode_fail(x, x->n, "the lists are too long");
	dict_grow_label_sets(x->d, x->n, (size_t)first + n);
	for (uint32_t i = x->from; i < x->n; i++) {
		if (s->off[i + 1] == 0)
			return dict_decode_fail(x, i, "is empty, but is not entry 0");
		s->off[i + 1] += s->off[i];
	}
	if (get_ids(x, s->item, first, first + n, x->d->n_labels, DICT_LABELS) < 0)
		return ERR_FORMAT;
	s->n = x->n;
	return 0;
}

static int dict_decode_rows(struct decoder *x)
{
	struct dict *d = x->d;

	dict_grow_rows(d, x->n);
	for (uint32_t i = x->from; i < x->n; i++) {
		uint64_t previous = i ? (uint32_t)(d->row_node[i - 1] + 1) : 0; /* PROFILE_NONE counts as 0 */

		if (get_delta(x, i, previous, d->n_nodes + 1, DICT_NODES, &d->row_node[i]) < 0)
			return ERR_FORMAT;
		d->row_node[i]--;
	}
	if (get_ids(x, d->row_labels, x->from, x->n, d->label_sets.n, DICT_LABEL_SETS) < 0)
		return ERR_FORMAT;
	d->n_rows = x->n;
	return 0;
}

/* --- metas and series --- */

static int get_type(struct decoder *x, uint32_t entry, struct value_type *t)
{
	return get_string(x, entry, &t->name) < 0 || get_string(x, entry, &t->unit) < 0 ? ERR_FORMAT : 0;
}

/* The first meta with an equal list, by its distance; the number of the entry itself if the list follows. */
static int get_same(struct decoder *x, uint32_t entry, uint32_t *same)
{
	uint64_t distance = 0;

	if (dict_decode_get(x, entry, &distance) < 0)
		return ERR_FORMAT;
	if (distance > entry)
		return dict_decode_fail(x, entry, "the meta that it refers to does not exist");
	*same = entry - (uint32_t)distance;
	return 0;
}

static int decode_types(struct decoder *x, uint32_t entry, struct dict_meta *m)
{
	const struct dict *d = x->d;

	if (get_same(x, entry, &m->same_types) < 0)
		return ERR_FORMAT;
	if (m->same_types < entry) {
		m->same_types = d->meta[m->same_types].same_types;
		m->n_types = d->meta[m->same_types].n_types;
		m->type = d->meta[m->same_types].type;
		m->temporality = d->meta[m->same_types].temporality;
		return 0;
	}
	if (get_length(x, entry, &m->n_types) < 0)
		return ERR_FORMAT;
	if (m->n_types == 0)
		return dict_decode_fail(x, entry, "there are no sample types");
	m->type = arena_alloc(d->mem, m->n_types, sizeof(*m->type));
	m->temporality = arena_alloc(d->mem, m->n_types, sizeof(*m->temporality));
	for (uint32_t t = 0; t < m->n_types; t++) {
		uint64_t v = 0;

		if (get_type(x, entry, &m->type[t]) < 0 || dict_decode_get(x, entry, &v) < 0)
			return ERR_FORMAT;
		if (v > TEMPORALITY_INCREASE)
			return dict_decode_fail(x, entry,
						"a type is neither a difference, cumulative, an increase nor a gauge");
		m->temporality[t] = (enum temporality)v;
	}
	return 0;
}

static int decode_place(struct decoder *x, uint32_t entry, struct dict_place *p)
{
	const struct dict *d = x->d;
	const struct mapping *m;
	int64_t start = 0, size = 0;
	uint64_t flags = 0;
	uint32_t n_str = strtab_count(d->str);

	if (get_id(x, entry, d->n_maps, DICT_MAPPINGS, &p->map) < 0)
		return ERR_FORMAT;
	m = &d->map[p->map];
	if (get_signed(x, entry, &start) < 0 || get_signed(x, entry, &size) < 0 ||
	    get_delta(x, entry, m->file, n_str, DICT_STRINGS, &p->file) < 0 ||
	    get_delta(x, entry, m->kernel_symbol, n_str, DICT_STRINGS, &p->kernel_symbol) < 0 ||
	    dict_decode_get(x, entry, &flags) < 0)
		return ERR_FORMAT;
	if (flags >= FLAGS_END)
		return dict_decode_fail(x, entry, "unknown flags");
	p->start = m->start + (uint64_t)start;
	p->limit = p->start + (m->limit - m->start) + (uint64_t)size;
	p->has_functions = flags & 1;
	p->has_filenames = flags & 2;
	p->has_line_numbers = flags & 4;
	p->has_inline_frames = flags & 8;
	return 0;
}

static int decode_places(struct decoder *x, uint32_t entry, struct dict_meta *m)
{
	const struct dict *d = x->d;

	if (get_same(x, entry, &m->same_places) < 0)
		return ERR_FORMAT;
	if (m->same_places < entry) {
		m->same_places = d->meta[m->same_places].same_places;
		m->n_places = d->meta[m->same_places].n_places;
		m->place = d->meta[m->same_places].place;
		return 0;
	}
	if (get_length(x, entry, &m->n_places) < 0)
		return ERR_FORMAT;
	m->place = arena_alloc(d->mem, m->n_places, sizeof(*m->place));
	for (uint32_t i = 0; i < m->n_places; i++)
		if (decode_place(x, entry, &m->place[i]) < 0)
			return ERR_FORMAT;
	return 0;
}

static int decode_meta(struct decoder *x, uint32_t i)
{
	struct dict_meta m = { 0 };
	uint64_t has_period_type = 0;

	if (decode_types(x, i, &m) < 0 || decode_places(x, i, &m) < 0 || get_signed(x, i, &m.period) < 0 ||
	    dict_decode_get(x, i, &has_period_type) < 0 || get_type(x, i, &m.period_type) < 0 ||
	    get_string(x, i, &m.default_type) < 0 || get_string(x, i, &m.drop_frames) < 0 ||
	    get_string(x, i, &m.keep_frames) < 0 || get_string(x, i, &m.doc_url) < 0 ||
	    get_length(x, i, &m.n_comments) < 0)
		return ERR_FORMAT;
	m.has_period_type = has_period_type != 0;
	m.comment = arena_alloc(x->d->mem, m.n_comments, sizeof(*m.comment));
	for (uint32_t k = 0; k < m.n_comments; k++)
		if (get_string(x, i, &m.comment[k]) < 0)
			return ERR_FORMAT;
	return dict_append_meta(x->d, &m, x->err);
}

static int decode_one_series(struct decoder *x, uint32_t i)
{
	struct dict_series s = { 0 };
	struct dict *d = x->d;

	if ((size_t)(x->end - x->at) < sizeof(s.hash))
		return dict_decode_fail(x, i, "ends too early");
	memcpy(s.hash, x->at, sizeof(s.hash));
	x->at += sizeof(s.hash);
	if (get_string(x, i, &s.kind) < 0 || get_length(x, i, &s.n_labels) < 0)
		return ERR_FORMAT;
	s.name = arena_alloc(d->mem, s.n_labels, sizeof(*s.name));
	s.value = arena_alloc(d->mem, s.n_labels, sizeof(*s.value));
	for (uint32_t k = 0; k < s.n_labels; k++) {
		if (get_string(x, i, &s.name[k]) < 0 || get_string(x, i, &s.value[k]) < 0)
			return ERR_FORMAT;
		if (k && strcmp(strtab_text(d->str, s.name[k - 1]), strtab_text(d->str, s.name[k])) >= 0)
			return dict_decode_fail(x, i, "its labels are not sorted");
	}
	return dict_append_series(d, &s, x->err);
}

static int each(struct decoder *x, int (*decode)(struct decoder *x, uint32_t entry))
{
	for (uint32_t i = x->from; i < x->n; i++)
		if (decode(x, i) < 0)
			return x->err ? x->err->code : ERR_FORMAT;
	return 0;
}

static int decode_table(struct decoder *x)
{
	switch (x->table) {
	case DICT_STRINGS:
		return decode_strings(x);
	case DICT_FUNCTIONS:
		return decode_functions(x);
	case DICT_MAPPINGS:
		return each(x, decode_mapping);
	case DICT_LOCATIONS:
		return decode_locations(x);
	case DICT_NODES:
		return decode_nodes(x);
	case DICT_LABELS:
		return decode_labels(x);
	case DICT_LABEL_SETS:
		return decode_label_sets(x);
	case DICT_ROWS:
		return dict_decode_rows(x);
	case DICT_METAS:
		return each(x, decode_meta);
	case DICT_SERIES:
		return each(x, decode_one_series);
	case DICT_TABLES_END:
		break;
	}
	assert(!"a table");
	return ERR_FORMAT;
}

/* Skip entry 0 of strings and label sets, which a new dictionary has already. */
static int skip_empty(struct decoder *x)
{
	uint64_t length = 0;

	if (dict_decode_get(x, 0, &length) < 0)
		return ERR_FORMAT;
	if (length != 0)
		return dict_decode_fail(x, 0, "is not empty");
	x->from = 1;
	return 0;
}

/* Read the number of the first entry, and check it and the number of entries. */
static int dict_decode_begin(struct decoder *x, uint32_t items)
{
	static const uint8_t entry_bytes[DICT_TABLES_END] = {
		[DICT_STRINGS] = 1, [DICT_FUNCTIONS] = 4, [DICT_MAPPINGS] = 7,   [DICT_LOCATIONS] = 3,
		[DICT_NODES] = 2,   [DICT_LABELS] = 4,    [DICT_LABEL_SETS] = 1, [DICT_ROWS] = 2,
		[DICT_METAS] = 8,   [DICT_SERIES] = 18,
	};
	uint32_t count = dict_count(x->d, x->table);
	bool has_empty = (x->table == DICT_STRINGS || x->table == DICT_LABEL_SETS) && count == 1;
	uint64_t from = 0;

	if (!varint_get(&x->at, x->end, &from))
		return err_set(x->err, ERR_FORMAT, "%s: the number of the first entry is missing",
			       dict_table_name(x->table));
	if (from != count && !(has_empty && from == 0))
		return err_set(x->err, ERR_FORMAT, "%s: begin at entry %" PRIu64 ", but %" PRIu32 " are known",
			       dict_table_name(x->table), from, count);
	if (items > (uint64_t)(x->end - x->at) / entry_bytes[x->table])
		return err_set(x->err, ERR_FORMAT, "%s: %" PRIu32 " entries do not fit in %zu bytes",
			       dict_table_name(x->table), items, (size_t)(x->end - x->at));
	if (items > DICT_ID_MAX - from)
		return err_set(x->err, ERR_LIMIT, "%s: more than %u entries", dict_table_name(x->table), DICT_ID_MAX);
	x->from = (uint32_t)from;
	x->n = x->from + items;
	return from == 0 && has_empty && items ? skip_empty(x) : 0;
}

int dict_decode(struct dict *d, enum dict_table table, uint32_t items, const uint8_t *data, size_t n, struct err *err)
{
	struct err own;
	struct decoder x = { .d = d, .table = table, .at = data, .end = data + n, .err = err ? err : &own };
	int rc;

	dict_drop_index(d); /* it lacks the new entries */
	rc = dict_decode_begin(&x, items);
	if (rc == 0 && x.n > x.from)
		rc = decode_table(&x);
	if (rc == 0 && x.at != x.end)
		rc = err_set(x.err, ERR_FORMAT, "%s: %zu bytes follow the last entry", dict_table_name(table),
			     (size_t)(x.end - x.at));
	dict_count_memory(d);
	return rc;
}

int dict_keep_nodes(struct dict *d, uint32_t items, const uint8_t *data, size_t n, uint8_t *memory, struct err *err)
{
	struct decoder x = { .d = d, .table = DICT_NODES, .at = data, .end = data + n, .err = err };
	int rc = dict_decode_begin(&x, items);

	assert(d->n_nodes == 0 && !d->index);
	if (rc < 0)
		return rc;
	d->n_nodes = x.n;
	d->encoded_nodes = data;
	d->encoded_size = n;
	d->encoded_memory = memory;
	return 0;
}

int dict_decode_nodes(struct dict *d, struct err *err)
{
	uint32_t n = d->n_nodes;
	int rc;

	if (!d->encoded_nodes)
		return 0;
	d->n_nodes = 0;
	rc = dict_decode(d, DICT_NODES, n, d->encoded_nodes, d->encoded_size, err);
	free(d->encoded_memory);
	d->encoded_nodes = NULL;
	d->encoded_memory = NULL;
	return rc;
}

/* Find the second column, after n numbers. */
static const uint8_t *dict_nodes_skip(const uint8_t *at, const uint8_t *end, uint32_t n)
{
	for (; n >= 8 && end - at >= 8; at += 8) {
		uint64_t bytes;

		memcpy(&bytes, at, sizeof(bytes));
		n -= (uint32_t)__builtin_popcountll(~bytes & UINT64_C(0x8080808080808080));
	}
	for (; n > 0 && at < end; at++)
		n -= *at < 0x80;
	return at;
}

void dict_nodes_begin(struct dict_nodes *n, const struct dict *d)
{
	const uint8_t *at = d->encoded_nodes, *end = at + d->encoded_size;
	uint64_t first;

	*n = (struct dict_nodes){ .d = d };
	if (!at)
		return;
	(void)varint_get(&at, end, &first); /* dict_keep_nodes has checked it */
	n->parent = at;
	n->loc = dict_nodes_skip(at, end, d->n_nodes);
	n->end = end;
}
