/*
 * make_filter.h - apply filters to a small profile, and write the remaining rows as text
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks are as in make_profile.h. Labels are "key=text" and "key#5:unit", separated by blanks. Remaining rows are
 * written the same way, a line each: "inner+outer;main {key=text} 10".
 */
#ifndef TESTS_UNIT_MAKE_FILTER_H
#define TESTS_UNIT_MAKE_FILTER_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/filter.h"
#include "engine/query.h"

#include "tests/unit/make_profile.h"

#include <inttypes.h>

static inline uint32_t make_label(struct make *m, const char *s, size_t n)
{
	struct builder_label l = { 0 };
	size_t key = 0, unit = 0;
	uint32_t id = 0;

	while (key < n && s[key] != '=' && s[key] != '#')
		key++;
	l.key = make_text(m, s, key);
	l.is_text = s[key] == '=';
	if (l.is_text) {
		l.text = make_text(m, s + key + 1, n - key - 1);
	} else {
		l.num = atoll(s + key + 1);
		while (key + unit < n && s[key + unit] != ':')
			unit++;
		if (key + unit < n)
			l.unit = make_text(m, s + key + unit + 1, n - key - unit - 1);
	}
	builder_label(m->b, &l, &id, NULL);
	return id;
}

/* Add a row with labels and a value of each type. */
static inline void make_labelled(struct make *m, const char *stack, const char *labels, int64_t value)
{
	const int64_t values[] = { value, value * 10 };
	uint32_t label[16];
	size_t n = 0;

	while (*labels) {
		size_t word = strcspn(labels, " ");

		label[n++] = make_label(m, labels, word);
		labels += word;
		labels += *labels == ' ';
	}
	make_row(m, stack, values, label, n);
}

static inline void write_location(const struct profile *p, uint32_t loc, struct buf *out)
{
	for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++) {
		str_id file = p->func_file[p->line_func[l]];

		buf_addf(out, "%s%s", l > p->loc_line[loc] ? "+" : "", profile_text(p, p->func_name[p->line_func[l]]));
		if (file)
			buf_addf(out, "@%s", profile_text(p, file));
	}
}

static inline void write_labels(const struct profile *p, uint32_t set, struct buf *out)
{
	const char *between = " {";

	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
		uint32_t l = p->label_sets.item[i];

		buf_addf(out, "%s%s", between, profile_text(p, p->label_key[l]));
		if (p->label_is_text[l])
			buf_addf(out, "=%s", profile_text(p, p->label_text[l]));
		else
			buf_addf(out, "#%" PRId64 ":%s", p->label_num[l], profile_text(p, p->label_unit[l]));
		between = " ";
	}
	if (between[1] == 0)
		buf_addz(out, "}");
}

/* Write the rows as text, a line each, without a final newline. */
static inline void write_rows(const struct profile *p, struct buf *out)
{
	for (uint32_t row = 0; row < p->n_rows; row++) {
		uint32_t stack = p->stack[row];

		if (row)
			buf_addz(out, "\n");
		for (uint32_t i = p->stacks.off[stack]; i < p->stacks.off[stack + 1]; i++) {
			if (i > p->stacks.off[stack])
				buf_addz(out, ";");
			write_location(p, stack_id_at(&p->stacks, i), out);
		}
		write_labels(p, p->labels[row], out);
		buf_addf(out, " %" PRId64, p->value[p->n_types - 1][row]);
	}
}

/* The result of one query. */
struct filtered {
	struct arena *mem;
	const struct profile *p; /* NULL if the query failed */
	struct buf rows, notes;
	struct err err;
};

static inline struct filtered filtered_run(const struct profile *p, const struct query *q)
{
	struct filtered l = { .mem = arena_new() };

	if (filter_make(p, &q->filter, l.mem, &l.p, &l.notes, &l.err) == 0)
		write_rows(l.p, &l.rows);
	return l;
}

static inline void filtered_release(struct filtered *l)
{
	arena_free(l->mem);
	buf_release(&l->rows);
	buf_release(&l->notes);
}

/* Check the rows or the error message, and the notes. */
#define EXPECT_FILTERED(p, q, want_rows, want_notes)                                                                   \
	do {                                                                                                           \
		struct filtered l_ = filtered_run(p, q);                                                               \
                                                                                                                       \
		assert_string_equal(l_.p ? buf_text(&l_.rows) : l_.err.msg, want_rows);                                \
		assert_string_equal(buf_text(&l_.notes), want_notes);                                                  \
		filtered_release(&l_);                                                                                 \
	} while (0)

#endif
