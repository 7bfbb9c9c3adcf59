/*
 * tables.c - the tables of a message as mappings, functions, locations and stacks of the model
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/otlp/otlp_int.h"

#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_LINE_FUNCTION = 1, TABLE_LINE_NUMBER, TABLE_LINE_COLUMN };

static const char *const otlp_table_name[OTLP_TABLES] = { "mapping", "location",  "function", "link",
							  "string",  "attribute", "unit",     "stack" };

/* Attributes with the build id of a mapping, the best one first. */
static const char *const otlp_build_id_keys[] = { "process.executable.build_id.gnu", "process.executable.build_id.go",
						  "process.executable.build_id.htlhash", NULL };

void otlp_tables_release(struct otlp_tables *t)
{
	for (size_t i = 0; i < OTLP_TABLES; i++)
		free(t->spans[i].item);
	free(t->string);
	free(t->map);
	free(t->loc);
	free(t->func);
	free(t->stack);
	free(t->label);
	free(t->unit_key);
	free(t->unit);
	free(t->has_line);
	free(t->has_no_line);
	idtab_release(&t->unit_at);
}

int otlp_string(const struct otlp_reader *r, uint64_t index, const char *what, str_id *out, struct err *err)
{
	size_t n = r->tables.spans[OTLP_STRINGS].n;

	*out = 0;
	if (index == 0 && n == 0)
		return 0;
	if (index >= n)
		return err_set(err, ERR_FORMAT, "%s: string %" PRIu64 " of %zu does not exist", what, index, n);
	*out = r->tables.string[index];
	return 0;
}

/* Collect the entries of all tables. */
static int otlp_tables_collect(struct otlp_reader *r, struct otlp_span message, struct err *err)
{
	struct otlp_tables *t = &r->tables;
	struct cursor c = otlp_cursor(message);
	struct field f;

	for (size_t i = 0; i < OTLP_TABLES; i++)
		t->spans[i].n = 0;
	while (otlp_next_field(&c, &f))
		for (size_t i = 0; f.type == WIRE_BYTES && i < OTLP_TABLES; i++)
			if (r->fields->table[i] == f.number)
				otlp_spans_add(&t->spans[i], &f);
	for (size_t i = 0; i < OTLP_TABLES; i++)
		if (format_exceeds(t->spans[i].n, r->options->max_count))
			return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %ss; raise the limit with --max-count",
				       r->options->max_count, otlp_table_name[i]);
	return otlp_check(&c, err);
}

static void otlp_read_strings(struct otlp_reader *r)
{
	struct otlp_tables *t = &r->tables;
	const struct otlp_spans *s = &t->spans[OTLP_STRINGS];

	t->string = mem_grow(t->string, &t->cap_strings, s->n + 1, sizeof(*t->string));
	for (size_t i = 0; i < s->n; i++)
		t->string[i] = strtab_add(builder_strings(r->b), (const char *)s->item[i].data, s->item[i].n);
}

/* Read the units of attributes, before 1.8. */
static int otlp_read_units(struct otlp_reader *r, struct err *err)
{
	struct otlp_tables *t = &r->tables;
	const struct otlp_spans *s = &t->spans[OTLP_UNITS];
	int rc = 0;

	idtab_release(&t->unit_at);
	idtab_init(&t->unit_at, s->n);
	t->unit_key = mem_grow(t->unit_key, &t->cap_unit_keys, s->n + 1, sizeof(*t->unit_key));
	t->unit = mem_grow(t->unit, &t->cap_units, s->n + 1, sizeof(*t->unit));
	for (size_t i = 0; i < s->n && rc == 0; i++) {
		struct cursor c = otlp_cursor(s->item[i]);
		uint64_t index[2] = { 0, 0 };
		struct field f;

		while (otlp_next_field(&c, &f))
			if (f.type == WIRE_VARINT && (f.number == 1 || f.number == 2))
				index[f.number - 1] = f.value;
		rc = otlp_check(&c, err);
		rc = rc < 0 ? rc : otlp_string(r, index[0], "key", &t->unit_key[i], err);
		rc = rc < 0 ? rc : otlp_string(r, index[1], "unit", &t->unit[i], err);
		if (rc < 0)
			return err_wrap(err, "unit %zu", i);
		idtab_put(&t->unit_at, hash_u64(t->unit_key[i]), (uint32_t)i);
	}
	return rc;
}

/* The mapping of a location: its index, or UINT64_MAX for none. */
static uint64_t otlp_location_mapping(const struct otlp_reader *r, bool is_present, uint64_t index)
{
	const struct otlp_spans *maps = &r->tables.spans[OTLP_MAPPINGS];

	if (r->release == OTLP_1_3)
		is_present = maps->n > 0; /* 0 is not written */
	if (!is_present || (r->release >= OTLP_1_8 && index == 0))
		return UINT64_MAX;
	return index == 0 && maps->n && maps->item[0].n == 0 ? UINT64_MAX : index;
}

/* Find the mappings all of whose locations have lines, so that nothing looks for names. */
static void otlp_find_named_mappings(struct otlp_reader *r)
{
	struct otlp_tables *t = &r->tables;
	const struct otlp_fields *n = r->fields;
	size_t n_maps = t->spans[OTLP_MAPPINGS].n;

	t->has_line = mem_grow(t->has_line, &t->cap_has_line, n_maps + 1, sizeof(*t->has_line));
	t->has_no_line = mem_grow(t->has_no_line, &t->cap_has_no_line, n_maps + 1, sizeof(*t->has_no_line));
	memset(t->has_line, 0, n_maps * sizeof(*t->has_line));
	memset(t->has_no_line, 0, n_maps * sizeof(*t->has_no_line));
	for (size_t i = r->release >= OTLP_1_8; i < t->spans[OTLP_LOCATIONS].n; i++) {
		struct cursor c = otlp_cursor(t->spans[OTLP_LOCATIONS].item[i]);
		bool is_present = false, has_line = false;
		uint64_t index = 0;
		struct field f;

		while (otlp_next_field(&c, &f)) {
			has_line |= f.number == n->location_lines;
			is_present |= f.number == n->location_mapping;
			index = f.number == n->location_mapping ? f.value : index;
		}
		index = otlp_location_mapping(r, is_present, index);
		if (index < n_maps)
			*(has_line ? &t->has_line[index] : &t->has_no_line[index]) = true;
	}
}

/* Set the build id of a mapping from its attributes. */
static int otlp_set_build_id(struct otlp_reader *r, const struct field *f, struct mapping *m, struct err *err)
{
	struct otlp_ints index = { 0 };
	size_t rank = sizeof(otlp_build_id_keys) / sizeof(otlp_build_id_keys[0]) - 1;
	int rc = otlp_add_ints(&index, f, false, err);

	for (size_t i = 0; i < index.n && rc == 0; i++)
		rc = otlp_attribute_text(r, index.v[i], otlp_build_id_keys, &rank, &m->build_id, err);
	free(index.v);
	return rc;
}

static int otlp_read_mapping(struct otlp_reader *r, size_t i, struct err *err)
{
	const struct otlp_fields *n = r->fields;
	struct otlp_tables *t = &r->tables;
	struct cursor c = otlp_cursor(t->spans[OTLP_MAPPINGS].item[i]);
	bool is_named = t->has_line[i] && !t->has_no_line[i];
	struct mapping m = { .has_functions = is_named, .has_filenames = is_named, .has_line_numbers = is_named };
	struct field f;
	int rc = 0;

	t->map[i] = PROFILE_NONE;
	if (i == 0 && (r->release >= OTLP_1_8 || t->spans[OTLP_MAPPINGS].item[i].n == 0))
		return 0;
	while (rc == 0 && otlp_next_field(&c, &f)) {
		if (f.number == n->mapping_start)
			m.start = otlp_number(&c, &f);
		else if (f.number == n->mapping_limit)
			m.limit = otlp_number(&c, &f);
		else if (f.number == n->mapping_offset)
			m.offset = otlp_number(&c, &f);
		else if (f.number == n->mapping_file)
			rc = otlp_string(r, otlp_number(&c, &f), "file", &m.file, err);
		else if (f.number == n->mapping_build_id)
			rc = otlp_string(r, otlp_number(&c, &f), "build id", &m.build_id, err);
		else if (f.number == n->mapping_attributes)
			rc = otlp_set_build_id(r, &f, &m, err);
	}
	rc = rc < 0 ? rc : otlp_check(&c, err);
	return rc < 0 ? rc : location_table_mapping(r->locations, &m, &t->map[i], err);
}

static int otlp_read_function(struct otlp_reader *r, size_t i, struct err *err)
{
	const struct otlp_fields *n = r->fields;
	struct otlp_tables *t = &r->tables;
	struct cursor c = otlp_cursor(t->spans[OTLP_FUNCTIONS].item[i]);
	struct named_frame frame = { 0 };
	struct field f;
	int rc = 0;

	t->func[i] = PROFILE_NONE;
	if (i == 0 && (r->release >= OTLP_1_8 || t->spans[OTLP_FUNCTIONS].item[i].n == 0))
		return 0;
	while (rc == 0 && otlp_next_field(&c, &f)) {
		if (f.number == n->function_name)
			rc = otlp_string(r, otlp_number(&c, &f), "name", &frame.name, err);
		else if (f.number == n->function_system_name)
			rc = otlp_string(r, otlp_number(&c, &f), "system name", &frame.system_name, err);
		else if (f.number == n->function_file)
			rc = otlp_string(r, otlp_number(&c, &f), "file", &frame.file, err);
		else if (f.number == n->function_start)
			frame.start = (int64_t)otlp_number(&c, &f);
	}
	rc = rc < 0 ? rc : otlp_check(&c, err);
	return rc < 0 ? rc : named_frames_function(r->frames, &frame, &t->func[i], err);
}

/* Append a line of a location to r->line. */
static int otlp_read_table_line(struct otlp_reader *r, struct otlp_span message, size_t *n, struct err *err)
{
	struct otlp_tables *t = &r->tables;
	struct cursor c = otlp_cursor(message);
	struct builder_line line = { 0 };
	uint64_t index = 0;
	struct field f;

	while (otlp_next_field(&c, &f)) {
		if (f.number == TABLE_LINE_FUNCTION)
			index = otlp_number(&c, &f);
		else if (f.number == TABLE_LINE_NUMBER)
			line.no = (int64_t)otlp_number(&c, &f);
		else if (f.number == TABLE_LINE_COLUMN)
			line.col = (int64_t)otlp_number(&c, &f);
	}
	if (otlp_check(&c, err) < 0)
		return err->code;
	if (index == 0 && r->release >= OTLP_1_8)
		return 0;
	if (index >= t->spans[OTLP_FUNCTIONS].n)
		return err_set(err, ERR_FORMAT, "function %" PRIu64 " of %zu does not exist", index,
			       t->spans[OTLP_FUNCTIONS].n);
	line.func = t->func[index];
	if (line.func == PROFILE_NONE)
		return 0;
	r->line = mem_grow(r->line, &r->cap_lines, *n + 1, sizeof(*r->line));
	r->line[(*n)++] = line;
	return 0;
}

static int otlp_read_location(struct otlp_reader *r, size_t i, struct err *err)
{
	const struct otlp_fields *n = r->fields;
	struct otlp_tables *t = &r->tables;
	struct cursor c = otlp_cursor(t->spans[OTLP_LOCATIONS].item[i]);
	uint64_t addr = 0, map = 0;
	bool has_map = false, has_attributes = false;
	size_t n_lines = 0;
	struct field f;
	int rc = 0;

	t->loc[i] = PROFILE_NONE;
	if (i == 0 && (r->release >= OTLP_1_8 || t->spans[OTLP_LOCATIONS].item[i].n == 0))
		return 0;
	while (rc == 0 && otlp_next_field(&c, &f)) {
		if (f.number == n->location_address) {
			addr = otlp_number(&c, &f);
		} else if (f.number == n->location_mapping) {
			map = otlp_number(&c, &f);
			has_map = true;
		} else if (f.number == n->location_lines && f.type == WIRE_BYTES) {
			rc = otlp_read_table_line(r, otlp_field_span(&f), &n_lines, err);
		} else if (f.number == n->location_attributes) {
			has_attributes = true;
		}
	}
	if (has_attributes && !r->finds_types)
		skipped_add(&r->location_attributes, i);
	rc = rc < 0 ? rc : otlp_check(&c, err);
	map = otlp_location_mapping(r, has_map, map);
	if (rc == 0 && map != UINT64_MAX && map >= t->spans[OTLP_MAPPINGS].n)
		return err_set(err, ERR_FORMAT, "mapping %" PRIu64 " of %zu does not exist", map,
			       t->spans[OTLP_MAPPINGS].n);
	return rc < 0 ? rc
		      : location_table_location(r->locations, map == UINT64_MAX ? PROFILE_NONE : t->map[map], addr,
						r->line, n_lines, &t->loc[i], err);
}

/* Read all entries of a table. */
static int otlp_read_entries(struct otlp_reader *r, enum otlp_table table,
			     int (*read)(struct otlp_reader *r, size_t i, struct err *err), struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < r->tables.spans[table].n && rc == 0; i++) {
		rc = read(r, i, err);
		if (rc < 0)
			err_wrap(err, "%s %zu", otlp_table_name[table], i);
	}
	return rc;
}

int otlp_tables_read(struct otlp_reader *r, struct otlp_span message, struct err *err)
{
	struct otlp_tables *t = &r->tables;
	int rc = otlp_tables_collect(r, message, err);

	if (rc < 0)
		return rc;
	otlp_read_strings(r);
	if (r->finds_types)
		return 0;
	t->map = mem_grow(t->map, &t->cap_maps, t->spans[OTLP_MAPPINGS].n + 1, sizeof(*t->map));
	t->loc = mem_grow(t->loc, &t->cap_locs, t->spans[OTLP_LOCATIONS].n + 1, sizeof(*t->loc));
	t->func = mem_grow(t->func, &t->cap_funcs, t->spans[OTLP_FUNCTIONS].n + 1, sizeof(*t->func));
	t->stack = mem_grow(t->stack, &t->cap_stacks, t->spans[OTLP_STACKS].n + 1, sizeof(*t->stack));
	t->label = mem_grow(t->label, &t->cap_labels, t->spans[OTLP_ATTRIBUTES].n + 1, sizeof(*t->label));
	for (size_t i = 0; i < t->spans[OTLP_STACKS].n; i++)
		t->stack[i] = PROFILE_NONE;
	for (size_t i = 0; i < t->spans[OTLP_ATTRIBUTES].n; i++)
		t->label[i].label = PROFILE_NONE;
	rc = otlp_read_units(r, err);
	otlp_find_named_mappings(r);
	rc = rc < 0 ? rc : otlp_read_entries(r, OTLP_MAPPINGS, otlp_read_mapping, err);
	rc = rc < 0 ? rc : otlp_read_entries(r, OTLP_FUNCTIONS, otlp_read_function, err);
	return rc < 0 ? rc : otlp_read_entries(r, OTLP_LOCATIONS, otlp_read_location, err);
}

int otlp_stack_of(struct otlp_reader *r, const uint64_t *index, size_t n, uint32_t *out, struct err *err)
{
	const struct otlp_tables *t = &r->tables;
	size_t n_stack = 0;

	if (format_exceeds(n, r->options->max_depth))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " frames; raise the limit with --max-depth",
			       r->options->max_depth);
	r->stack = mem_grow(r->stack, &r->cap_stack, n + 1, sizeof(*r->stack));
	for (size_t i = 0; i < n; i++) {
		if (index[i] >= t->spans[OTLP_LOCATIONS].n)
			return err_set(err, ERR_FORMAT, "location %" PRIu64 " of %zu does not exist", index[i],
				       t->spans[OTLP_LOCATIONS].n);
		if (t->loc[index[i]] != PROFILE_NONE)
			r->stack[n_stack++] = t->loc[index[i]];
	}
	return builder_stack(r->b, r->stack, n_stack, builder_stack_hash(r->stack, n_stack), out, err);
}

int otlp_stack(struct otlp_reader *r, uint64_t index, uint32_t *out, struct err *err)
{
	struct otlp_tables *t = &r->tables;
	struct otlp_ints locations = { 0 };
	struct cursor c;
	struct field f;
	int rc = 0;

	if (index == 0)
		return otlp_stack_of(r, NULL, 0, out, err);
	if (index >= t->spans[OTLP_STACKS].n)
		return err_set(err, ERR_FORMAT, "stack %" PRIu64 " of %zu does not exist", index,
			       t->spans[OTLP_STACKS].n);
	*out = t->stack[index];
	if (*out != PROFILE_NONE)
		return 0;
	c = otlp_cursor(t->spans[OTLP_STACKS].item[index]);
	while (rc == 0 && otlp_next_field(&c, &f))
		if (f.number == 1)
			rc = otlp_add_ints(&locations, &f, false, err);
	rc = rc < 0 ? rc : otlp_check(&c, err);
	rc = rc < 0 ? rc : otlp_stack_of(r, locations.v, locations.n, out, err);
	free(locations.v);
	if (rc == 0)
		t->stack[index] = *out;
	return rc < 0 ? err_wrap(err, "stack %" PRIu64, index) : 0;
}
