/*
 * encode.c - write a profile as profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A first pass numbers the strings in pprof's order (number_strings), a second pass writes all fields: each message
 * after the strings and messages it refers to, so that a reader can process samples while the file is being inflated.
 * The sizes of location ids and of label sets are computed in advance, since many samples share them.
 */
#include "config.h"

#include "profile/encode.h"

#include "base/mem.h"
#include "profile/label_order.h"
#include "wire/profile_fields.h"
#include "wire/wire.h"

#include <assert.h>
#include <stdlib.h>

enum { BUFFER_BYTES = 1 << 16, PACKED_FROM = 3 };

/* A location id encoded as a varint of n bytes. */
enum { CODE_BYTES = 7 };
struct encode_code {
	uint8_t byte[CODE_BYTES], n;
};

struct encoder {
	const struct profile *p;
	struct encode_code *code; /* [n_locs]; NULL when an id takes more than CODE_BYTES */
	struct wire w;
	uint32_t n_str;
	str_id *str;           /* [n_str] in output order */
	uint32_t *number;      /* [strings of p] index in str, or PROFILE_NONE */
	bool has_empty;        /* does a label have the value ""? It is string n_str, because 0 means a number */
	uint32_t *label;       /* labels of the sets, from profile_label_order */
	uint64_t *labels_size; /* [label sets] encoded size of all labels of a sample, with tags */
	uint32_t *loc;         /* the current stack */
	size_t cap_loc;
};

static void number_string(struct encoder *e, str_id id)
{
	if (e->number[id] != PROFILE_NONE)
		return;
	e->number[id] = e->n_str;
	e->str[e->n_str++] = id;
}

static void number_labels(struct encoder *e)
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
			e->has_empty |= p->label_is_text[l] && p->label_text[l] == 0;
		}
		seen[set] = true;
	}
	free(seen);
}

static void number_strings(struct encoder *e)
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

static void make_codes(struct encoder *e)
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

static void profile_encode_type(struct encoder *e, uint32_t field, const struct value_type *t)
{
	uint32_t name = e->number[t->name], unit = e->number[t->unit];

	wire_head(&e->w, field, wire_size_nonzero(TYPE_NAME, name) + wire_size_nonzero(TYPE_UNIT, unit));
	wire_number_nonzero(&e->w, TYPE_NAME, name);
	wire_number_nonzero(&e->w, TYPE_UNIT, unit);
}

/* The field values of an encoded label; 0 for a missing field. */
struct label {
	uint64_t key, text, number, unit;
};

static struct label make_label(const struct encoder *e, uint32_t l)
{
	const struct profile *p = e->p;
	struct label v = { .key = e->number[p->label_key[l]] };

	if (p->label_is_text[l]) {
		v.text = p->label_text[l] ? e->number[p->label_text[l]] : e->n_str;
	} else {
		v.number = (uint64_t)p->label_num[l];
		v.unit = e->number[p->label_unit[l]];
	}
	return v;
}

static size_t label_size(const struct label *v)
{
	return wire_size_nonzero(LABEL_KEY, v->key) + wire_size_nonzero(LABEL_TEXT, v->text) +
	       wire_size_nonzero(LABEL_NUMBER, v->number) + wire_size_nonzero(LABEL_UNIT, v->unit);
}

static void size_labels(struct encoder *e)
{
	const struct csr *sets = &e->p->label_sets;

	for (uint32_t s = 0; s < sets->n; s++) {
		for (uint32_t i = sets->off[s]; i < sets->off[s + 1]; i++) {
			struct label v = make_label(e, e->label[i]);
			size_t n = label_size(&v);

			e->labels_size[s] += 1 + wire_size(n) + n;
		}
	}
}

static void profile_encode_labels(struct encoder *e, uint32_t set)
{
	const uint32_t *off = e->p->label_sets.off;

	for (uint32_t i = off[set]; i < off[set + 1]; i++) {
		struct label v = make_label(e, e->label[i]);

		wire_head(&e->w, SAMPLE_LABEL, label_size(&v));
		wire_number_nonzero(&e->w, LABEL_KEY, v.key);
		wire_number_nonzero(&e->w, LABEL_TEXT, v.text);
		wire_number_nonzero(&e->w, LABEL_NUMBER, v.number);
		wire_number_nonzero(&e->w, LABEL_UNIT, v.unit);
	}
}

/* Encoded size of a list of n numbers of size bytes in total, in a field below 16. */
static size_t list_size(size_t n, size_t size)
{
	return n < PACKED_FROM ? n + size : 1 + wire_size(size) + size;
}

static size_t encode_stack_size(const struct encoder *e, const uint32_t *loc, size_t n)
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

/*
 * Write the frames of a packed list of size bytes. Each code is copied with its constant struct size, and the next
 * code overwrites the excess.
 */
static void encode_frames(struct encoder *e, const uint32_t *loc, size_t n, size_t size)
{
	struct wire *w = &e->w;

	if (e->code && size < BUFFER_BYTES - sizeof(struct encode_code) &&
	    wire_make_room(w, size + sizeof(struct encode_code))) {
		uint8_t *at = w->data + w->len;

		for (size_t i = 0; i < n; i++) {
			memcpy(at, &e->code[loc[i]], sizeof(struct encode_code));
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
		size += wire_size((uint64_t)p->value[t][row]);
	return size;
}

static void encode_sample(struct encoder *e, uint32_t row)
{
	const struct profile *p = e->p;
	size_t n = p->stacks.off[p->stack[row] + 1] - p->stacks.off[p->stack[row]], locs, values = values_size(p, row);
	const uint32_t *loc = e->loc = mem_grow(e->loc, &e->cap_loc, n, sizeof(*e->loc));
	struct wire *w = &e->w;

	stack_read(&p->stacks, p->stacks.off[p->stack[row]], n, e->loc);
	locs = encode_stack_size(e, loc, n);
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
		wire_varint(w, (uint64_t)p->value[t][row]);
	}
	profile_encode_labels(e, p->labels[row]);
}

static void encode_mapping(struct encoder *e, const struct mapping *m)
{
	struct wire *w = &e->w;
	size_t mark = wire_open(w, PROFILE_MAPPING);

	wire_number_nonzero(w, MAPPING_ID, m->id);
	wire_number_nonzero(w, MAPPING_START, m->start);
	wire_number_nonzero(w, MAPPING_LIMIT, m->limit);
	wire_number_nonzero(w, MAPPING_OFFSET, m->offset);
	wire_number_nonzero(w, MAPPING_FILE, e->number[m->file]);
	wire_number_nonzero(w, MAPPING_BUILD_ID, e->number[m->build_id]);
	wire_number_nonzero(w, MAPPING_FUNCTIONS, m->has_functions);
	wire_number_nonzero(w, MAPPING_FILENAMES, m->has_filenames);
	wire_number_nonzero(w, MAPPING_LINES, m->has_line_numbers);
	wire_number_nonzero(w, MAPPING_INLINES, m->has_inline_frames);
	wire_close(w, mark);
}

static size_t line_size(const struct profile *p, uint32_t line)
{
	return wire_size_nonzero(LINE_FUNCTION, p->func_id[p->line_func[line]]) +
	       wire_size_nonzero(LINE_NUMBER, (uint64_t)p->line_no[line]) +
	       wire_size_nonzero(LINE_COLUMN, (uint64_t)p->line_col[line]);
}

/* Write a location. Its size is computed in advance, since its lines may not fit into the buffer. */
static void encode_location(struct encoder *e, uint32_t loc)
{
	const struct profile *p = e->p;
	uint64_t map = p->loc_map[loc] == PROFILE_NONE ? 0 : p->map[p->loc_map[loc]].id;
	size_t size = wire_size_nonzero(LOCATION_ID, p->loc_id[loc]) + wire_size_nonzero(LOCATION_MAPPING, map) +
		      wire_size_nonzero(LOCATION_ADDRESS, p->loc_addr[loc]) +
		      wire_size_nonzero(LOCATION_FOLDED, p->loc_folded[loc]);
	struct wire *w = &e->w;

	for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++) {
		size_t n = line_size(p, l);

		size += 1 + wire_size(n) + n;
	}
	wire_head(w, PROFILE_LOCATION, size);
	wire_number_nonzero(w, LOCATION_ID, p->loc_id[loc]);
	wire_number_nonzero(w, LOCATION_MAPPING, map);
	wire_number_nonzero(w, LOCATION_ADDRESS, p->loc_addr[loc]);
	for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++) {
		wire_head(w, LOCATION_LINE, line_size(p, l));
		wire_number_nonzero(w, LINE_FUNCTION, p->func_id[p->line_func[l]]);
		wire_number_nonzero(w, LINE_NUMBER, (uint64_t)p->line_no[l]);
		wire_number_nonzero(w, LINE_COLUMN, (uint64_t)p->line_col[l]);
	}
	wire_number_nonzero(w, LOCATION_FOLDED, p->loc_folded[loc]);
}

static void encode_function(struct encoder *e, uint32_t f)
{
	const struct profile *p = e->p;
	struct wire *w = &e->w;
	size_t mark = wire_open(w, PROFILE_FUNCTION);

	wire_number_nonzero(w, FUNCTION_ID, p->func_id[f]);
	wire_number_nonzero(w, FUNCTION_NAME, e->number[p->func_name[f]]);
	wire_number_nonzero(w, FUNCTION_SYSTEM_NAME, e->number[p->func_sysname[f]]);
	wire_number_nonzero(w, FUNCTION_FILE, e->number[p->func_file[f]]);
	wire_number_nonzero(w, FUNCTION_START, (uint64_t)p->func_start[f]);
	wire_close(w, mark);
}

static void encode_comments(struct encoder *e)
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

static void profile_encode_meta(struct encoder *e)
{
	const struct profile_meta *m = &e->p->meta;
	struct wire *w = &e->w;

	wire_number_nonzero(w, PROFILE_DROP, e->number[m->drop_frames]);
	wire_number_nonzero(w, PROFILE_KEEP, e->number[m->keep_frames]);
	wire_number_nonzero(w, PROFILE_TIME, (uint64_t)m->time_ns);
	wire_number_nonzero(w, PROFILE_DURATION, (uint64_t)m->duration_ns);
	if (m->period_type.name || m->period_type.unit)
		profile_encode_type(e, PROFILE_PERIOD_TYPE, &m->period_type);
	wire_number_nonzero(w, PROFILE_PERIOD, (uint64_t)m->period);
	encode_comments(e);
	wire_number(w, PROFILE_DEFAULT_TYPE, e->number[m->default_type]);
	wire_number_nonzero(w, PROFILE_DOC_URL, e->number[m->doc_url]);
}

/* Source lines are not in the string table, so that readers without this extension need not store them. */
static void encode_texts(struct encoder *e)
{
	const struct profile *p = e->p;

	for (uint32_t i = 0; i < p->n_source_lines; i++) {
		size_t file_n = strtab_len(p->str, p->source_file[i]), text_n = strtab_len(p->str, p->source_text[i]);
		bool is_new_run = i == 0 || p->source_file[i] != p->source_file[i - 1] ||
				  p->source_line[i] != p->source_line[i - 1] + 1;

		if (is_new_run) {
			wire_bytes(&e->w, PROFILE_SOURCE_FILE, strtab_text(p->str, p->source_file[i]), file_n);
			wire_number(&e->w, PROFILE_SOURCE_LINE, (uint64_t)p->source_line[i]);
		}
		wire_bytes(&e->w, PROFILE_SOURCE_TEXT, strtab_text(p->str, p->source_text[i]), text_n);
	}
}

static void encode_string_table(struct encoder *e)
{
	const struct strtab *str = e->p->str;

	for (uint32_t i = 0; i < e->n_str; i++)
		wire_bytes(&e->w, PROFILE_STRING, strtab_text(str, e->str[i]), strtab_len(str, e->str[i]));
	if (e->has_empty)
		wire_bytes(&e->w, PROFILE_STRING, "", 0);
}

/* Sample types come first, because programs recognize the format by their tag. Their strings follow soon. */
static void encode_all(struct encoder *e)
{
	const struct profile *p = e->p;

	for (uint32_t i = 0; i < p->n_types; i++)
		profile_encode_type(e, PROFILE_TYPE, &p->type[i]);
	profile_encode_meta(e);
	encode_string_table(e);
	for (uint32_t i = 0; i < p->n_maps; i++)
		encode_mapping(e, &p->map[i]);
	for (uint32_t i = 0; i < p->n_funcs; i++)
		encode_function(e, i);
	for (uint32_t i = 0; i < p->n_locs; i++)
		encode_location(e, i);
	for (uint32_t i = 0; i < p->n_rows; i++)
		encode_sample(e, i);
	encode_texts(e);
}

/* A sink that fails past 2 GiB, and passes data to the caller's sink. */
struct limited_sink {
	wire_sink_fn sink;
	void *arg;
	size_t n;
};

static bool limited_sink_write(void *arg, const void *data, size_t n)
{
	struct limited_sink *l = arg;

	if (n > INT32_MAX - l->n)
		return false;
	l->n += n;
	return l->sink(l->arg, data, n);
}

int profile_encode_to(const struct profile *p, wire_sink_fn sink, void *arg, struct err *err)
{
	struct limited_sink limited_sink = { sink, arg, 0 };
	uint32_t n_strings = strtab_count(p->str);
	struct encoder e = { .p = p,
			     .str = mem_alloc(n_strings, sizeof(str_id)),
			     .number = mem_alloc(n_strings, sizeof(uint32_t)),
			     .label = profile_label_order(p),
			     .labels_size = mem_zalloc(p->label_sets.n, sizeof(uint64_t)) };
	void *buffer = mem_alloc(BUFFER_BYTES, 1);
	bool is_complete;

	memset(e.number, 0xff, n_strings * sizeof(uint32_t));
	wire_begin(&e.w, buffer, BUFFER_BYTES, limited_sink_write, &limited_sink);
	number_strings(&e);
	size_labels(&e);
	make_codes(&e);
	encode_all(&e);
	is_complete = wire_end(&e.w);
	free(buffer);
	free(e.code);
	free(e.str);
	free(e.number);
	free(e.label);
	free(e.labels_size);
	free(e.loc);
	if (is_complete)
		return 0;
	return err_set(err, ERR_LIMIT, "more than 2 GiB as profile.proto, which no protobuf reader accepts");
}

static bool buf_sink(void *arg, const void *data, size_t n)
{
	buf_add(arg, data, n);
	return true;
}

int profile_encode(const struct profile *p, struct buf *out, struct err *err)
{
	size_t before = out->len;
	int rc = profile_encode_to(p, buf_sink, out, err);

	assert(p);
	if (rc < 0)
		out->len = before;
	return rc;
}
