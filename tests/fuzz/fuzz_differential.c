/*
 * fuzz_differential.c - our decoder of profile.proto against protobuf-c
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both readers read the same bytes, decompressed first if necessary. When both accept them, all tables must be
 * equal. When protobuf-c accepts them and they are a valid profile by pprof's rules, ours must accept them too.
 * Ours may accept what protobuf-c rejects.
 *
 * Known differences, all in files that no program writes; see wire_is_plain and wire_count:
 *
 *	field number 0                 ours rejects it; protobuf-c ignores it as an unknown field
 *	field numbers over 29 bits     protobuf-c truncates them, and may take them for a known field
 *	booleans that are not varints    protobuf-c accepts any type; pprof and ours accept only varints
 *	booleans over 64 bits          ours truncates the number first, as Go does
 *	time_nanos twice               ours rejects it as two profiles in a file, as pprof does
 *	period_type twice              ours uses the last one, as pprof does; protobuf-c merges them
 *	a first string of NUL bytes    protobuf-c reads it as "", since its strings have no length
 */
#include "config.h"

#include "fuzz.h"

#include "formats/pprof/cursor.h"
#include "formats/pprof/pprof.h"
#include "profile.pb-c.h"

typedef Perftools__Profiles__Profile pb_profile;
typedef Perftools__Profiles__Sample pb_sample;
typedef Perftools__Profiles__Label pb_label;
typedef Perftools__Profiles__Location pb_location;

enum message { MESSAGE_PROFILE, MESSAGE_SAMPLE, MESSAGE_LOCATION, MESSAGE_FLAT };
enum { FIELD_STRING = 6, FIELD_TIME = 9, FIELD_PERIOD_TYPE = 11 };

/* Kinds of length-delimited fields; packed numbers and text have no nested fields. */
static int wire_inner(enum message m, uint64_t number)
{
	if (m == MESSAGE_PROFILE && number == 2)
		return MESSAGE_SAMPLE;
	if (m == MESSAGE_PROFILE && number == 4)
		return MESSAGE_LOCATION;
	if (m == MESSAGE_PROFILE && (number == 1 || number == 3 || number == 5 || number == FIELD_PERIOD_TYPE))
		return MESSAGE_FLAT;
	if ((m == MESSAGE_SAMPLE && number == 3) || (m == MESSAGE_LOCATION && number == 4))
		return MESSAGE_FLAT;
	return -1;
}

/* Is this field a bool? Only mappings and locations have such fields. */
static bool wire_is_bool(enum message m, uint64_t number)
{
	return (m == MESSAGE_FLAT && number >= 7 && number <= 10) || (m == MESSAGE_LOCATION && number == 5);
}

/* Is a message free of the known differences listed above? */
static bool wire_is_plain(const uint8_t *data, size_t n, enum message m)
{
	struct cursor c = { data, n ? data + n : data, NULL };
	struct field f;

	while (cursor_field(&c, &f)) {
		int inner = f.type == WIRE_BYTES ? wire_inner(m, f.number) : -1;

		if (f.number == 0 || f.number >> 29)
			return false;
		if (f.type == WIRE_VARINT && f.value == 0 && c.at[-1] != 0)
			return false;
		if (f.type != WIRE_VARINT && wire_is_bool(m, f.number))
			return false;
		if (inner >= 0 && !wire_is_plain(f.data, f.n, (enum message)inner))
			return false;
	}
	return true;
}

/* Count how often a field occurs at the top level; first_n is the length of the first. */
static size_t wire_count(const struct bytes *in, uint64_t number, size_t *first_n)
{
	struct cursor c = { in->data, in->n ? in->data + in->n : in->data, NULL };
	struct field f = { 0 };
	size_t count = 0;

	while (cursor_field(&c, &f))
		if (f.number == number && count++ == 0 && first_n)
			*first_n = f.n;
	return count;
}

static void need(bool good, const char *what, size_t i)
{
	if (good)
		return;
	fprintf(stderr, "the decoders differ: %s %zu\n", what, i);
	abort();
}

/* Is this an index of the string table? Without a table, only 0 is valid, for "". */
static bool text_valid(const pb_profile *pb, int64_t index)
{
	return index == 0 || (index > 0 && (uint64_t)index < pb->n_string_table);
}

static bool text_same(const struct profile *p, str_id id, const pb_profile *pb, int64_t index)
{
	if (!text_valid(pb, index))
		return false;
	return strcmp(profile_text(p, id), pb->n_string_table ? pb->string_table[index] : "") == 0;
}

/* A label with neither text nor number nor unit does not count. */
static bool label_is_kept(const pb_label *l)
{
	return l->str || l->num || l->num_unit;
}

static void compare_label(const struct profile *p, uint32_t id, const pb_profile *pb, const pb_label *l, size_t i)
{
	need(text_same(p, p->label_key[id], pb, l->key), "label key of sample", i);
	need(p->label_is_text[id] == (l->str != 0), "kind of label of sample", i);
	need(text_same(p, p->label_text[id], pb, l->str), "label text of sample", i);
	need(p->label_num[id] == (l->str ? 0 : l->num), "label number of sample", i);
	need(text_same(p, p->label_unit[id], pb, l->str ? 0 : l->num_unit), "label unit of sample", i);
}

static void compare_sample(const struct profile *p, const pb_profile *pb, size_t i)
{
	const pb_sample *s = pb->sample[i];
	uint32_t at = p->stacks.off[p->stack[i]], end = p->stacks.off[p->stack[i] + 1];
	uint32_t label = p->label_sets.off[p->labels[i]], label_end = p->label_sets.off[p->labels[i] + 1];

	need(s->n_value == p->n_types, "number of values of sample", i);
	for (uint32_t t = 0; t < p->n_types; t++)
		need(p->value[t][i] == s->value[t], "value of sample", i);
	need(end - at == s->n_location_id, "depth of sample", i);
	for (size_t k = 0; k < s->n_location_id; k++)
		need(p->loc_id[stack_id_at(&p->stacks, at + k)] == s->location_id[k], "stack of sample", i);
	for (size_t k = 0; k < s->n_label; k++) {
		if (!label_is_kept(s->label[k]))
			continue;
		need(label < label_end, "number of labels of sample", i);
		compare_label(p, p->label_sets.item[label++], pb, s->label[k], i);
	}
	need(label == label_end, "number of labels of sample", i);
}

static void compare_location(const struct profile *p, const pb_profile *pb, size_t i)
{
	const pb_location *l = pb->location[i];
	uint32_t map = p->loc_map[i], line = p->loc_line[i];

	need(p->loc_id[i] == l->id && p->loc_addr[i] == l->address && p->loc_folded[i] == l->is_folded, "location", i);
	if (pb->n_mapping && map != PROFILE_NONE)
		need(p->map[map].id == l->mapping_id, "mapping of location", i);
	for (size_t k = 0; pb->n_mapping && map == PROFILE_NONE && k < pb->n_mapping; k++)
		need(pb->mapping[k]->id != l->mapping_id, "mapping of location", i);
	need(p->loc_line[i + 1] - line == l->n_line, "number of lines of location", i);
	for (size_t k = 0; k < l->n_line; k++, line++)
		need(p->func_id[p->line_func[line]] == l->line[k]->function_id &&
			     p->line_no[line] == l->line[k]->line && p->line_col[line] == l->line[k]->column,
		     "line of location", i);
}

static void compare_function(const struct profile *p, const pb_profile *pb, size_t i)
{
	const Perftools__Profiles__Function *f = pb->function[i];

	need(p->func_id[i] == f->id && p->func_start[i] == f->start_line, "function", i);
	need(text_same(p, p->func_name[i], pb, f->name), "name of function", i);
	need(text_same(p, p->func_sysname[i], pb, f->system_name), "system name of function", i);
	need(text_same(p, p->func_file[i], pb, f->filename), "file of function", i);
}

static void compare_mapping(const struct profile *p, const pb_profile *pb, size_t i)
{
	const Perftools__Profiles__Mapping *m = pb->mapping[i];
	const struct mapping *o = &p->map[i];

	need(o->id == m->id && o->start == m->memory_start && o->limit == m->memory_limit &&
		     o->offset == m->file_offset,
	     "mapping", i);
	need(text_same(p, o->file, pb, m->filename), "file of mapping", i);
	need(text_same(p, o->build_id, pb, m->build_id), "build id of mapping", i);
	need(o->has_functions == m->has_functions && o->has_filenames == m->has_filenames &&
		     o->has_line_numbers == m->has_line_numbers && o->has_inline_frames == m->has_inline_frames,
	     "flags of mapping", i);
}

static bool type_same(const struct profile *p, const struct value_type *t, const pb_profile *pb,
		      const Perftools__Profiles__ValueType *v)
{
	return text_same(p, t->name, pb, v->type) && text_same(p, t->unit, pb, v->unit);
}

static void compare_meta(const struct profile *p, const pb_profile *pb, bool period_type_once)
{
	const struct profile_meta *m = &p->meta;

	need(m->time_ns == pb->time_nanos && m->duration_ns == pb->duration_nanos && m->period == pb->period, "times",
	     0);
	need(m->has_period_type == (pb->period_type != NULL), "period type", 0);
	if (pb->period_type && period_type_once)
		need(type_same(p, &m->period_type, pb, pb->period_type), "period type", 0);
	need(text_same(p, m->default_type, pb, pb->default_sample_type), "default sample type", 0);
	need(text_same(p, m->drop_frames, pb, pb->drop_frames), "drop frames", 0);
	need(text_same(p, m->keep_frames, pb, pb->keep_frames), "keep frames", 0);
	need(text_same(p, m->doc_url, pb, pb->doc_url), "address of documentation", 0);
	need(m->n_comments == pb->n_comment, "number of comments", 0);
	for (size_t i = 0; i < pb->n_comment; i++)
		need(text_same(p, m->comment[i], pb, pb->comment[i]), "comment", i);
}

static void compare(const struct profile *p, const pb_profile *pb, bool period_type_once)
{
	need(p->n_types == pb->n_sample_type, "number of types", 0);
	for (size_t i = 0; i < pb->n_sample_type; i++)
		need(type_same(p, &p->type[i], pb, pb->sample_type[i]), "type", i);
	need(p->n_locs == pb->n_location, "number of locations", 0);
	for (size_t i = 0; i < pb->n_location; i++)
		compare_location(p, pb, i);
	need(p->n_funcs == pb->n_function, "number of functions", 0);
	for (size_t i = 0; i < pb->n_function; i++)
		compare_function(p, pb, i);
	need(p->n_maps == (pb->n_mapping ? pb->n_mapping : 1), "number of mappings", 0);
	for (size_t i = 0; i < pb->n_mapping; i++)
		compare_mapping(p, pb, i);
	need(p->n_rows == pb->n_sample, "number of samples", 0);
	for (size_t i = 0; i < pb->n_sample; i++)
		compare_sample(p, pb, i);
	compare_meta(p, pb, period_type_once);
}

static int compare_ids(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool has_id(const uint64_t *sorted, size_t n, uint64_t id)
{
	return bsearch(&id, sorted, n, sizeof(id), compare_ids) != NULL;
}

/* Sort ids, and check that all are different and none is 0. */
static bool ids_valid(uint64_t *id, size_t n)
{
	qsort(id, n, sizeof(*id), compare_ids);
	for (size_t i = 0; i < n; i++)
		if (id[i] == 0 || (i && id[i] == id[i - 1]))
			return false;
	return true;
}

static bool types_valid(const pb_profile *pb)
{
	for (size_t i = 0; i < pb->n_sample_type; i++)
		if (!text_valid(pb, pb->sample_type[i]->type) || !text_valid(pb, pb->sample_type[i]->unit))
			return false;
	if (pb->period_type && (!text_valid(pb, pb->period_type->type) || !text_valid(pb, pb->period_type->unit)))
		return false;
	return pb->n_sample_type > 0;
}

static bool header_valid(const pb_profile *pb)
{
	for (size_t i = 0; i < pb->n_comment; i++)
		if (!text_valid(pb, pb->comment[i]))
			return false;
	return text_valid(pb, pb->drop_frames) && text_valid(pb, pb->keep_frames) &&
	       text_valid(pb, pb->default_sample_type) && text_valid(pb, pb->doc_url);
}

static bool mappings_valid(const pb_profile *pb)
{
	uint64_t *id = mem_alloc(pb->n_mapping, sizeof(*id));
	bool valid = true;

	for (size_t i = 0; i < pb->n_mapping; i++) {
		id[i] = pb->mapping[i]->id;
		valid = valid && text_valid(pb, pb->mapping[i]->filename) && text_valid(pb, pb->mapping[i]->build_id);
	}
	valid = valid && ids_valid(id, pb->n_mapping);
	free(id);
	return valid;
}

static bool functions_valid(const pb_profile *pb)
{
	uint64_t *id = mem_alloc(pb->n_function, sizeof(*id));
	bool valid = true;

	for (size_t i = 0; i < pb->n_function; i++) {
		const Perftools__Profiles__Function *f = pb->function[i];

		id[i] = f->id;
		valid = valid && text_valid(pb, f->name) && text_valid(pb, f->system_name) &&
			text_valid(pb, f->filename);
	}
	valid = valid && ids_valid(id, pb->n_function);
	for (size_t i = 0; valid && i < pb->n_location; i++)
		for (size_t k = 0; k < pb->location[i]->n_line; k++)
			valid = valid && has_id(id, pb->n_function, pb->location[i]->line[k]->function_id);
	free(id);
	return valid;
}

static bool sample_valid(const pb_profile *pb, const pb_sample *s, const uint64_t *locs)
{
	for (size_t k = 0; k < s->n_location_id; k++)
		if (!has_id(locs, pb->n_location, s->location_id[k]))
			return false;
	for (size_t k = 0; k < s->n_label; k++) {
		const pb_label *l = s->label[k];

		if (label_is_kept(l) && (!text_valid(pb, l->key) || !text_valid(pb, l->str) ||
					 (l->str == 0 && !text_valid(pb, l->num_unit))))
			return false;
	}
	return s->n_value == pb->n_sample_type;
}

static bool samples_valid(const pb_profile *pb)
{
	uint64_t *id = mem_alloc(pb->n_location, sizeof(*id));
	bool valid;

	for (size_t i = 0; i < pb->n_location; i++)
		id[i] = pb->location[i]->id;
	valid = ids_valid(id, pb->n_location);
	for (size_t i = 0; valid && i < pb->n_sample; i++)
		valid = sample_valid(pb, pb->sample[i], id);
	free(id);
	return valid;
}

/* Is it a profile that pprof accepts? From pprof profile/encode.go, postDecode, and CheckValid. */
static bool profile_valid(const struct bytes *in, const pb_profile *pb)
{
	size_t first_string = 0;

	wire_count(in, FIELD_STRING, &first_string);
	return first_string == 0 && wire_count(in, FIELD_TIME, NULL) < 2 && types_valid(pb) && header_valid(pb) &&
	       mappings_valid(pb) && functions_valid(pb) && samples_valid(pb);
}

static void both(const struct bytes *in)
{
	pb_profile *pb = perftools__profiles__profile__unpack(NULL, in->n, in->data);
	struct profile *p = NULL;
	struct err err = { 0 };
	int rc = pprof_read(in->data, in->n, &fuzz_limits, &p, &err);

	fuzz_judge(rc, p, &err);
	if (pb && wire_is_plain(in->data, in->n, MESSAGE_PROFILE)) {
		if (rc == 0)
			compare(p, pb, wire_count(in, FIELD_PERIOD_TYPE, NULL) < 2);
		else if (rc != ERR_LIMIT && profile_valid(in, pb))
			need(false, err.msg, 0);
	}
	if (pb)
		perftools__profiles__profile__free_unpacked(pb, NULL);
	profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in = fuzz_bytes(data, n), plain = { 0 };
	struct err err;

	if (format_inflate(&in, &fuzz_limits, &plain, &err) == 0)
		both(&plain);
	free(in.data);
	free(plain.data);
	return 0;
}
