/*
 * test_push.c - requests with which agents push profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/push/push.h"

#include "base/buf.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_label(const struct push_item *item, const char *name, const char *value)
{
	assert_non_null(push_label(item, name));
	assert_string_equal(push_label(item, name), value);
}

/* Append a field of bytes of a protocol buffer shorter than 128 bytes. */
static void add_field(struct buf *to, int number, const char *s, size_t n)
{
	assert_true(n < 128);
	buf_add(to, &(uint8_t){ (uint8_t)(number << 3 | 2) }, 1);
	buf_add(to, &(uint8_t){ (uint8_t)n }, 1);
	buf_add(to, s, n);
}

static void add_label(struct buf *series, const char *name, const char *value)
{
	struct buf label = { 0 };

	add_field(&label, 1, name, strlen(name));
	add_field(&label, 2, value, strlen(value));
	add_field(series, 1, label.data, label.len);
	buf_release(&label);
}

static void add_sample(struct buf *series, const char *raw, const char *id)
{
	struct buf sample = { 0 };

	add_field(&sample, 1, raw, strlen(raw));
	add_field(&sample, 2, id, strlen(id));
	add_field(series, 2, sample.data, sample.len);
	buf_release(&sample);
}

static void a_message_has_a_profile_per_sample_with_the_labels_of_its_series(void **state)
{
	struct buf series = { 0 }, all = { 0 };
	struct push p;
	struct err err;

	(void)state;
	add_label(&series, "service_name", "shop");
	add_label(&series, "__name__", "process_cpu");
	add_sample(&series, "one", "11");
	add_sample(&series, "two", "");
	add_field(&all, 1, series.data, series.len);
	assert_int_equal(push_read_proto((uint8_t *)all.data, all.len, &p, &err), 0);
	assert_int_equal(p.n, 2);
	expect_label(&p.item[1], "service_name", "shop");
	expect_label(&p.item[1], "__name__", "process_cpu");
	assert_null(push_label(&p.item[1], "nothing"));
	assert_int_equal(p.item[0].n, 3);
	assert_memory_equal(p.item[0].data, "one", 3);
	assert_string_equal(p.item[0].id, "11");
	push_release(&p);
	buf_release(&series);
	buf_release(&all);
}

static void a_truncated_message_is_refused(void **state)
{
	static const uint8_t data[] = { 0x0a, 0x20, 0x0a };
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(push_read_proto(data, sizeof(data), &p, &err), ERR_FORMAT);
	assert_string_equal(err.msg, "the body is not a message push.v1.PushRequest: byte 2: "
				     "a field extends past the end of its message");
}

/* Each cut within the samples of a message is refused; one between fields is a shorter message. */
static void a_message_that_is_cut_anywhere_is_refused_or_shorter(void **state)
{
	struct buf series = { 0 }, all = { 0 };
	size_t n_read = 0, n_one;

	(void)state;
	add_sample(&series, "one", "11");
	add_label(&series, "service_name", "shop");
	add_field(&all, 1, series.data, series.len);
	n_one = all.len;
	add_field(&all, 1, series.data, series.len);
	for (size_t n = 0; n <= all.len; n++) {
		uint8_t *copy = malloc(n ? n : 1); /* exact size, for the address sanitizer */
		struct push p;
		struct err err;

		memcpy(copy, all.data, n);
		if (push_read_proto(copy, n, &p, &err) == 0) {
			assert_int_equal(p.n, n / n_one);
			if (p.n)
				expect_label(&p.item[p.n - 1], "service_name", "shop");
			push_release(&p);
			n_read++;
		}
		free(copy);
	}
	assert_int_equal(n_read, 3);
	buf_release(&series);
	buf_release(&all);
}

static void a_field_of_the_wrong_type_is_refused_and_an_unknown_one_skipped(void **state)
{
	static const uint8_t wrong[] = { 0x08, 0x01 }, wrong_label[] = { 0x0a, 0x02, 0x08, 0x01 },
			     unknown[] = { 0x18, 0x01, 0x0a, 0x02, 0x18, 0x01 };
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(push_read_proto(wrong, sizeof(wrong), &p, &err), ERR_FORMAT);
	assert_int_equal(push_read_proto(wrong_label, sizeof(wrong_label), &p, &err), ERR_FORMAT);
	assert_int_equal(push_read_proto(unknown, sizeof(unknown), &p, &err), 0);
	assert_int_equal(p.n, 0);
	push_release(&p);
}

/* 16 million empty series in 32 MiB would take 256 MiB of memory with one byte each. */
static void a_message_of_empty_series_takes_no_memory(void **state)
{
	size_t n = 4 << 20;
	uint8_t *data = calloc(n, 1);
	atomic_uint_fast64_t allocated = 0;
	struct push p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < n; i += 2)
		data[i] = 0x0a;
	mem_count_into(&allocated);
	assert_int_equal(push_read_proto(data, n, &p, &err), 0);
	mem_count_into(NULL);
	assert_int_equal(p.n, 0);
	assert_true(allocated < 1 << 20);
	push_release(&p);
	free(data);
}

static int read_json(const char *text, struct push *p, struct err *err)
{
	return push_read_json((const uint8_t *)text, strlen(text), p, err);
}

static void json_has_the_same_fields_and_base64(void **state)
{
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(
		read_json("{\"series\":[{\"labels\":[{\"name\":\"service_name\",\"value\":\"a\"}],"
			  "\"samples\":[{\"rawProfile\":\"b25l\",\"ID\":\"x\"},{\"rawProfile\":\"dHdvMg==\"}]}]}",
			  &p, &err),
		0);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.item[0].n, 3);
	assert_memory_equal(p.item[0].data, "one", 3);
	assert_int_equal(p.item[1].n, 4);
	assert_memory_equal(p.item[1].data, "two2", 4);
	expect_label(&p.item[0], "service_name", "a");
	push_release(&p);
}

static void bad_json_is_refused_with_its_position(void **state)
{
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(read_json("{\"series\":[{\"samples\":[{\"rawProfile\":\"a*b\"}]}]}", &p, &err), ERR_FORMAT);
	assert_string_equal(err.msg, "series 1: sample 1: rawProfile is not base64");
	assert_int_equal(read_json("{", &p, &err), ERR_FORMAT);
	assert_non_null(strstr(err.msg, "line 1"));
	assert_int_equal(read_json("[[[[[[[[[[[[[[[[[[[[", &p, &err), ERR_FORMAT);
	assert_int_equal(read_json("{\"series\":[{\"labels\":[{\"name\":\"\",\"value\":\"a\"}]}]}", &p, &err),
			 ERR_FORMAT);
	assert_string_equal(err.msg, "series 1: label 1: the name is not a text of 1 to 1024 bytes");
}

static int ingest(const char *query, const char *type, const char *body, struct push *p, struct err *err)
{
	return push_read_ingest(query, type, (const uint8_t *)body, strlen(body), p, err);
}

static void the_name_of_ingest_has_labels(void **state)
{
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(ingest("name=my.app%7Benv%3Dprod,region%3D%22eu%22%7D&from=1700000000&until=1700000010000"
				"&format=pprof&spyName=gospy",
				NULL, "body", &p, &err),
			 0);
	assert_int_equal(p.n, 1);
	expect_label(&p.item[0], "service_name", "my.app");
	expect_label(&p.item[0], "env", "prod");
	expect_label(&p.item[0], "region", "eu");
	assert_int_equal(p.from_ns, INT64_C(1700000000000000000));
	assert_int_equal(p.until_ns, INT64_C(1700000010000000000));
	assert_int_equal(p.format, PUSH_PPROF);
	push_release(&p);
}

static void the_content_decides_without_a_format(void **state)
{
	static const char profile[] = { 0x0a, 0x04, 0x08, 0x01, 0x10, 0x02 };
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(push_read_ingest("name=a", NULL, (const uint8_t *)profile, sizeof(profile), &p, &err), 0);
	assert_int_equal(p.format, PUSH_PPROF);
	push_release(&p);
	assert_int_equal(ingest("name=a", NULL, "{main};b 3\n", &p, &err), 0);
	assert_int_equal(p.format, PUSH_FOLDED);
	push_release(&p);
	assert_int_equal(ingest("name=a&format=heap", NULL, "heap profile: 1: 2 [3: 4] @ heap/1\n", &p, &err), 0);
	assert_int_equal(p.format, PUSH_PPROF);
	push_release(&p);
	assert_int_equal(ingest("name=a&format=flamegraph", NULL, "a;b 3\n", &p, &err), 0);
	assert_int_equal(p.format, PUSH_FOLDED);
	push_release(&p);
}

static void ingest_refuses_what_it_cannot_read(void **state)
{
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(ingest("name=a&format=nettrace", NULL, "", &p, &err), ERR_UNKNOWN);
	assert_int_equal(ingest("name=a&format=trie", NULL, "", &p, &err), ERR_UNKNOWN);
	assert_int_equal(ingest("format=pprof", NULL, "", &p, &err), ERR_FORMAT);
	assert_int_equal(ingest("name=a%7Bb%3Dc&format=pprof", NULL, "", &p, &err), ERR_FORMAT);
	assert_int_equal(ingest("name=a%7Bb%7D&format=pprof", NULL, "", &p, &err), ERR_FORMAT);
	assert_int_equal(ingest("name=a&format=%zz", NULL, "", &p, &err), ERR_FORMAT);
	assert_int_equal(ingest("name=a&format=folded&sampleRate=-1", NULL, "", &p, &err), ERR_FORMAT);
	assert_int_equal(ingest("name=a&format=folded&sampleRate=1000001", NULL, "", &p, &err), ERR_FORMAT);
}

static void a_multipart_body_has_the_profile_in_its_part(void **state)
{
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(ingest("name=a&format=pprof", "multipart/form-data; boundary=XX",
				"--XX\r\nContent-Disposition: form-data; name=\"sample_type_config\"\r\n\r\n{}\r\n"
				"--XX\r\nContent-Disposition: form-data; name=\"profile\"; "
				"filename=\"p\"\r\n\r\nabc\r\n--XX--\r\n",
				&p, &err),
			 0);
	assert_int_equal(p.item[0].n, 3);
	assert_memory_equal(p.item[0].data, "abc", 3);
	push_release(&p);
	assert_int_equal(ingest("name=a&format=pprof", "multipart/form-data; boundary=XX", "--XX\r\n\r\n", &p, &err),
			 ERR_FORMAT);
	assert_int_equal(ingest("name=a&format=pprof", "multipart/form-data", "x", &p, &err), ERR_FORMAT);
}

#define FORM "multipart/form-data; boundary=XX"
#define PART(name) "--XX\r\nContent-Disposition: form-data; name=\"" name "\"; filename=\"profile\"\r\n\r\n"

static void a_form_tells_which_kind_its_sample_types_are(void **state)
{
	static const struct {
		const char *query, *config, *kind;
		bool is_cumulative;
	} all[] = {
		{ "", "{\"contentions\":{\"display-name\":\"mutex_count\",\"units\":\"lock_samples\"}}", "mutex",
		  false },
		{ "", "{\"delay\":{\"units\":\"lock_nanoseconds\",\"display-name\":\"block_duration\"}}", "block",
		  false },
		{ "&kind=mutex", "{}", "mutex", false },
		{ "", "{\"alloc_space\":{\"units\":\"bytes\",\"cumulative\":true}}", "", true },
		{ "", "[1,{\"display-name\":7}]", "", false },
	};
	struct push p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char body[500], query[100];

		snprintf(query, sizeof(query), "name=a&sampleRate=0%s", all[i].query);
		snprintf(body, sizeof(body), "%sold\r\n%sabc\r\n%s%s\r\n--XX--\r\n", PART("prev_profile"),
			 PART("profile"), PART("sample_type_config"), all[i].config);
		assert_int_equal(ingest(query, FORM, body, &p, &err), 0);
		assert_string_equal(p.item[0].kind, all[i].kind);
		assert_int_equal(p.item[0].is_cumulative, all[i].is_cumulative);
		assert_int_equal(p.item[0].n, 3);
		assert_memory_equal(p.item[0].data, "abc", 3);
		push_release(&p);
	}
	assert_int_equal(
		ingest("name=a", FORM, PART("sample_type_config") "{\r\n" PART("profile") "a\r\n--XX--", &p, &err),
		ERR_FORMAT);
	assert_non_null(strstr(err.msg, "sample_type_config is not JSON"));
	assert_int_equal(ingest("name=a", FORM, PART("prev_profile") "a\r\n--XX--", &p, &err), ERR_FORMAT);
	assert_int_equal(ingest("name=app.block_count", NULL, "a;b 1\n", &p, &err), 0);
	assert_string_equal(p.item[0].kind, "block");
	push_release(&p);
}

static void folded_text_becomes_frames_with_only_a_name(void **state)
{
	struct profile *made;
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(
		ingest("name=py.cpu&sampleRate=50", NULL, "main;work;deep 3\nmain;work 4\r\n\nmain;a b 1\n", &p, &err),
		0);
	expect_label(&p.item[0], "service_name", "py");
	assert_int_equal(push_make_profile(&p, &p.item[0], &formats_options_default, &made, &err), 0);
	assert_int_equal(made->n_rows, 3);
	assert_int_equal(made->n_types, 2);
	assert_int_equal(made->n_funcs, 4);
	assert_int_equal(made->value[0][0], 3);
	assert_int_equal(made->value[1][0], 60000000);
	assert_int_equal(made->stacks.off[1] - made->stacks.off[0], 3);
	assert_string_equal(
		profile_text(made, made->func_name[made->line_func[made->loc_line[stack_id_at(&made->stacks, 0)]]]),
		"deep");
	profile_free(made);
	push_release(&p);
}

static void lines_count_once_each(void **state)
{
	struct profile *made;
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(ingest("name=py.alloc_objects&format=lines", NULL, "a;b\na;b\n", &p, &err), 0);
	assert_int_equal(push_make_profile(&p, &p.item[0], &formats_options_default, &made, &err), 0);
	assert_int_equal(made->n_rows, 2);
	assert_int_equal(made->n_types, 1);
	assert_string_equal(profile_text(made, made->type[0].name), "alloc_objects");
	profile_free(made);
	push_release(&p);
}

static void bad_folded_text_is_refused_with_its_line(void **state)
{
	struct profile *made;
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(ingest("name=py", NULL, "a;b 1\na;b\n", &p, &err), 0);
	assert_int_equal(push_make_profile(&p, &p.item[0], &formats_options_default, &made, &err), ERR_FORMAT);
	assert_string_equal(err.msg, "line 2: no number at the end");
	push_release(&p);
	assert_int_equal(ingest("name=py", NULL, "a 99999999999999999999\n", &p, &err), 0);
	assert_int_equal(push_make_profile(&p, &p.item[0], &formats_options_default, &made, &err), ERR_FORMAT);
	push_release(&p);
	assert_int_equal(ingest("name=py", NULL, "a 9000000000000000000\n", &p, &err), 0);
	assert_int_equal(push_make_profile(&p, &p.item[0], &formats_options_default, &made, &err), ERR_RANGE);
	push_release(&p);
}

static void plain_profiles_have_their_labels_in_the_query(void **state)
{
	struct push p;
	struct err err;

	(void)state;
	assert_int_equal(
		push_read_plain("service.name=shop&env=prod&kind=block&id=7", (const uint8_t *)"x", 1, &p, &err), 0);
	expect_label(&p.item[0], "service_name", "shop");
	expect_label(&p.item[0], "env", "prod");
	assert_string_equal(p.item[0].id, "7");
	assert_string_equal(p.item[0].kind, "block");
	assert_int_equal(p.item[0].n_labels, 2);
	push_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_has_a_profile_per_sample_with_the_labels_of_its_series),
		cmocka_unit_test(a_truncated_message_is_refused),
		cmocka_unit_test(a_message_that_is_cut_anywhere_is_refused_or_shorter),
		cmocka_unit_test(a_field_of_the_wrong_type_is_refused_and_an_unknown_one_skipped),
		cmocka_unit_test(a_message_of_empty_series_takes_no_memory),
		cmocka_unit_test(json_has_the_same_fields_and_base64),
		cmocka_unit_test(bad_json_is_refused_with_its_position),
		cmocka_unit_test(the_name_of_ingest_has_labels),
		cmocka_unit_test(the_content_decides_without_a_format),
		cmocka_unit_test(ingest_refuses_what_it_cannot_read),
		cmocka_unit_test(a_multipart_body_has_the_profile_in_its_part),
		cmocka_unit_test(a_form_tells_which_kind_its_sample_types_are),
		cmocka_unit_test(folded_text_becomes_frames_with_only_a_name),
		cmocka_unit_test(lines_count_once_each),
		cmocka_unit_test(bad_folded_text_is_refused_with_its_line),
		cmocka_unit_test(plain_profiles_have_their_labels_in_the_query),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
