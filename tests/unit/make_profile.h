/*
 * make_profile.h - small profiles from strings, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	struct make m = make_start("samples/count cpu/nanoseconds");
 *	ROW(&m, "c;b;a", 1, 10); p = make_end(&m);
 *
 * A stack is a list of locations, leaf first. A location is "0x10=inner+outer": address and lines, innermost
 * inlined call first; either may be missing. A line is "name@file:line:column^ start"; any part may be missing.
 * Equal strings are one location, in the mapping m.map at its first use.
 */
#ifndef TESTS_UNIT_MAKE_PROFILE_H
#define TESTS_UNIT_MAKE_PROFILE_H

#include "profile/builder.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct make {
	struct builder *b;
	uint32_t map;         /* mapping of the following locations, or PROFILE_NONE */
	struct strtab *locs;  /* string of location i has id i + 1 */
	struct strtab *funcs; /* string of function i has id i + 1 */
};

#define ROW(m, stack, ...) make_row(m, stack, (const int64_t[]){ __VA_ARGS__ }, NULL, 0)

static inline str_id make_text(struct make *m, const char *s, size_t n)
{
	return strtab_add(builder_strings(m->b), s, n);
}

/* types: "name/unit name/unit" */
static inline struct make make_start(const char *types)
{
	struct make m = { builder_new(), PROFILE_NONE, strtab_new(), strtab_new() };

	while (*types) {
		size_t n = strcspn(types, "/"), u = strcspn(types + n + 1, " ");

		builder_type(m.b, make_text(&m, types, n), make_text(&m, types + n + 1, u));
		types += n + 1 + u;
		types += *types == ' ';
	}
	return m;
}

/* Append a mapping, for the following locations. */
static inline void make_map(struct make *m, const char *file)
{
	struct mapping map = { .id = 1, .file = make_text(m, file, strlen(file)) };

	builder_mapping(m->b, &map, &m->map, NULL);
}

static inline uint32_t make_function(struct make *m, const char *name, size_t n, const char *file, size_t file_n,
				     int64_t start)
{
	struct builder_function f = { .name = make_text(m, name, n),
				      .file = make_text(m, file, file_n),
				      .start = start };
	uint64_t words[3] = { f.name, f.file, (uint64_t)start };
	uint32_t known = strtab_count(m->funcs), id = strtab_add(m->funcs, (char *)words, sizeof(words)) - 1;

	f.id = id + 1;
	if (id + 1 == known)
		builder_function(m->b, &f, &id, NULL);
	return id;
}

/* Parse a line of n bytes. */
static inline struct builder_line make_line(struct make *m, const char *s, size_t n)
{
	char text[4096] = "", *at, *line = NULL, *col = NULL, *start = NULL;
	const char *file = "";

	memcpy(text, s, n < sizeof(text) ? n : sizeof(text) - 1);
	if ((start = strchr(text, '^')))
		*start++ = 0;
	if ((at = strchr(text, '@'))) {
		*at++ = 0;
		file = at;
		if ((line = strchr(at, ':')))
			*line++ = 0;
		if (line && (col = strchr(line, ':')))
			*col++ = 0;
	}
	return (struct builder_line){ make_function(m, text, strlen(text), file, strlen(file),
						    start ? atoll(start) : 0),
				      line ? atoll(line) : 0, col ? atoll(col) : 0 };
}

static inline uint32_t make_location(struct make *m, const char *s, size_t n)
{
	uint32_t known = strtab_count(m->locs), id = strtab_add(m->locs, s, n) - 1;
	struct builder_location l = { .id = id + 1, .map = m->map };
	struct builder_line line[8];
	size_t n_lines = 0, skip = 0;

	if (id + 1 != known)
		return id;
	if (n > 2 && memcmp(s, "0x", 2) == 0) {
		l.addr = strtoull(s, NULL, 16);
		while (skip < n && s[skip++] != '=')
			;
	}
	for (; skip < n; skip++) {
		size_t word = 0;

		while (skip + word < n && s[skip + word] != '+')
			word++;
		line[n_lines++] = make_line(m, s + skip, word);
		skip += word;
	}
	builder_location(m->b, &l, line, n_lines, &id, NULL);
	return id;
}

static inline void make_row(struct make *m, const char *stack, const int64_t *values, const uint32_t *labels,
			    size_t n_labels)
{
	uint32_t loc[64];
	size_t n = 0;

	while (*stack) {
		size_t word = strcspn(stack, ";");

		loc[n++] = make_location(m, stack, word);
		stack += word;
		stack += *stack == ';';
	}
	builder_sample(m->b, values, loc, n, labels, n_labels, NULL);
}

/* Finish the profile; owned by the caller. */
static inline struct profile *make_end(struct make *m)
{
	struct profile *p = builder_seal(m->b);

	builder_free(m->b);
	strtab_free(m->locs);
	strtab_free(m->funcs);
	return p;
}

#endif
