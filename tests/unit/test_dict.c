/*
 * test_dict.c - dictionaries of stored profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/dict.h"

#include "base/buf.h"
#include "base/io.h"
#include "merge_parts.h"
#include "profile/check.h"
#include "profile/merge.h"
#include "reader/reader.h"

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
	const struct csr *s = &p->stacks, *l = &p->label_sets;
	uint32_t stack = p->stack[row], set = p->labels[row];
	struct buf out = { 0 };

	for (uint32_t t = 0; t < p->n_types; t++)
		buf_addf(&out, "%" PRId64 " ", p->value[SIDE_TARGET][t][row]);
	for (uint32_t i = s->off[stack]; i < s->off[stack + 1]; i++)
		add_loc(&out, p, s->item[i]);
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
	if (reader_read(&in, &reader_limits_default, &p, &err) < 0)
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

static void every_profile_is_given_back_in_normal_form(void **state)
{
	struct stored s[N_FILES];
	struct profile *p[N_FILES];
	struct dict d;

	(void)state;
	if (!getenv("TESTDATA"))
		skip();
	dict_init(&d);
	for (size_t i = 0; i < N_FILES; i++) {
		p[i] = load(files[i]);
		s[i] = add(&d, p[i]);
	}
	for (size_t i = 0; i < N_FILES; i++) {
		assert_stored(&d, &s[i], p[i]);
		stored_release(&s[i]);
		profile_free(p[i]);
	}
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
	stored_release(&one);
	stored_release(&other);
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
		stored_release(&s);
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

		stored_release(&s);
		profile_free(p);
	}
	log_growth(&d, from, log, items);
	replay(&copy, log, items);
	for (size_t i = 0; i < N_FILES; i++) {
		struct profile *p = load(files[i]);
		struct stored s = add(&copy, p);

		stored_release(&s);
		profile_free(p);
	}
	assert_same_dict(&d, &copy);
	release_log(log);
	dict_release(&d);
	dict_release(&copy);
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

		stored_release(&s);
		profile_free(p);
	}
	for (size_t i = 0; i < N_FILES; i++) {
		struct profile *p = load(files[i]), *expect = normal_form(p), *got;
		struct stored s = add(&from, p);
		struct dict_translation *t = dict_translation_new(&to, &from);

		for (uint32_t k = 0; k < s.n; k++)
			assert_int_equal(dict_translate_row(t, s.row[k], &s.row[k], &err), 0);
		assert_int_equal(dict_translate_meta(t, s.meta, &s.meta, &err), 0);
		got = make(&to, &s);
		assert_same_profile(expect, got);
		dict_translation_free(t);
		stored_release(&s);
		profile_free(p);
		profile_free(expect);
		profile_free(got);
	}
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
	stored_release(&a);
	stored_release(&b);
	dict_release(&d);
	profile_free(one);
	profile_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_profile_is_given_back_in_normal_form),
		cmocka_unit_test(adding_a_profile_again_adds_no_entries),
		cmocka_unit_test(entries_logged_in_steps_give_an_equal_dictionary),
		cmocka_unit_test(a_decoded_dictionary_finds_its_entries_again),
		cmocka_unit_test(a_translated_profile_is_the_same),
		cmocka_unit_test(a_program_at_two_addresses_has_one_location_and_two_places),
	};

	return cmocka_run_group_tests_name("dict", tests, NULL, NULL);
}
