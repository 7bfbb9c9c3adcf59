/*
 * merge_parts.h - profiles for the tests of merging, built a row at a time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A frame is an address in a mapping with a line in a function named after the address. Ids differ from those
 * that the merged profile assigns.
 */
#ifndef TESTS_UNIT_MERGE_PARTS_H
#define TESTS_UNIT_MERGE_PARTS_H

#include "profile/builder.h"
#include "tests/unit/check_profile.h"
#include "profile/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static struct err err;

static inline str_id text(struct builder *b, const char *s)
{
	return strtab_addz(builder_strings(b), s);
}

/* A profile with a sample type. */
static inline struct builder *with_type(const char *name, const char *unit)
{
	struct builder *b = builder_new();

	builder_type(b, text(b, name), text(b, unit));
	return b;
}

static inline struct builder *with_cpu(void)
{
	return with_type("cpu", "nanoseconds");
}

static inline uint32_t add_mapping(struct builder *b, uint64_t start, uint64_t limit, const char *file)
{
	struct mapping m = { .id = 7, .start = start, .limit = limit, .file = text(b, file) };
	uint32_t id = 0;

	assert_int_equal(builder_mapping(b, &m, &id, &err), 0);
	return id;
}

static inline uint32_t add_function(struct builder *b, const char *name)
{
	struct builder_function f = { .id = 70, .name = text(b, name) };
	uint32_t id = 0;

	assert_int_equal(builder_function(b, &f, &id, &err), 0);
	return id;
}

static inline uint32_t add_location(struct builder *b, uint64_t addr, uint32_t map, const struct builder_line *lines,
				    size_t n)
{
	struct builder_location l = { .id = 700, .addr = addr, .map = map };
	uint32_t id = 0;

	assert_int_equal(builder_location(b, &l, lines, n, &id, &err), 0);
	return id;
}

static inline uint32_t add_frame(struct builder *b, uint64_t addr, uint32_t map)
{
	char name[32];
	struct builder_line line = { .no = 1 };

	snprintf(name, sizeof(name), "f%x", (unsigned)addr);
	line.func = add_function(b, name);
	return add_location(b, addr, map, &line, 1);
}

static inline uint32_t add_label(struct builder *b, const char *key, const char *value, int64_t num)
{
	struct builder_label l = { .key = text(b, key), .text = text(b, value), .num = num, .is_text = *value != 0 };
	uint32_t id = 0;

	assert_int_equal(builder_label(b, &l, &id, &err), 0);
	return id;
}

static inline void add_row(struct builder *b, uint32_t loc, int64_t value)
{
	assert_int_equal(builder_sample(b, &value, &loc, 1, NULL, 0, &err), 0);
}

static inline struct profile *seal(struct builder *b)
{
	struct profile *p = builder_seal(b);

	builder_free(b);
	return p;
}

static inline int try_merge(struct builder *a, struct builder *b, struct profile **out)
{
	struct profile *src[] = { seal(a), seal(b) };
	int rc = profile_merge((const struct profile *const *)src, 2, NULL, out, &err);

	profile_free(src[0]);
	profile_free(src[1]);
	return rc;
}

static inline struct profile *merged(struct builder *a, struct builder *b)
{
	struct profile *p = NULL;

	if (try_merge(a, b, &p) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static inline int64_t value(const struct profile *p, uint32_t type, uint32_t row)
{
	return p->value[type][row];
}

#endif
