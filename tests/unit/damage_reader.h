/*
 * damage_reader.h - cut and change every byte of a small file and read it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TEST_DAMAGE_READER_H
#define TEST_DAMAGE_READER_H

#include "formats/common/format.h"
#include "tests/unit/check_profile.h"

#include <stdlib.h>
#include <string.h>

/* A reader must return a valid profile or an error with a message. The bytes are a copy, so that a sanitizer detects reads
   past them. Fails the test otherwise. */
static inline void damage_reader_read(format_read_fn read, const uint8_t *data, size_t n, const char *what, size_t at)
{
	static const struct format_options limits = { .max_count = 100000, .max_depth = 10000, .keeps_times = true };
	uint8_t *copy = malloc(n + !n);
	struct profile *p = NULL;
	struct err err = { .msg = "" };
	int rc;

	memcpy(copy, data, n);
	rc = read(copy, n, &limits, &p, &err);
	if (rc == 0 && profile_check(p, &err) < 0)
		fail_msg("%s %zu: read, but %s", what, at, err.msg);
	if (rc < 0 && (p || !*err.msg || err.code != rc))
		fail_msg("%s %zu: code %d, \"%s\"", what, at, rc, err.msg);
	profile_free(p);
	free(copy);
}

static inline void damage_reader(format_read_fn read, uint8_t *data, size_t n)
{
	for (size_t at = 0; at < n; at++) {
		uint8_t old = data[at];

		damage_reader_read(read, data, at, "cut at byte", at);
		data[at] = old ^ 0xff;
		damage_reader_read(read, data, n, "all bits of byte", at);
		data[at] = (uint8_t)(old ^ 1 << at % 8);
		damage_reader_read(read, data, n, "a bit of byte", at);
		data[at] = old;
	}
}

#endif
