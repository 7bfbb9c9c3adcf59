/*
 * test_dict.c - dictionaries of stored profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/format/dict.h"
#include "tests/unit/make_profile.h"

#include "base/buf.h"
#include "base/io.h"
#include "formats/formats.h"
#include "merge_parts.h"
#include "tests/unit/check_profile.h"
#include "profile/merge.h"

#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- profiles as text, a line per row, sorted --- */

static void add_text(struct buf *out, const struct profile *p, str_id id)
{
	size_t n = strtab_len(p->str, id);

	buf_addf(out, "%zu:", n);
	buf_add(out, profile_text(p, id), n);
	buf_addz(out, " ");
}

static void add_map(struct buf *out, const struct profile *p, uint32_t id)
{
	const struct mapping *m = &p->map[id];

	buf_addf(out, "{%" PRIx64 " %" PRIx64 " %" PRIx64 " %d%d%d%d ", m->start, m->limit, m->offset, m->has_functions,
		 m->has_filenames, m->has_line_numbers, m->has_inline_frames);
	add_text(out, p, m->file);
	add_text(out, p, m->build_id);
	add_text(out, p, m->kernel_symbol);
	buf_addz(out, "}");
}

static void add_loc(struct buf *out, const struct profile *p, uint32_t loc)
{
	buf_addf(out, "(%" PRIx64 " %d ", p->loc_addr[loc], p->loc_folded[loc]);
	if (p->loc_map[loc] != PROFILE_NONE)
		add_map(out, p, p->loc_map[loc]);
	for (uint32_t i = p->loc_line[loc]; i < p->loc_line[loc + 1]; i++) {
		uint32_t f = p->line_func[i];

		buf_addf(out, "[%" PRId64 " %" PRId64 " %" PRId64 " ", p->line_no[i], p->line_col[i], p->func_start[f]);
		add_text(out, p, p->func_name[f]);
		add_text(out, p, p->func_sysname[f]);
		add_text(out, p, p->func_file[f]);
		buf_addz(out, "]");
	}
	buf_addz(out, ")");
}

static char *row_text(const struct profile *p, uint32_t row)
{
	const struct stack_lists *s = &p->stacks;
	const struct csr *l = &p->label_sets;
	uint32_t stack = p->stack[row], set = p->labels[row];
	struct buf out = { 0 };

	for (uint32_t t = 0; t < p->n_types; t++)
		buf_addf(&out, "%" PRId64 " ", p->value[t][row]);
	for (uint32_t i = s->off[stack]; i < s->off[stack + 1]; i++)
		add_loc(&out, p, stack_id_at(s, i));
	for (uint32_t i = l->off[set]; i < l->off[set + 1]; i++) {
		uint32_t id = l->item[i];

		add_text(&out, p, p->label_key[id]);
		add_text(&out, p, p->label_text[id]);
		add_text(&out, p, p->label_unit[id]);
		buf_addf(&out, "%" PRId64 " %d;", p->label_num[id], p->label_is_text[id]);
	}
	buf_addz(&out, "\n");
	return out.data;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_value_type(struct buf *out, const struct profile *p, const struct value_type *t)
{
	add_text(out, p, t->name);
	add_text(out, p, t->unit);
}

static char *describe(const struct profile *p)
{
	char **row = malloc((p->n_rows + 1) * sizeof(*row));
	struct buf out = { 0 };

	buf_addf(&out, "%" PRId64 " %" PRId64 " %" PRId64 " %d ", p->meta.time_ns, p->meta.duration_ns, p->meta.period,
		 p->meta.has_period_type);
	for (uint32_t t = 0; t < p->n_types; t++)
		add_value_type(&out, p, &p->type[t]);
	add_value_type(&out, p, &p->meta.period_type);
	add_text(&out, p, p->meta.default_type);
	add_text(&out, p, p->meta.drop_frames);
	add_text(&out, p, p->meta.keep_frames);
	add_text(&out, p, p->meta.doc_url);
	for (uint32_t i = 0; i < p->meta.n_comments; i++)
		add_text(&out, p, p->meta.comment[i]);
	if (p->n_maps)
		add_map(&out, p, 0);
	buf_addf(&out, "\n%" PRIu32 " mappings, %" PRIu32 " functions, %" PRIu32 " locations\n", p->n_maps, p->n_funcs,
		 p->n_locs);
	for (uint32_t i = 0; i < p->n_rows; i++)
		row[i] = row_text(p, i);
	qsort(row, p->n_rows, sizeof(*row), compare_texts);
	for (uint32_t i = 0; i < p->n_rows; i++) {
		buf_addz(&out, row[i]);
		free(row[i]);
	}
	free(row);
	return out.data;
}

static void assert_same_profile(const struct profile *a, const struct profile *b)
{
	char *x = describe(a), *y = describe(b);

	if (strcmp(x, y) != 0) {
		size_t i = 0;

		while (x[i] == y[i])
			i++;
		fail_msg("profiles differ at byte %zu: %.200s\n--- but ---\n%.200s", i, x + i, y + i);
	}
	free(x);
	free(y);
}

/* --- profiles and dictionaries --- */

/* The files of testdata that the tests add. */
static const char *const files[] = {
	"go-cpu.pb.gz",   "go-heap1.pb.gz",     "go-heap2.pb.gz",  "go-mutex.pb.gz",
	"go-block.pb.gz", "go-goroutine.pb.gz", "go-allocs.pb.gz", "go-threadcreate.pb.gz",
	"cpp-cpu.pb.gz",  "node-heap.pb.gz",    "node-wall.pb.gz", "rust-cpu.pb.gz",
	"cpp.heap",       "java.cpu",           "cpp.contention",  "go-heap.txt",
};

enum { N_FILES = sizeof(files) / sizeof(files[0]) };

/* A file of testdata; NULL if it is not set. */
static struct profile *load(const char *file)
{
	const char *folder = getenv("TESTDATA");
	struct profile *p = NULL;
	struct bytes in;
	char path[512];

	if (!folder)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	assert_int_equal(io_read_file(path, SIZE_MAX, "", &in, &err), 0);
	if (formats_read(&in, &formats_options_default, &p, &err) < 0)
		fail_msg("%s: %s", file, err.msg);
	return p;
}

/* The normal form of a profile: equal rows added, unused entries removed, labels sorted. */
static struct profile *normal_form(const struct profile *p)
{
	struct merger *m = merger_new(false);
	struct profile *out;

	assert_int_equal(merger_add(m, &p, NULL, 1, &err), 0);
	out = merger_finish(m);
	merger_free(m);
	return out;
}

static struct stored add(struct dict *d, const struct profile *p)
{
	struct stored s = { 0 };

	if (dict_add_profile(d, p, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

/* The profile of s, at the addresses of its own process. */
static struct profile *make(const struct dict *d, const struct stored *s)
{
	struct profile *p = NULL;

	assert_int_equal(dict_make_profile(d, s, &(struct dict_profile_options){ .place_mappings = true }, &p, &err),
			 0);
	assert_int_equal(profile_check(p, &err), 0);
	return p;
}

/* Check that a stored profile is the normal form of p. */
static void assert_stored(const struct dict *d, const struct stored *s, const struct profile *p)
{
	struct profile *expect = normal_form(p), *got = make(d, s);

	for (uint32_t i = 1; i < s->n; i++)
		assert_true(s->row[i - 1] < s->row[i]);
	assert_same_profile(expect, got);
	profile_free(expect);
	profile_free(got);
}

/* Append the encodings of the entries after the counts in from, and update these. */
static void log_growth(const struct dict *d, uint32_t from[DICT_TABLES_END], struct buf log[DICT_TABLES_END],
		       uint32_t items[DICT_TABLES_END])
{
	for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++) {
		log[t].len = 0;
		items[t] = dict_count(d, t) - from[t];
		dict_encode(d, t, from[t], &log[t]);
		from[t] = dict_count(d, t);
	}
}

static void replay(struct dict *d, const struct buf log[DICT_TABLES_END], const uint32_t items[DICT_TABLES_END])
{
	for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++)
		if (dict_decode(d, t, items[t], (const uint8_t *)log[t].data, log[t].len, &err) < 0)
			fail_msg("%s", err.msg);
}

static void release_log(struct buf log[DICT_TABLES_END])
{
	for (int t = 0; t < DICT_TABLES_END; t++)
		buf_release(&log[t]);
}

/* Both dictionaries have the same entries in the same order. */
static void assert_same_dict(const struct dict *a, const struct dict *b)
{
	for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++) {
		struct buf x = { 0 }, y = { 0 };

		assert_int_equal(dict_count(a, t), dict_count(b, t));
		dict_encode(a, t, 0, &x);
		dict_encode(b, t, 0, &y);
		assert_int_equal(x.len, y.len);
		assert_memory_equal(x.data, y.data, x.len);
		buf_release(&x);
		buf_release(&y);
	}
}

/* --- tests --- */

/* Add a profile to d, and check that it is given back. Profiles whose sums overflow can be neither stored nor merged. */
static void check_file(struct dict *d, const char *path)
{
	struct profile *p = NULL;
	struct bytes in;
	struct stored s;

	assert_int_equal(io_read_file(path, SIZE_MAX, "", &in, &err), 0);
	if (formats_read(&in, &formats_options_default, &p, &err) < 0)
		return; /* test_reader.c checks which files are profiles */
	if (dict_add_profile(d, p, &s, &err) < 0) {
		struct merger *m = merger_new(false);

		assert_int_equal(merger_add(m, (const struct profile *const *)&p, NULL, 1, &err), ERR_RANGE);
		merger_free(m);
	} else {
		assert_stored(d, &s, p);
		dict_release_stored(&s);
	}
	profile_free(p);
}

static void every_profile_of_testdata_is_given_back_in_normal_form(void **state)
{
	const char *folder = getenv("TESTDATA");
	char pattern[512];
	struct dict d;
	glob_t found;

	(void)state;
	if (!folder)
		skip();
	snprintf(pattern, sizeof(pattern), "%s/{*.*,edge/*}", folder);
	assert_int_equal(glob(pattern, GLOB_BRACE, NULL, &found), 0);
	assert_true(found.gl_pathc > 60);
	dict_init(&d);
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_file(&d, found.gl_pathv[i]);
	globfree(&found);
	dict_release(&d);
}

static void adding_a_profile_again_adds_no_entries(void **state)
{
	uint32_t count[DICT_TABLES_END];
	struct stored one, other;
	struct profile *p = load("go-heap1.pb.gz");
	struct dict d;

	(void)state;
	if (!p)
		skip();
	dict_init(&d);
	one = add(&d, p);
	for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++)
		count[t] = dict_count(&d, t);
	other = add(&d, p);
	for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++)
		assert_int_equal(dict_count(&d, t), count[t]);
	assert_int_equal(one.meta, other.meta);
	assert_int_equal(one.n, other.n);
	assert_memory_equal(one.row, other.row, one.n * sizeof(*one.row));
	dict_release_stored(&one);
	dict_release_stored(&other);
	dict_release(&d);
	profile_free(p);
}

static void entries_logged_in_steps_give_an_equal_dictionary(void **state)
{
	uint32_t from[DICT_TABLES_END] = { 0 }, items[DICT_TABLES_END] = { 0 }, all[DICT_TABLES_END] = { 0 };
	struct buf log[DICT_TABLES_END] = { 0 };
	struct dict d, copy, whole;

	(void)state;
	if (!getenv("TESTDATA"))
		skip();
	dict_init(&d);
	dict_init(&copy);
	dict_init(&whole);
	for (size_t i = 0; i < N_FILES; i++) {
		const struct store_label label = { "instance", files[i] };
		struct profile *p = load(files[i]);
		struct stored s = add(&d, p);

		assert_int_equal(dict_add_series(&d, "shop", "cpu", &label, 1, &s.series, &err), 0);
		log_growth(&d, from, log, items);
		replay(&copy, log, items);
		assert_stored(&copy, &s, p);
		dict_release_stored(&s);
		profile_free(p);
	}
	assert_same_dict(&d, &copy);
	log_growth(&d, all, log, items);
	replay(&whole, log, items);
	assert_same_dict(&d, &whole);
	release_log(log);
	dict_release(&d);
	dict_release(&copy);
	dict_release(&whole);
}

static void a_decoded_dictionary_finds_its_entries_again(void **state)
{
	uint32_t from[DICT_TABLES_END] = { 0 }, items[DICT_TABLES_END];
	struct buf log[DICT_TABLES_END] = { 0 };
	struct dict d, copy;

	(void)state;
	if (!getenv("TESTDATA"))
		skip();
	dict_init(&d);
	dict_init(&copy);
	for (size_t i = 0; i < N_FILES; i++) {
		struct profile *p = load(files[i]);
		struct stored s = add(&d, p);

		dict_release_stored(&s);
		profile_free(p);
	}
	log_growth(&d, from, log, items);
	replay(&copy, log, items);
	for (size_t i = 0; i < N_FILES; i++) {
		struct profile *p = load(files[i]);
		struct stored s = add(&copy, p);

		dict_release_stored(&s);
		profile_free(p);
	}
	assert_same_dict(&d, &copy);
	release_log(log);
	dict_release(&d);
	dict_release(&copy);
}

static int compare_pairs(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* No two pairs [n] of the columns are equal. */
static void assert_distinct_pairs(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	uint64_t *pair = calloc(n + 1, sizeof(*pair));

	for (uint32_t i = 0; i < n; i++)
		pair[i] = (uint64_t)a[i] << 32 | b[i];
	qsort(pair, n, sizeof(*pair), compare_pairs);
	for (uint32_t i = 1; i < n; i++)
		assert_true(pair[i - 1] != pair[i]);
	free(pair);
}

static void assert_distinct_stacks(const struct dict *d)
{
	assert_true(d->n_rows > 1);
	assert_distinct_pairs(d->node_parent, d->node_loc, d->n_nodes);
	assert_distinct_pairs(d->row_node, d->row_labels, d->n_rows);
}

static void a_translated_profile_is_the_same(void **state)
{
	struct dict from, to;

	(void)state;
	if (!getenv("TESTDATA"))
		skip();
	dict_init(&from);
	dict_init(&to);
	for (size_t i = 0; i < N_FILES; i++) {
		struct profile *p = load(files[N_FILES - 1 - i]);
		struct stored s = add(i % 2 ? &to : &from, p);

		dict_release_stored(&s);
		profile_free(p);
	}
	for (size_t i = 0; i < N_FILES; i++) {
		struct profile *p = load(files[i]), *expect = normal_form(p), *got;
		struct stored s = add(&from, p);
		struct dict_translation *t = dict_translation_new(&to, &from);

		assert_int_equal(dict_translate_rows(t, s.row, s.n, &err), 0);
		assert_int_equal(dict_translate_meta(t, s.meta, &s.meta, &err), 0);
		got = make(&to, &s);
		assert_same_profile(expect, got);
		dict_translation_free(t);
		dict_release_stored(&s);
		profile_free(p);
		profile_free(expect);
		profile_free(got);
	}
	assert_distinct_stacks(&from);
	assert_distinct_stacks(&to);
	dict_release(&from);
	dict_release(&to);
}

/* A profile of a program at an address. */
static struct profile *program_at(uint64_t start, const char *file)
{
	struct builder *b = with_cpu();
	uint32_t map = add_mapping(b, start, start + 0x1000, file);
	struct builder_line line = { add_function(b, "f"), 1, 0 };
	struct profile *p;

	add_row(b, add_location(b, start + 16, map, &line, 1), 5);
	p = builder_seal(b);
	builder_free(b);
	return p;
}

static void a_program_at_two_addresses_has_one_location_and_two_places(void **state)
{
	struct profile *one = program_at(0x10000, "shop"), *other = program_at(0x90000, "shop");
	struct stored a, b;
	struct dict d;

	(void)state;
	dict_init(&d);
	a = add(&d, one);
	b = add(&d, other);
	assert_int_equal(d.n_maps, 1);
	assert_int_equal(d.n_locs, 1);
	assert_int_equal(d.n_rows, 1);
	assert_int_equal(d.loc_addr[0], 16);
	assert_int_not_equal(a.meta, b.meta);
	assert_stored(&d, &a, one);
	assert_stored(&d, &b, other);
	dict_release_stored(&a);
	dict_release_stored(&b);
	dict_release(&d);
	profile_free(one);
	profile_free(other);
}

/* A profile of a program with a build id, at a path. */
static struct profile *build_at(const char *file, bool has_functions)
{
	struct builder *b = with_cpu();
	struct mapping m = { .start = 0x1000,
			     .limit = 0x3000,
			     .file = text(b, file),
			     .build_id = text(b, "abc"),
			     .has_functions = has_functions };
	uint32_t map;

	assert_int_equal(builder_mapping(b, &m, &map, &err), 0);
	add_row(b, add_location(b, 0x1010, map, NULL, 0), 5);
	return seal(b);
}

static void a_build_at_two_paths_is_given_back_with_its_own(void **state)
{
	struct profile *one = build_at("/old/shop", false), *other = build_at("/new/shop", true);
	struct stored a, b;
	struct dict d;

	(void)state;
	dict_init(&d);
	a = add(&d, one);
	b = add(&d, other);
	assert_int_equal(d.n_maps, 1);
	assert_int_equal(d.n_rows, 1);
	assert_stored(&d, &a, one);
	assert_stored(&d, &b, other);
	dict_release_stored(&a);
	dict_release_stored(&b);
	dict_release(&d);
	profile_free(one);
	profile_free(other);
}

static void equal_rows_are_added_and_sums_of_0_left_out(void **state)
{
	struct builder *b = with_cpu();
	uint32_t one = add_frame(b, 1, PROFILE_NONE), two = add_frame(b, 2, PROFILE_NONE);
	struct profile *p;
	struct stored s;
	struct dict d;

	(void)state;
	add_row(b, one, 5);
	add_row(b, two, 3);
	add_row(b, one, 6);
	add_row(b, two, -3);
	p = seal(b);
	dict_init(&d);
	s = add(&d, p);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.value[0], 11);
	assert_int_equal(d.loc_addr[d.node_loc[d.row_node[s.row[0]]]], 1);
	dict_release_stored(&s);
	dict_release(&d);
	profile_free(p);
}

static void a_sum_of_equal_rows_that_overflows_is_an_error(void **state)
{
	struct builder *b = with_cpu();
	uint32_t one = add_frame(b, 1, PROFILE_NONE);
	struct profile *p;
	struct stored s;
	struct dict d;

	(void)state;
	add_row(b, one, INT64_MAX);
	add_row(b, one, 1);
	p = seal(b);
	dict_init(&d);
	assert_int_equal(dict_add_profile(&d, p, &s, &err), ERR_RANGE);
	assert_string_equal(err.msg, "sample 2: the sum of cpu for this stack and these labels overflows 64 bits");
	dict_release(&d);
	profile_free(p);
}

/* A profile with a row that has a number as label. */
static struct profile *with_number(int64_t number, const char *unit)
{
	struct builder *b = with_cpu();
	struct builder_label l = { .key = text(b, "bytes"), .num = number, .unit = text(b, unit) };
	uint32_t loc = add_frame(b, 1, PROFILE_NONE), label;

	assert_int_equal(builder_label(b, &l, &label, &err), 0);
	assert_int_equal(builder_sample(b, &(int64_t){ 1 }, &loc, 1, &label, 1, &err), 0);
	return seal(b);
}

static void numbers_and_units_of_labels_make_different_rows(void **state)
{
	struct profile *p[] = { with_number(16, "bytes"), with_number(32, "bytes"), with_number(16, "kb") };
	struct dict d;

	(void)state;
	dict_init(&d);
	for (uint32_t i = 0; i < 3; i++) {
		struct stored s = add(&d, p[i]);

		assert_int_equal(s.row[0], i);
		assert_stored(&d, &s, p[i]);
		dict_release_stored(&s);
		profile_free(p[i]);
	}
	assert_int_equal(d.n_rows, 3);
	assert_int_equal(d.n_nodes, 1);
	dict_release(&d);
}

static void a_sum_keeps_the_addresses_of_the_dictionary(void **state)
{
	struct profile *one = program_at(0x10000, "shop"), *other = program_at(0x90000, "shop"), *sum;
	struct stored a, b;
	struct dict d;

	(void)state;
	dict_init(&d);
	a = add(&d, one);
	b = add(&d, other);
	assert_int_equal(dict_make_profile(&d, &b, NULL, &sum, &err), 0);
	assert_int_equal(sum->map[0].start, 0x10000);
	assert_int_equal(sum->loc_addr[0], 0x10010);
	profile_free(sum);
	dict_release_stored(&a);
	dict_release_stored(&b);
	dict_release(&d);
	profile_free(one);
	profile_free(other);
}

static void labels_of_a_series_are_added_unless_a_sample_has_them(void **state)
{
	const struct store_label more[] = { { "a", "own" }, { "aa", "first" }, { "none", "" }, { "z", "last" } };
	const struct dict_profile_options options = { .more = more, .n_more = 4 };
	const char *const expect[] = { "a=mine", "aa=first", "b=text", "z=last", "number=" };
	struct builder *b = with_cpu();
	uint32_t loc = add_frame(b, 1, PROFILE_NONE);
	uint32_t labels[] = { add_label(b, "number", "", 7), add_label(b, "b", "text", 0),
			      add_label(b, "a", "mine", 0) };
	struct profile *p, *out;
	struct stored s;
	struct dict d;

	(void)state;
	assert_int_equal(builder_sample(b, &(int64_t){ 1 }, &loc, 1, labels, 3, &err), 0);
	p = seal(b);
	dict_init(&d);
	s = add(&d, p);
	assert_int_equal(dict_make_profile(&d, &s, &options, &out, &err), 0);
	assert_int_equal(out->label_sets.off[out->labels[0] + 1] - out->label_sets.off[out->labels[0]], 5);
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t l = out->label_sets.item[out->label_sets.off[out->labels[0]] + i];
		char label[32];

		snprintf(label, sizeof(label), "%s=%s", profile_text(out, out->label_key[l]),
			 profile_text(out, out->label_text[l]));
		assert_string_equal(label, expect[i]);
	}
	dict_release_stored(&s);
	dict_release(&d);
	profile_free(p);
	profile_free(out);
}

static void a_series_is_its_service_kind_and_labels(void **state)
{
	const struct store_label ab[] = { { "a", "bc" } }, abc[] = { { "ab", "c" } };
	uint8_t one[16], other[16];
	uint32_t id, again;
	struct dict d;

	(void)state;
	dict_init(&d);
	assert_int_equal(dict_add_series(&d, "shop", "cpu", ab, 1, &id, &err), 0);
	assert_int_equal(dict_add_series(&d, "shop", "cpu", abc, 1, &again, &err), 0);
	assert_int_equal(id, 0);
	assert_int_equal(again, 1);
	assert_int_equal(dict_add_series(&d, "shop", "cpu", ab, 1, &again, &err), 0);
	assert_int_equal(again, 0);
	assert_int_equal(dict_add_series(&d, "shop", "heap", ab, 1, &again, &err), 0);
	assert_int_equal(again, 2);
	dict_series_hash("shop", "cpu", ab, 1, one);
	assert_memory_equal(one, d.series[0].hash, 16);
	dict_series_hash("sho", "pcpu", ab, 1, other);
	assert_memory_not_equal(one, other, 16);
	dict_series_hash("shop", "cpu", abc, 1, other);
	assert_memory_not_equal(one, other, 16);
	dict_release(&d);
}

/* --- encoded tables that are not valid --- */

static int decode(struct dict *d, enum dict_table table, uint32_t items, const char *data, size_t n)
{
	return dict_decode(d, table, items, (const uint8_t *)data, n, &err);
}

#define DECODE(d, table, items, data) decode(d, table, items, data, sizeof(data) - 1)

static void every_cut_of_a_table_is_an_error(void **state)
{
	uint32_t from[DICT_TABLES_END] = { 0 }, items[DICT_TABLES_END];
	struct buf log[DICT_TABLES_END] = { 0 };
	struct profile *p = load("edge/labels.pb.gz");
	struct stored s;
	struct dict d;

	(void)state;
	if (!p)
		skip();
	dict_init(&d);
	s = add(&d, p);
	assert_int_equal(dict_add_series(&d, "shop", "cpu", &(struct store_label){ "a", "b" }, 1, &s.series, &err), 0);
	log_growth(&d, from, log, items);
	for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++)
		for (size_t cut = 0; cut < log[t].len; cut++) {
			uint8_t *data = malloc(cut + 1); /* a sanitizer detects reads after its end */
			struct dict copy;

			memcpy(data, log[t].data, cut);
			dict_init(&copy);
			for (int k = DICT_STRINGS; k < t; k++)
				assert_int_equal(decode(&copy, k, items[k], log[k].data, log[k].len), 0);
			assert_int_equal(dict_decode(&copy, t, items[t], data, cut, &err), ERR_FORMAT);
			assert_ptr_equal(strstr(err.msg, dict_table_name(t)), err.msg);
			dict_release(&copy);
			free(data);
		}
	dict_release_stored(&s);
	release_log(log);
	dict_release(&d);
	profile_free(p);
}

static void messages_name_the_table_and_the_entry(void **state)
{
	static const struct {
		enum dict_table table;
		uint32_t items;
		const char *data;
		size_t n;
		const char *message;
	} cases[] = {
#define CASE(table, items, data, message) { table, items, data, sizeof(data) - 1, message }
		CASE(DICT_STRINGS, 1, "\x02\x01x", "strings: begin at entry 2, but 1 are known"),
		CASE(DICT_STRINGS, 2, "\x01\x01\x01xx", "strings: entry 2 of 3: is equal to an earlier one"),
		CASE(DICT_STRINGS, 1, "\0\1x", "strings: entry 0 of 1: is not empty"),
		CASE(DICT_STRINGS, 4000000000, "\1\1\1xx", "strings: 4000000000 entries do not fit in 4 bytes"),
		CASE(DICT_STRINGS, 1, "\1\x7fx", "strings: entry 1 of 2: a list is longer than the data"),
		CASE(DICT_FUNCTIONS, 1, "\0\2\0\0\0", "functions: entry 0 of 1: strings: 1 of 1 does not exist"),
		CASE(DICT_FUNCTIONS, 1, "\0\1\0\0\0",
		     "functions: entry 0 of 1: strings: 18446744073709551615 of 1 does not exist"),
		CASE(DICT_FUNCTIONS, 1, "\0\0\0\0\0\0", "functions: 1 bytes follow the last entry"),
		CASE(DICT_MAPPINGS, 1, "\0\0\0\0\0\0\0\x10", "mappings: entry 0 of 1: unknown flags"),
		CASE(DICT_LOCATIONS, 1, "\0\2\0\0", "locations: entry 0 of 1: mappings: 1 of 1 does not exist"),
		CASE(DICT_NODES, 1, "\0\1\0", "stack nodes: entry 0 of 1: its caller does not exist"),
		CASE(DICT_NODES, 1, "\0\0\0", "stack nodes: entry 0 of 1: locations: 0 of 0 does not exist"),
		CASE(DICT_LABEL_SETS, 1, "\1\0", "label sets: entry 1 of 2: is empty, but is not entry 0"),
		CASE(DICT_ROWS, 1, "\0\2\0", "rows: entry 0 of 1: stack nodes: 1 of 1 does not exist"),
		CASE(DICT_METAS, 1, "\0\0\0\0\0\0\0\0\0", "metas: entry 0 of 1: there are no sample types"),
		CASE(DICT_METAS, 1, "\0\0\1\0\0\4\0\0\0",
		     "metas: entry 0 of 1: a type is neither a difference, cumulative, an increase nor a gauge"),
		CASE(DICT_METAS, 1, "\0\1\1\0\0\2\0\0\0",
		     "metas: entry 0 of 1: the meta that it refers to does not exist"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dict d;

		dict_init(&d);
		assert_int_equal(decode(&d, cases[i].table, cases[i].items, cases[i].data, cases[i].n), ERR_FORMAT);
		assert_string_equal(err.msg, cases[i].message);
		dict_release(&d);
	}
}

static void nothing_is_added_to_a_dictionary_with_equal_entries(void **state)
{
	struct profile *p = program_at(0x1000, "shop");
	struct stored s;
	struct dict d;

	(void)state;
	dict_init(&d);
	assert_int_equal(DECODE(&d, DICT_FUNCTIONS, 2, "\0\0\0\0\0\0\0\0\0"), 0);
	assert_int_equal(dict_add_profile(&d, p, &s, &err), ERR_FORMAT);
	assert_string_equal(err.msg, "functions: entry 1 is equal to an earlier one");
	dict_release(&d);
	profile_free(p);
}

static void memory_grows_with_the_entries(void **state)
{
	struct profile *p = load("go-cpu.pb.gz");
	struct stored s;
	struct dict d;
	size_t before;

	(void)state;
	if (!p)
		skip();
	dict_init(&d);
	before = d.memory;
	s = add(&d, p);
	assert_in_range(d.memory - before, 50000, 1000000);
	dict_release_stored(&s);
	dict_release(&d);
	profile_free(p);
}

/* The stack of a row as a text, leaf first. */
static void row_stack(const struct dict *d, uint32_t row, char *out)
{
	*out = 0;
	for (uint32_t at = d->row_node[row]; at != PROFILE_NONE; at = d->node_parent[at])
		sprintf(out + strlen(out), "%u ", (unsigned)d->node_loc[at]);
}

static void nodes_are_sorted_depth_first_and_rows_keep_their_stacks(void **state)
{
	static const char *const stacks[] = { "c;b;a", "d;a", "e;b;a", "x", "f;d;a", "y;x", "" };
	struct make m = make_start("cpu/nanoseconds");
	char before[7][32], after[32];
	struct stored s;
	struct dict d;
	struct profile *p;

	(void)state;
	for (size_t i = 0; i < 7; i++)
		ROW(&m, stacks[i], 1);
	p = make_end(&m);
	dict_init(&d);
	assert_int_equal(dict_add_profile(&d, p, &s, NULL), 0);
	assert_int_equal(d.n_rows, 7);
	for (uint32_t row = 0; row < 7; row++)
		row_stack(&d, row, before[row]);
	dict_sort_nodes(&d);
	for (uint32_t row = 0; row < 7; row++) {
		row_stack(&d, row, after);
		assert_string_equal(after, before[row]);
	}
	for (uint32_t i = 1, at = 0; i < d.n_nodes; at = i++) {
		while (at != PROFILE_NONE && at != d.node_parent[i])
			at = d.node_parent[at];
		assert_int_equal(at, d.node_parent[i]);
	}
	/* entries are found afterwards too */
	dict_release_stored(&s);
	assert_int_equal(dict_add_profile(&d, p, &s, NULL), 0);
	assert_int_equal(d.n_rows, 7);
	assert_int_equal(d.n_nodes, 8);
	dict_release_stored(&s);
	dict_release(&d);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_profile_of_testdata_is_given_back_in_normal_form),
		cmocka_unit_test(adding_a_profile_again_adds_no_entries),
		cmocka_unit_test(entries_logged_in_steps_give_an_equal_dictionary),
		cmocka_unit_test(a_decoded_dictionary_finds_its_entries_again),
		cmocka_unit_test(a_translated_profile_is_the_same),
		cmocka_unit_test(a_program_at_two_addresses_has_one_location_and_two_places),
		cmocka_unit_test(a_build_at_two_paths_is_given_back_with_its_own),
		cmocka_unit_test(equal_rows_are_added_and_sums_of_0_left_out),
		cmocka_unit_test(a_sum_of_equal_rows_that_overflows_is_an_error),
		cmocka_unit_test(numbers_and_units_of_labels_make_different_rows),
		cmocka_unit_test(a_sum_keeps_the_addresses_of_the_dictionary),
		cmocka_unit_test(labels_of_a_series_are_added_unless_a_sample_has_them),
		cmocka_unit_test(a_series_is_its_service_kind_and_labels),
		cmocka_unit_test(every_cut_of_a_table_is_an_error),
		cmocka_unit_test(messages_name_the_table_and_the_entry),
		cmocka_unit_test(nothing_is_added_to_a_dictionary_with_equal_entries),
		cmocka_unit_test(nodes_are_sorted_depth_first_and_rows_keep_their_stacks),
		cmocka_unit_test(memory_grows_with_the_entries),
	};

	return cmocka_run_group_tests_name("dict", tests, NULL, NULL);
}
