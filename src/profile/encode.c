/*
 * encode.c - write a profile as profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Strings get their numbers in the order in which pprof meets them, in a pass of its own
 * (number_strings); then all fields are written once. The lengths of stacks and of label sets are
 * known before, since many samples share them.
 */
#include "config.h"

#include "profile/encode.h"

#include "base/mem.h"
#include "profile/label_order.h"
#include "wire/wire.h"

#include <assert.h>
#include <stdlib.h>

enum { BUFFER_BYTES = 1 << 16, PACKED_FROM = 3 };

enum {
	PROFILE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_DROP,
	PROFILE_KEEP,
	PROFILE_TIME,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_TYPE,
	PROFILE_DOC_URL,
	/* ours, far from what others may use: see proto/profile.proto */
	PROFILE_SOURCE_FILE = 6516833,
	PROFILE_SOURCE_LINE,
	PROFILE_SOURCE_TEXT
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_BUILD_ID,
	MAPPING_FUNCTIONS,
	MAPPING_FILENAMES,
	MAPPING_LINES,
	MAPPING_INLINES
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE, LOCATION_FOLDED };
enum { LINE_FUNCTION = 1, LINE_NUMBER, LINE_COLUMN };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_START };

/* A location id as a varint, at most so long; n is 0 when it is longer. */
enum { CODE_BYTES = 7 };
struct code {
	uint8_t byte[CODE_BYTES], n;
};

struct encoding {
	const struct profile *p;
	struct code *code; /* [locations]; NULL when some id is too long */
	struct wire w;
	uint32_t n_str;
	str_id *str;           /* [n_str] in the order of the file */
	uint32_t *number;      /* [strings of p] place in str, or PROFILE_NONE */
	uint32_t *label;       /* labels of each set, sorted */
	uint64_t *labels_size; /* [label sets] bytes of all labels of a sample with their tags */
};

static void number_string(struct encoding *e, str_id id)
{
	if (e->number[id] != PROFILE_NONE)
		return;
	e->number[id] = e->n_str;
	e->str[e->n_str++] = id;
}

static void number_labels(struct encoding *e)
{
	const struct profile *p = e->p;
	const uint32_t *off = p->label_sets.off;
	bool *seen = mem_zalloc(p->label_sets.n, sizeof(*seen));

	for (uint32_t row = 0; row < p->n_rows; row++) {
		uint32_t set = p->labels[row];

		for (uint32_t i = off[set]; !seen[set] && i < off[set + 1]; i++) {
			uint32_t l = e->label[i];

			number_string(e, p->label_key[l]);
			number_string(e, p->label_is_text[l] ? p->label_text[l] : p->label_unit[l]);
		}
		seen[set] = true;
	}
	free(seen);
}

static void number_strings(struct encoding *e)
{
	const struct profile *p = e->p;
	const struct profile_meta *m = &p->meta;

	number_string(e, 0);
	for (uint32_t i = 0; i < p->n_types; i++) {
		number_string(e, p->type[i].name);
		number_string(e, p->type[i].unit);
	}
	number_labels(e);
	for (uint32_t i = 0; i < p->n_maps; i++) {
		number_string(e, p->map[i].file);
		number_string(e, p->map[i].build_id);
	}
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		number_string(e, p->func_name[i]);
		number_string(e, p->func_sysname[i]);
		number_string(e, p->func_file[i]);
	}
	number_string(e, m->drop_frames);
	number_string(e, m->keep_frames);
	number_string(e, m->period_type.name);
	number_string(e, m->period_type.unit);
	for (uint32_t i = 0; i < m->n_comments; i++)
		number_string(e, m->comment[i]);
	number_string(e, m->default_type);
	number_string(e, m->doc_url);
}

static void make_codes(struct encoding *e)
{
	const struct profile *p = e->p;

	e->code = mem_alloc(p->n_locs, sizeof(*e->code));
	for (uint32_t i = 0; i < p->n_locs; i++) {
		if (wire_size(p->loc_id[i]) > CODE_BYTES) {
			free(e->code);
			e->code = NULL;
			return;
		}
		e->code[i].n = (uint8_t)(wire_put(e->code[i].byte, p->loc_id[i]) - e->code[i].byte);
	}
}

static void encode_type(struct encoding *e, uint32_t field, const struct value_type *t)
{
	uint32_t name = e->number[t->name], unit = e->number[t->unit];

	wire_head(&e->w, field, wire_size_set(TYPE_NAME, name) + wire_size_set(TYPE_UNIT, unit));
	wire_set(&e->w, TYPE_NAME, name);
	wire_set(&e->w, TYPE_UNIT, unit);
}

/* A label as it is written: numbers of strings, or 0. */
struct label {
	uint64_t key, text, number, unit;
};

static struct label label_of(const struct encoding *e, uint32_t l)
{
	const struct profile *p = e->p;
	struct label v = { .key = e->number[p->label_key[l]] };

	if (p->label_is_text[l]) {
		v.text = e->number[p->label_text[l]];
	} else {
		v.number = (uint64_t)p->label_num[l];
		v.unit = e->number[p->label_unit[l]];
	}
	return v;
}

static size_t label_size(const struct label *v)
{
	return wire_size_set(LABEL_KEY, v->key) + wire_size_set(LABEL_TEXT, v->text) +
	       wire_size_set(LABEL_NUMBER, v->number) + wire_size_set(LABEL_UNIT, v->unit);
}

static void size_labels(struct encoding *e)
{
	const struct csr *sets = &e->p->label_sets;

	for (uint32_t s = 0; s < sets->n; s++) {
		for (uint32_t i = sets->off[s]; i < sets->off[s + 1]; i++) {
			struct label v = label_of(e, e->label[i]);
			size_t n = label_size(&v);

			e->labels_size[s] += 1 + wire_size(n) + n;
		}
	}
}

static void encode_labels(struct encoding *e, uint32_t set)
{
	const uint32_t *off = e->p->label_sets.off;

	for (uint32_t i = off[set]; i < off[set + 1]; i++) {
		struct label v = label_of(e, e->label[i]);

		wire_head(&e->w, SAMPLE_LABEL, label_size(&v));
		wire_set(&e->w, LABEL_KEY, v.key);
		wire_set(&e->w, LABEL_TEXT, v.text);
		wire_set(&e->w, LABEL_NUMBER, v.number);
		wire_set(&e->w, LABEL_UNIT, v.unit);
	}
}

/* Bytes of a list of n numbers that take size bytes themselves, in a field below 16. */
static size_t list_size(size_t n, size_t size)
{
	return n < PACKED_FROM ? n + size : 1 + wire_size(size) + size;
}

static size_t stack_size(const struct encoding *e, const uint32_t *loc, size_t n)
{
	size_t size = 0;

	if (e->code)
		for (size_t i = 0; i < n; i++)
			size += e->code[loc[i]].n;
	else
		for (size_t i = 0; i < n; i++)
			size += wire_size(e->p->loc_id[loc[i]]);
	return size;
}

/* The frames of a packed list that takes size bytes. A code is written whole, the next over its end. */
static void encode_frames(struct encoding *e, const uint32_t *loc, size_t n, size_t size)
{
	struct wire *w = &e->w;

	if (e->code && size < BUFFER_BYTES - sizeof(struct code) && wire_make_room(w, size + sizeof(struct code))) {
		uint8_t *at = w->data + w->len;

		for (size_t i = 0; i < n; i++) {
			memcpy(at, &e->code[loc[i]], sizeof(struct code));
			at += e->code[loc[i]].n;
		}
		w->len += size;
		return;
	}
	for (size_t i = 0; i < n; i++)
		wire_varint(w, e->p->loc_id[loc[i]]);
}

static size_t values_size(const struct profile *p, uint32_t row)
{
	size_t size = 0;

	for (uint32_t t = 0; t < p->n_types; t++)
		size += wire_size((uint64_t)p->value[SIDE_TARGET][t][row]);
	return size;
}

static void encode_sample(struct encoding *e, uint32_t row)
{
	const struct profile *p = e->p;
	const uint32_t *loc = p->stacks.item + p->stacks.off[p->stack[row]];
	size_t n = p->stacks.off[p->stack[row] + 1] - p->stacks.off[p->stack[row]];
	size_t locs = stack_size(e, loc, n), values = values_size(p, row);
	struct wire *w = &e->w;

	wire_head(w, PROFILE_SAMPLE,
		  list_size(n, locs) + list_size(p->n_types, values) + e->labels_size[p->labels[row]]);
	if (n >= PACKED_FROM) {
		wire_head(w, SAMPLE_LOCATION, locs);
		encode_frames(e, loc, n, locs);
	}
	for (size_t i = 0; n < PACKED_FROM && i < n; i++)
		wire_number(w, SAMPLE_LOCATION, p->loc_id[loc[i]]);
	if (p->n_types >= PACKED_FROM)
		wire_head(w, SAMPLE_VALUE, values);
	for (uint32_t t = 0; t < p->n_types; t++) {
		if (p->n_types < PACKED_FROM)
			wire_varint(w, SAMPLE_VALUE << 3);
		wire_varint(w, (uint64_t)p->value[SIDE_TARGET][t][row]);
	}
	encode_labels(e, p->labels[row]);
}

static void encode_mapping(struct encoding *e, const struct mapping *m)
{
	struct wire *w = &e->w;
	size_t mark = wire_open(w, PROFILE_MAPPING);

	wire_set(w, MAPPING_ID, m->id);
	wire_set(w, MAPPING_START, m->start);
	wire_set(w, MAPPING_LIMIT, m->limit);
	wire_set(w, MAPPING_OFFSET, m->offset);
	wire_set(w, MAPPING_FILE, e->number[m->file]);
	wire_set(w, MAPPING_BUILD_ID, e->number[m->build_id]);
	wire_set(w, MAPPING_FUNCTIONS, m->has_functions);
	wire_set(w, MAPPING_FILENAMES, m->has_filenames);
	wire_set(w, MAPPING_LINES, m->has_line_numbers);
	wire_set(w, MAPPING_INLINES, m->has_inline_frames);
	wire_close(w, mark);
}

static size_t line_size(const struct profile *p, uint32_t line)
{
	return wire_size_set(LINE_FUNCTION, p->func_id[p->line_func[line]]) +
	       wire_size_set(LINE_NUMBER, (uint64_t)p->line_no[line]) +
	       wire_size_set(LINE_COLUMN, (uint64_t)p->line_col[line]);
}

/* A location may have more lines than fit into any buffer, so its length is counted before. */
static void encode_location(struct encoding *e, uint32_t loc)
{
	const struct profile *p = e->p;
	uint64_t map = p->loc_map[loc] == PROFILE_NONE ? 0 : p->map[p->loc_map[loc]].id;
	size_t size = wire_size_set(LOCATION_ID, p->loc_id[loc]) + wire_size_set(LOCATION_MAPPING, map) +
		      wire_size_set(LOCATION_ADDRESS, p->loc_addr[loc]) +
		      wire_size_set(LOCATION_FOLDED, p->loc_folded[loc]);
	struct wire *w = &e->w;

	for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++) {
		size_t n = line_size(p, l);

		size += 1 + wire_size(n) + n;
	}
	wire_head(w, PROFILE_LOCATION, size);
	wire_set(w, LOCATION_ID, p->loc_id[loc]);
	wire_set(w, LOCATION_MAPPING, map);
	wire_set(w, LOCATION_ADDRESS, p->loc_addr[loc]);
	for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++) {
		wire_head(w, LOCATION_LINE, line_size(p, l));
		wire_set(w, LINE_FUNCTION, p->func_id[p->line_func[l]]);
		wire_set(w, LINE_NUMBER, (uint64_t)p->line_no[l]);
		wire_set(w, LINE_COLUMN, (uint64_t)p->line_col[l]);
	}
	wire_set(w, LOCATION_FOLDED, p->loc_folded[loc]);
}

static void encode_function(struct encoding *e, uint32_t f)
{
	const struct profile *p = e->p;
	struct wire *w = &e->w;
	size_t mark = wire_open(w, PROFILE_FUNCTION);

	wire_set(w, FUNCTION_ID, p->func_id[f]);
	wire_set(w, FUNCTION_NAME, e->number[p->func_name[f]]);
	wire_set(w, FUNCTION_SYSTEM_NAME, e->number[p->func_sysname[f]]);
	wire_set(w, FUNCTION_FILE, e->number[p->func_file[f]]);
	wire_set(w, FUNCTION_START, (uint64_t)p->func_start[f]);
	wire_close(w, mark);
}

static void encode_comments(struct encoding *e)
{
	const struct profile_meta *m = &e->p->meta;
	size_t size = 0;

	for (uint32_t i = 0; m->n_comments >= PACKED_FROM && i < m->n_comments; i++)
		size += wire_size(e->number[m->comment[i]]);
	if (m->n_comments >= PACKED_FROM)
		wire_head(&e->w, PROFILE_COMMENT, size);
	for (uint32_t i = 0; i < m->n_comments; i++) {
		if (m->n_comments < PACKED_FROM)
			wire_varint(&e->w, PROFILE_COMMENT << 3);
		wire_varint(&e->w, e->number[m->comment[i]]);
	}
}

static void encode_meta(struct encoding *e)
{
	const struct profile_meta *m = &e->p->meta;
	struct wire *w = &e->w;

	wire_set(w, PROFILE_DROP, e->number[m->drop_frames]);
	wire_set(w, PROFILE_KEEP, e->number[m->keep_frames]);
	wire_set(w, PROFILE_TIME, (uint64_t)m->time_ns);
	wire_set(w, PROFILE_DURATION, (uint64_t)m->duration_ns);
	if (m->period_type.name || m->period_type.unit)
		encode_type(e, PROFILE_PERIOD_TYPE, &m->period_type);
	wire_set(w, PROFILE_PERIOD, (uint64_t)m->period);
	encode_comments(e);
	wire_number(w, PROFILE_DEFAULT_TYPE, e->number[m->default_type]);
	wire_set(w, PROFILE_DOC_URL, e->number[m->doc_url]);
}

/* Not the table of strings, which readers that know nothing of source lines would hold in memory. */
static void encode_texts(struct encoding *e)
{
	const struct profile *p = e->p;

	for (uint32_t i = 0; i < p->n_texts; i++) {
		size_t file_n = strtab_len(p->str, p->text_file[i]), text_n = strtab_len(p->str, p->text[i]);
		bool begins =
			i == 0 || p->text_file[i] != p->text_file[i - 1] || p->text_line[i] != p->text_line[i - 1] + 1;

		if (begins) {
			wire_bytes(&e->w, PROFILE_SOURCE_FILE, strtab_text(p->str, p->text_file[i]), file_n);
			wire_number(&e->w, PROFILE_SOURCE_LINE, (uint64_t)p->text_line[i]);
		}
		wire_bytes(&e->w, PROFILE_SOURCE_TEXT, strtab_text(p->str, p->text[i]), text_n);
	}
}

static void encode_all(struct encoding *e)
{
	const struct profile *p = e->p;

	for (uint32_t i = 0; i < p->n_types; i++)
		encode_type(e, PROFILE_TYPE, &p->type[i]);
	for (uint32_t i = 0; i < p->n_rows; i++)
		encode_sample(e, i);
	for (uint32_t i = 0; i < p->n_maps; i++)
		encode_mapping(e, &p->map[i]);
	for (uint32_t i = 0; i < p->n_locs; i++)
		encode_location(e, i);
	for (uint32_t i = 0; i < p->n_funcs; i++)
		encode_function(e, i);
	for (uint32_t i = 0; i < e->n_str; i++)
		wire_bytes(&e->w, PROFILE_STRING, strtab_text(p->str, e->str[i]), strtab_len(p->str, e->str[i]));
	encode_meta(e);
	encode_texts(e);
}

/* The caller's sink, up to 2 GiB. */
struct limited {
	wire_sink_fn sink;
	void *arg;
	size_t n;
};

static bool limited_take(void *arg, const void *data, size_t n)
{
	struct limited *l = arg;

	if (n > INT32_MAX - l->n)
		return false;
	l->n += n;
	return l->sink(l->arg, data, n);
}

int profile_encode_to(const struct profile *p, wire_sink_fn sink, void *arg, struct err *err)
{
	struct limited limited = { sink, arg, 0 };
	uint32_t n_strings = strtab_count(p->str);
	struct encoding e = { .p = p,
			      .str = mem_alloc(n_strings, sizeof(str_id)),
			      .number = mem_alloc(n_strings, sizeof(uint32_t)),
			      .label = profile_label_order(p),
			      .labels_size = mem_zalloc(p->label_sets.n, sizeof(uint64_t)) };
	void *buffer = mem_alloc(BUFFER_BYTES, 1);
	bool done;

	memset(e.number, 0xff, n_strings * sizeof(uint32_t));
	wire_begin(&e.w, buffer, BUFFER_BYTES, limited_take, &limited);
	number_strings(&e);
	size_labels(&e);
	make_codes(&e);
	encode_all(&e);
	done = wire_end(&e.w);
	free(buffer);
	free(e.code);
	free(e.str);
	free(e.number);
	free(e.label);
	free(e.labels_size);
	if (done)
		return 0;
	return err_set(err, ERR_LIMIT, "as profile.proto it takes more than 2 GiB, which nothing could read");
}

static bool buf_take(void *arg, const void *data, size_t n)
{
	buf_add(arg, data, n);
	return true;
}

int profile_encode(const struct profile *p, struct buf *out, struct err *err)
{
	size_t before = out->len;
	int rc = profile_encode_to(p, buf_take, out, err);

	assert(p);
	if (rc < 0)
		out->len = before;
	return rc;
}
