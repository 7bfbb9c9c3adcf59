/*
 * test_sink_outcome.c - outcomes, settings and names of sinks, and base64 for them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/base64.h"
#include "sinks/outcome.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void base64_is_what_it_decodes(void **state)
{
	static const char *const wanted[] = { "", "AA==", "AIA=", "AID/", "AID/fw==", "AID/f/g=" };
	static const uint8_t data[] = { 0x00, 0x80, 0xff, 0x7f, 0xf8 };

	(void)state;
	for (size_t n = 0; n <= sizeof(data); n++) {
		uint8_t decoded[16];
		size_t n_decoded;
		struct buf b = { 0 };

		base64_add(&b, data, n);
		assert_string_equal(buf_text(&b), wanted[n]);
		assert_true(base64_decode(buf_text(&b), b.len, decoded, &n_decoded));
		assert_int_equal(n_decoded, n);
		assert_memory_equal(decoded, data, n);
		buf_release(&b);
	}
}

static void reasons_are_one_line_of_text(void **state)
{
	static const char why[] = " \r\nno \x1b[2J room \xff\xc3\xa9 \nsecond";
	struct sink_result r = { 0 };
	struct buf long_text = { 0 };

	(void)state;
	sink_set(&r, SINK_REFUSED, why, sizeof(why) - 1);
	assert_int_equal(r.outcome, SINK_REFUSED);
	assert_string_equal(r.why, "no ?[2J room ?\xc3\xa9");
	for (int i = 0; i < 100; i++)
		buf_addz(&long_text, "\xe2\x82\xac"); /* the euro sign, of three bytes */
	sink_set(&r, SINK_LATER, long_text.data, long_text.len);
	assert_int_equal(strlen(r.why) % 3, 0);
	assert_in_range(strlen(r.why), 245, sizeof(r.why) - 1);
	sink_add_note(&r, "this has no room");
	assert_int_equal(strlen(r.why) % 3, 0);
	buf_release(&long_text);
}

static void statuses_concern_the_profile_the_sender_or_the_moment(void **state)
{
	static const struct {
		long status;
		enum sink_outcome outcome;
	} wanted[] = { { 0, SINK_LATER },     { 302, SINK_LATER },   { 400, SINK_REFUSED }, { 401, SINK_DENIED },
		       { 403, SINK_DENIED },  { 404, SINK_DENIED },  { 405, SINK_DENIED },  { 407, SINK_DENIED },
		       { 408, SINK_LATER },   { 409, SINK_REFUSED }, { 413, SINK_REFUSED }, { 415, SINK_REFUSED },
		       { 422, SINK_REFUSED }, { 429, SINK_LATER },   { 500, SINK_LATER },   { 501, SINK_REFUSED },
		       { 502, SINK_LATER },   { 503, SINK_LATER },   { 504, SINK_LATER },   { 505, SINK_REFUSED } };

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct fetch_request r = { .rc = ERR_IO, .status = wanted[i].status };
		struct sink_result out = { 0 };

		sink_judge(&r, &out);
		assert_int_equal(out.outcome, wanted[i].outcome);
		assert_int_equal(sink_is_unsent(&out), wanted[i].outcome != SINK_REFUSED);
	}
}

static void notes_are_added_up(void **state)
{
	struct sink_result r = { 0 };

	(void)state;
	sink_add_note(&r, "%d labels are left out", 2);
	sink_add_note(&r, "%d tags are cut", 1);
	assert_string_equal(r.why, "2 labels are left out; 1 tags are cut");
}

static void only_known_words_are_settings(void **state)
{
	static const char *const words[] = { "rpc=a=b", "online=yes", "rp=c" };
	struct sink_options o = { .word = words, .n_words = 2 };
	const char *rpc = "default", *online = "no", *other = "unchanged";
	const struct sink_word known[] = { { "rpc", &rpc }, { "online", &online }, { "other", &other } };
	bool flag = false;
	struct err err;

	(void)state;
	assert_int_equal(sink_words(&o, known, 3, &err), 0);
	assert_string_equal(rpc, "a=b");
	assert_string_equal(other, "unchanged");
	assert_int_equal(sink_flag("online", online, &flag, &err), 0);
	assert_true(flag);
	o.n_words = 3;
	assert_int_equal(sink_words(&o, known, 3, &err), ERR_USAGE);
	assert_string_equal(err.msg, "rp=c: is not a setting of this sink, which has rpc=, online= and other=");
}

static void names_have_allowed_bytes_only(void **state)
{
	struct buf b = { 0 };

	(void)state;
	sink_add_name(&b, "9k8s.pod-name\xc3\xa9", "_.");
	assert_string_equal(b.data, "_9k8s.pod_name__");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64_is_what_it_decodes),
		cmocka_unit_test(reasons_are_one_line_of_text),
		cmocka_unit_test(statuses_concern_the_profile_the_sender_or_the_moment),
		cmocka_unit_test(notes_are_added_up),
		cmocka_unit_test(only_known_words_are_settings),
		cmocka_unit_test(names_have_allowed_bytes_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
