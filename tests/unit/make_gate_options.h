/*
 * make_gate_options.h - options and files of a gate, for tests of the parser
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_GATE_OPTIONS_H
#define TESTS_UNIT_MAKE_GATE_OPTIONS_H

#include "engine/query.h"
#include "report/gate/options.h"

#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TODAY "2026-11-22"

/* Set the options of a query, such as "threshold=25%", terminated by NULL. Values are copied, since a linker may merge
 * the string "25%" of a table with the end of "threshold=25%". They are valid until the next call. */
static inline void ask(struct query *q, ...) __attribute__((sentinel));

static inline void ask(struct query *q, ...)
{
	static char values[2000];
	const char *word;
	char *at = values;
	va_list args;

	values[0] = 0;
	query_init(q);
	q->for_gate = true;
	va_start(args, q);
	while ((word = va_arg(args, const char *))) {
		const char *sign = strchr(word, '=');
		size_t n = sign ? (size_t)(sign - word) : strlen(word);
		const struct opt *o = opt_find(query_options, query_n_options, word, n);
		struct err err;

		at += strlen(at) + 1;
		assert(at + strlen(word) < values + sizeof(values));
		strcpy(at, sign ? sign + 1 : "");
		if (!o || query_set(q, o, sign ? at : NULL, &err) < 0)
			assert(!"the test sets an unknown option");
	}
	va_end(args);
}

#endif
