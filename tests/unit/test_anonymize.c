/*
 * test_anonymize.c - pseudonyms of names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/anonymize.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profile/edit.h"
#include "profile/encode.h"
#include "tests/unit/make_profile.h"

static const struct anonymize_options usual = { .salt = "0123456789abcdef", .n_salt = 16, .digits = ANONYMIZE_DIGITS };

static str_id text_of(struct make *m, const char *s)
{
	return make_text(m, s, strlen(s));
}

static uint32_t add_label(struct make *m, const char *key, const char *text, int64_t num, const char *unit)
{
	struct builder_label l = {
		.key = text_of(m, key), .text = text_of(m, text), .num = num, .unit = text_of(m, unit), .is_text = *text
	};
	uint32_t id;

	assert_int_equal(builder_label(m->b, &l, &id, NULL), 0);
	return id;
}

/* A profile with a secret in each place. */
static struct profile *make_secrets(void)
{
	struct make m = make_start("samples/count cpu/nanoseconds");
	struct mapping map = { .id = 1, .start = 0x1000, .limit = 0x2000 };
	struct profile_meta *meta = builder_meta(m.b);
	uint32_t label[5];

	map.file = text_of(&m, "/opt/secret-binary");
	map.build_id = text_of(&m, "5ec2e7b01d5ec2e7");
	map.kernel_symbol = text_of(&m, "secret_symbol");
	builder_mapping(m.b, &map, &m.map, NULL);
	label[0] = add_label(&m, "secret-key", "secret-value", 0, "");
	label[1] = add_label(&m, "pid", "", 4711, "");
	label[2] = add_label(&m, "bytes", "", 64, "bytes");
	label[3] = add_label(&m, BASE_LABEL, "true", 0, "");
	label[4] = add_label(&m, "thread", "secret-thread", 0, "");
	make_row(&m,
		 "0x1010=secret.inner@/home/secret/a.secret.go:7+secret.outer@/home/secret/b.go:8;main.main@main.go:3",
		 (const int64_t[]){ 1, 10 }, label, 5);
	ROW(&m, "secret.outer@/home/secret/b.go:8;runtime.goexit@/go/asm.s:1", 2, 20);
	meta->doc_url = text_of(&m, "https://secret.example");
	meta->drop_frames = text_of(&m, "secret_drop");
	meta->keep_frames = text_of(&m, "secret_keep");
	meta->default_type = text_of(&m, "cpu");
	meta->time_ns = 1234567890;
	builder_comment(m.b, text_of(&m, "secret comment"));
	return make_end(&m);
}

static void anonymize(const struct profile *p, const struct anonymize_options *o, struct anonymous *a)
{
	struct err err;

	assert_int_equal(anonymize_make(p, o, a, &err), 0);
}

static const char *name_of(const struct anonymous *a, uint32_t func)
{
	return profile_text(&a->p, a->p.func_name[func]);
}

static void no_secret_is_left(void **state)
{
	struct profile *p = make_secrets();
	struct anonymous a;
	struct buf out = { 0 };

	(void)state;
	anonymize(p, &usual, &a);
	assert_int_equal(profile_encode(&a.p, &out, NULL), 0);
	assert_null(memmem(out.data, out.len, "secret", 6));
	assert_null(memmem(out.data, out.len, "5ec2e7b0", 8));
	assert_null(memmem(out.data, out.len, "main", 4));
	assert_null(memmem(out.data, out.len, "asm", 3));
	assert_non_null(memmem(out.data, out.len, "nanoseconds", 11));
	assert_int_equal(a.n.functions, 4);
	assert_int_equal(a.n.files, 4);
	assert_int_equal(a.n.binaries, 1);
	assert_int_equal(a.n.build_ids, 1);
	assert_int_equal(a.n.keys, 1);
	assert_int_equal(a.n.texts, 2);
	assert_int_equal(a.n.comments, 1);
	assert_int_equal(a.n.urls, 1);
	buf_release(&out);
	anonymize_release(&a);
	profile_free(p);
}

static void the_rest_is_unchanged(void **state)
{
	struct profile *p = make_secrets();
	struct anonymous a;

	(void)state;
	anonymize(p, &usual, &a);
	assert_ptr_equal(a.p.value, p->value);
	assert_ptr_equal(a.p.stacks.packed, p->stacks.packed);
	assert_ptr_equal(a.p.line_no, p->line_no);
	assert_string_equal(profile_text(&a.p, a.p.meta.default_type), "cpu");
	assert_string_equal(profile_text(&a.p, a.p.label_key[1]), "pid");
	assert_int_equal(a.p.label_num[1], 4711);
	assert_string_equal(profile_text(&a.p, a.p.label_unit[2]), "bytes");
	assert_string_equal(profile_text(&a.p, a.p.label_key[3]), BASE_LABEL);
	assert_string_equal(profile_text(&a.p, a.p.label_text[3]), "true");
	assert_string_equal(profile_text(&a.p, a.p.label_key[4]), "thread");
	assert_memory_equal(profile_text(&a.p, a.p.label_text[4]), "v_", 2);
	assert_memory_equal(profile_text(&a.p, a.p.label_key[0]), "key_", 4);
	assert_int_equal(a.p.map[0].start, 0x1000);
	assert_memory_equal(profile_text(&a.p, a.p.map[0].file), "binary_", 7);
	assert_int_equal(a.p.map[0].build_id, 0);
	assert_int_equal(a.p.meta.drop_frames + a.p.meta.keep_frames, 0);
	assert_int_equal(a.p.meta.time_ns, 1234567890);
	anonymize_release(&a);
	profile_free(p);
}

static void pseudonyms_are_those_of_hmac_sha256(void **state)
{
	struct profile *p = make_secrets();
	struct anonymous a;

	(void)state;
	anonymize(p, &usual, &a);
	/* printf f_main.main | openssl dgst -sha256 -hmac 0123456789abcdef, and so on */
	assert_string_equal(name_of(&a, 2), "f_e2ba53d36470b1c1");
	assert_string_equal(profile_text(&a.p, a.p.func_file[2]), "file_21e539f20ce2b547.go");
	assert_string_equal(profile_text(&a.p, a.p.label_text[0]), "v_414dd95ba572aa13");
	anonymize_release(&a);
	profile_free(p);
}

static void another_salt_gives_other_pseudonyms(void **state)
{
	struct anonymize_options other = usual;
	struct profile *p = make_secrets();
	struct anonymous a, b, c;

	(void)state;
	other.salt = "0123456789abcdeF";
	anonymize(p, &usual, &a);
	anonymize(p, &usual, &b);
	anonymize(p, &other, &c);
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		assert_string_equal(name_of(&a, i), name_of(&b, i));
		assert_string_not_equal(name_of(&a, i), name_of(&c, i));
	}
	anonymize_release(&a);
	anonymize_release(&b);
	anonymize_release(&c);
	profile_free(p);
}

static void endings_of_source_files_are_kept_and_others_are_not(void **state)
{
	static const char *const file[] = { "a.go", "b.cc", "c.secret", "d", "e.go.secret", ".go", "x/y.py" };
	static const char *const end[] = { ".go", ".cc", "", "", "", ".go", ".py" };
	struct make m = make_start("cpu/ns");
	struct anonymous a;
	struct profile *p;

	(void)state;
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		char word[64];

		snprintf(word, sizeof(word), "f@%s:1", file[i]);
		ROW(&m, word, 1);
	}
	p = make_end(&m);
	anonymize(p, &usual, &a);
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		const char *name = profile_text(&a.p, a.p.func_file[i]);

		assert_int_equal(strlen(name), strlen("file_") + ANONYMIZE_DIGITS + strlen(end[i]));
		assert_string_equal(name + strlen("file_") + ANONYMIZE_DIGITS, end[i]);
	}
	anonymize_release(&a);
	profile_free(p);
}

static void equal_pseudonyms_are_extended(void **state)
{
	enum { FUNCTIONS = 300 };
	struct anonymize_options one = usual;
	struct make m = make_start("cpu/ns");
	struct anonymous a;
	struct profile *p;
	struct regex *keep;

	(void)state;
	one.digits = 1;
	for (int i = 0; i < FUNCTIONS; i++) {
		char word[64];

		snprintf(word, sizeof(word), i < FUNCTIONS - 1 ? "function%d" : "f_0", i);
		ROW(&m, word, 1);
	}
	p = make_end(&m);
	assert_int_equal(regex_new("^f_0$", &keep, NULL), 0);
	one.keep = &keep;
	one.n_keep = 1;
	anonymize(p, &one, &a);
	assert_int_equal(a.n.functions, FUNCTIONS - 1);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(a.p.func_name[i], a.p.func_name[k]);
	assert_string_equal(name_of(&a, FUNCTIONS - 1), "f_0");
	regex_free(keep);
	anonymize_release(&a);
	profile_free(p);
}

static void matching_functions_and_files_with_only_these_are_kept(void **state)
{
	struct anonymize_options some = usual;
	struct make m = make_start("cpu/ns");
	struct regex *keep[2];
	struct anonymous a;
	struct profile *p;

	(void)state;
	ROW(&m, "runtime.a@rt.go:1", 1);
	ROW(&m, "runtime.b@mixed.go:1", 1);
	ROW(&m, "secret.c@mixed.go:2", 1);
	ROW(&m, "main.main@main.go:2", 1);
	p = make_end(&m);
	assert_int_equal(regex_new("^runtime\\.", &keep[0], NULL), 0);
	assert_int_equal(regex_new("^main\\.main$", &keep[1], NULL), 0);
	some.keep = keep;
	some.n_keep = 2;
	anonymize(p, &some, &a);
	assert_string_equal(name_of(&a, 0), "runtime.a");
	assert_string_equal(name_of(&a, 1), "runtime.b");
	assert_memory_equal(name_of(&a, 2), "f_", 2);
	assert_string_equal(name_of(&a, 3), "main.main");
	assert_string_equal(profile_text(&a.p, a.p.func_file[0]), "rt.go");
	assert_memory_equal(profile_text(&a.p, a.p.func_file[1]), "file_", 5);
	assert_int_equal(a.p.func_file[1], a.p.func_file[2]);
	assert_string_equal(profile_text(&a.p, a.p.func_file[3]), "main.go");
	assert_int_equal(a.n.kept_functions, 3);
	assert_int_equal(a.n.kept_files, 2);
	assert_int_equal(a.n.functions, 1);
	assert_int_equal(a.n.files, 1);
	regex_free(keep[0]);
	regex_free(keep[1]);
	anonymize_release(&a);
	profile_free(p);
}

static void an_empty_profile_stays_empty(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p = make_end(&m);
	struct anonymous a;

	(void)state;
	anonymize(p, &usual, &a);
	assert_int_equal(a.n.functions, 0);
	anonymize_release(&a);
	anonymize_release(&a);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_secret_is_left),
		cmocka_unit_test(the_rest_is_unchanged),
		cmocka_unit_test(pseudonyms_are_those_of_hmac_sha256),
		cmocka_unit_test(another_salt_gives_other_pseudonyms),
		cmocka_unit_test(endings_of_source_files_are_kept_and_others_are_not),
		cmocka_unit_test(equal_pseudonyms_are_extended),
		cmocka_unit_test(matching_functions_and_files_with_only_these_are_kept),
		cmocka_unit_test(an_empty_profile_stays_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
