/*
 * check_reader.h - check a reader of text: its rows, comments and errors, and that damage does no harm
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TEST_CHECK_READER_H
#define TEST_CHECK_READER_H

#include "formats/common/format.h"
#include "tests/unit/check_stacks.h"

#include <stdlib.h>
#include <string.h>

/* Read a text without limits; NULL and the error if that fails. */
static inline struct profile *reader_read(format_read_fn read, const char *text, bool keeps_times, struct err *err)
{
	const struct format_options options = { .keeps_times = keeps_times };
	struct profile *p = NULL;
	size_t n = strlen(text);
	char *copy = malloc(n ? n : 1);

	memcpy(copy, text, n);
	if (read((const uint8_t *)copy, n, &options, &p, err) == 0 && profile_check(p, err) < 0)
		fail_msg("%s", err->msg);
	free(copy);
	return p;
}

/* Check rows and comments, each a line. */
static inline void reader_expect(format_read_fn read, const char *text, bool keeps_times, const char *rows,
				 const char *comments)
{
	struct err err = { 0 };
	struct profile *p = reader_read(read, text, keeps_times, &err);
	struct buf got = { 0 };

	if (!p)
		fail_msg("%s", err.msg);
	stacks_add_rows(p, true, &got);
	assert_string_equal(buf_text(&got), rows);
	got.len = 0;
	buf_addz(&got, "");
	for (uint32_t i = 0; i < p->meta.n_comments; i++)
		buf_addf(&got, "%s\n", profile_text(p, p->meta.comment[i]));
	assert_string_equal(got.len ? got.data : "", comments);
	buf_release(&got);
	profile_free(p);
}

static inline void reader_expect_error(format_read_fn read, const char *text, const char *message)
{
	struct err err = { 0 };

	assert_null(reader_read(read, text, false, &err));
	assert_string_equal(err.msg, message);
}

/* Every prefix and every changed byte gives a valid profile or an error with a message. */
static inline void reader_damage(format_read_fn read, const char *text)
{
	static const struct format_options options = { .max_count = 1000, .max_depth = 1000 };
	const size_t n = strlen(text);
	static const char bytes[] = "\0\"\\{[]},:0-x";

	for (size_t at = 0; at < n; at++)
		for (size_t i = 0; i <= sizeof(bytes) - 1; i++) {
			const bool is_cut = i == sizeof(bytes) - 1;
			const size_t n_copy = is_cut ? at : n;
			char *copy = malloc(n_copy ? n_copy : 1);
			struct profile *p = NULL;
			struct err err = { 0 };
			int rc;

			memcpy(copy, text, n_copy);
			if (!is_cut)
				copy[at] = bytes[i];
			rc = read((const uint8_t *)copy, n_copy, &options, &p, &err);
			assert_int_equal(rc, p ? 0 : err.code);
			assert_true(p || err.msg[0]);
			if (p && profile_check(p, &err) < 0)
				fail_msg("byte %zu: %s", at, err.msg);
			profile_free(p);
			free(copy);
		}
}

#endif
