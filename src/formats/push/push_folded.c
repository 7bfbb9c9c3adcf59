/*
 * push_folded.c - folded text as a profile: frames that have only a name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/push/push_int.h"

#include "base/mem.h"
#include "formats/common/format.h"
#include "profile/builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SECOND_NS = 1000000000 };

struct folded {
	const struct push *p;
	const struct format_limits *limits;
	struct builder *b;
	uint32_t *loc_of; /* [cap] location of the function with this name; PROFILE_NONE: none */
	size_t cap;
	uint32_t *stack; /* [cap_stack] of the current line, root first */
	size_t n, cap_stack;
	size_t n_rows;
	int64_t value_ns; /* of a sample; 0: no second type */
};

/* The location of a frame. */
static int find_location(struct folded *f, const char *name, size_t n, uint32_t *out, struct err *err)
{
	str_id id = strtab_add(builder_strings(f->b), name, n);
	size_t before = f->cap;
	struct builder_location at = { .map = PROFILE_NONE };
	struct builder_function func = { .name = id, .sysname = id };
	struct builder_line line = { 0 };
	int rc;

	f->loc_of = mem_grow(f->loc_of, &f->cap, id + 1, sizeof(*f->loc_of));
	if (f->cap > before)
		memset(f->loc_of + before, 0xff, (f->cap - before) * sizeof(*f->loc_of));
	*out = f->loc_of[id];
	if (*out != PROFILE_NONE)
		return 0;
	func.id = at.id = (uint64_t)id + 1;
	rc = builder_function(f->b, &func, &line.func, err);
	rc = rc < 0 ? rc : builder_location(f->b, &at, &line, 1, out, err);
	if (rc == 0)
		f->loc_of[id] = *out;
	return rc;
}

static int read_stack(struct folded *f, const char *s, size_t n, struct err *err)
{
	int rc = 0;

	f->n = 0;
	while (n > 0 && rc == 0) {
		const char *end = memchr(s, ';', n);
		size_t n_name = end ? (size_t)(end - s) : n;

		if (format_exceeds(f->n + 1, f->limits->max_depth))
			return err_set(err, ERR_LIMIT, "more than %llu frames",
				       (unsigned long long)f->limits->max_depth);
		f->stack = mem_grow(f->stack, &f->cap_stack, f->n + 1, sizeof(*f->stack));
		if (n_name > 0)
			rc = find_location(f, s, n_name, &f->stack[f->n++], err);
		s += n_name + (end != NULL);
		n -= n_name + (end != NULL);
	}
	for (size_t i = 0; i < f->n / 2; i++) { /* leaf first */
		uint32_t t = f->stack[i];

		f->stack[i] = f->stack[f->n - 1 - i];
		f->stack[f->n - 1 - i] = t;
	}
	return rc;
}

/* Split the number from the end of a line. Returns false if there is none. */
static bool split_count(const char *s, size_t *n, int64_t *count)
{
	size_t at = *n;
	uint64_t v = 0;

	while (at > 0 && s[at - 1] >= '0' && s[at - 1] <= '9')
		at--;
	if (at == *n || at == 0 || (s[at - 1] != ' ' && s[at - 1] != '\t'))
		return false;
	for (size_t i = at; i < *n; i++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v) ||
		    v > INT64_MAX)
			return false;
	*n = at - 1;
	*count = (int64_t)v;
	return true;
}

static int read_line(struct folded *f, const char *s, size_t n, struct err *err)
{
	int64_t value[2] = { 1, 0 };
	int rc;

	while (n && strchr("\r \t", s[n - 1]))
		n--;
	if (n == 0)
		return 0;
	if (f->p->format == PUSH_FOLDED && !split_count(s, &n, &value[0]))
		return err_set(err, ERR_FORMAT, "no number at the end");
	if (__builtin_mul_overflow(value[0], f->value_ns, &value[1]))
		return err_set(err, ERR_RANGE, "the number is too large");
	if (format_exceeds(++f->n_rows, f->limits->max_count))
		return err_set(err, ERR_LIMIT, "more than %llu stacks", (unsigned long long)f->limits->max_count);
	rc = read_stack(f, s, n, err);
	return rc < 0 ? rc : builder_sample(f->b, value, f->stack, f->n, NULL, 0, err);
}

static void set_types(struct folded *f)
{
	struct strtab *str = builder_strings(f->b);
	struct profile_meta *meta = builder_meta(f->b);

	if (strcmp(f->p->type, "cpu") == 0) {
		f->value_ns = SECOND_NS / f->p->rate;
		builder_type(f->b, strtab_addz(str, "samples"), strtab_addz(str, "count"));
		builder_type(f->b, strtab_addz(str, "cpu"), strtab_addz(str, "nanoseconds"));
		meta->period_type = (struct value_type){ strtab_addz(str, "cpu"), strtab_addz(str, "nanoseconds") };
		meta->has_period_type = true;
		meta->period = f->value_ns;
	} else {
		builder_type(f->b, strtab_addz(str, f->p->type), strtab_addz(str, f->p->unit));
	}
}

int push_read_folded(const struct push *p, const struct push_item *item, const struct format_limits *limits,
		     struct profile **out, struct err *err)
{
	struct folded f = { .p = p, .limits = limits, .b = builder_new() };
	const char *s = (const char *)item->data, *end = s + item->n;
	int rc = 0;

	set_types(&f);
	for (size_t number = 1; s < end && rc == 0; number++) {
		const char *newline = memchr(s, '\n', (size_t)(end - s));

		rc = read_line(&f, s, (size_t)((newline ? newline : end) - s), err);
		if (rc < 0)
			err_wrap(err, "line %zu", number);
		s = newline ? newline + 1 : end;
	}
	if (rc == 0 && f.n_rows == 0)
		rc = err_set(err, ERR_FORMAT, "the text has no stack");
	if (rc == 0)
		*out = builder_seal(f.b);
	builder_free(f.b);
	free(f.loc_of);
	free(f.stack);
	return rc;
}
