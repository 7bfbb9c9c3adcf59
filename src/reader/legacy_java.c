/*
 * legacy_java.c - heap and contention profiles of Java as text, and the location table
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	--- heapz 1 ---
 *	format = java
 *	resolution = bytes
 *	64 2 @ 0x1 0x2
 *
 *	 0x1 a.b.leaf (B.java:3)
 *	 0x2 a.b.main (B.java:9)
 *
 * From pprof-behaviour.md sections 3.4 and 3.5. A last line without its end is no attribute and no
 * sample, as pprof has it.
 */
#include "config.h"

#include "reader/legacy.h"

#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { JAVA_HEAP_RATE = 512 * 1024 };

struct java {
	bool heap; /* else contention */
	int64_t period;
};

/* Attributes and samples */

/* The next line, only if its end is there. */
static bool next_whole_line(struct lines *in)
{
	if (in->at == in->end || !memchr(in->at, '\n', (size_t)(in->end - in->at)))
		return false;
	return lines_next(in);
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ' ';
}

/* Find "key=value" of letters, digits, '_' and ' ' in a line. */
static bool find_attribute(struct slice line, struct slice *key, struct slice *value)
{
	for (size_t i = 1; i + 1 < line.n; i++) {
		size_t lo = i, hi = i + 1;

		if (line.p[i] != '=')
			continue;
		while (lo > 0 && is_word(line.p[lo - 1]))
			lo--;
		while (hi < line.n && is_word(line.p[hi]))
			hi++;
		if (lo == i || hi == i + 1)
			continue;
		*key = slice_trim((struct slice){ line.p + lo, i - lo });
		*value = slice_trim((struct slice){ line.p + i + 1, hi - i - 1 });
		return true;
	}
	return false;
}

/* A second resolution replaces the first, so the types are set when all attributes are read. */
static int read_attribute(struct legacy *l, struct java *j, struct slice key, struct slice value,
			  struct slice *resolution, struct err *err)
{
	int64_t ms;

	if (slice_is(key, "format"))
		return slice_is(value, "java") ? 0 : err_set(err, ERR_FORMAT, "the format is not java");
	if (slice_is(key, "resolution")) {
		*resolution = value;
		return 0;
	}
	if (!j->heap && slice_is(key, "sampling period")) {
		if (!slice_number(value, &j->period))
			return err_set(err, ERR_FORMAT, "the sampling period is no number of 64 bits");
		legacy_period(l, j->period, "contentions", "count");
		return 0;
	}
	if (j->heap || !slice_is(key, "ms since reset"))
		return err_set(err, ERR_FORMAT, "an unknown attribute");
	if (!slice_number(value, &ms) || __builtin_mul_overflow(ms, INT64_C(1000000), &builder_meta(l->b)->duration_ns))
		return err_set(err, ERR_FORMAT, "the duration leaves 64 bits");
	return 0;
}

/* Read attributes; in is left in front of the first line that is none. */
static int read_attributes(struct legacy *l, struct java *j, struct lines *in, struct err *err)
{
	struct slice resolution = { NULL, 0 }, key, value;
	struct strtab *str = builder_strings(l->b);
	struct lines before = *in;

	for (; next_whole_line(in); before = *in) {
		struct slice line = slice_trim(in->line);

		if (line.n == 0)
			continue;
		if (!find_attribute(line, &key, &value))
			break;
		if (read_attribute(l, j, key, value, &resolution, err) < 0)
			return err_wrap(err, "line %" PRIu64, in->no);
	}
	*in = before;
	if (!resolution.p)
		return err_set(err, ERR_FORMAT, "a profile of Java without a resolution");
	legacy_type(l, j->heap ? "inuse_objects" : "contentions", "count");
	builder_type(l->b, strtab_addz(str, j->heap ? "inuse_space" : "delay"),
		     strtab_add(str, resolution.p, resolution.n));
	return 0;
}

/* Find "64 2 @ " in a line; false when it is not there. */
static bool seek_sample(struct slice *line, struct slice *first, struct slice *second)
{
	while (slice_seek_digit(line)) {
		struct slice t;

		*first = slice_take_digits(line);
		t = *line;
		if (slice_take_spaces(&t) && (*second = slice_take_digits(&t)).n && slice_take_spaces(&t) &&
		    slice_take(&t, "@") && slice_take_spaces(&t)) {
			*line = t;
			return true;
		}
	}
	return false;
}

static int scale_heap(int64_t values[2], int64_t *block, struct err *err)
{
	if (values[0] == 0)
		return err_set(err, ERR_FORMAT, "bytes of 0 objects");
	*block = values[1] / values[0];
	return legacy_scale_heap(&values[0], &values[1], JAVA_HEAP_RATE, err);
}

static int read_sample(struct legacy *l, const struct java *j, struct slice first, struct slice second,
		       struct slice addresses, struct err *err)
{
	int64_t values[2], block = 0;
	int rc = legacy_frames_of(l, addresses, ADJUST_NONE, err);

	if (rc < 0)
		return rc;
	if (!slice_number(second, &values[0]) || !slice_number(first, &values[1]))
		return err_set(err, ERR_FORMAT, "a value is no number of 64 bits");
	if (j->heap) {
		if (scale_heap(values, &block, err) < 0)
			return ERR_FORMAT;
	} else if (j->period && (__builtin_mul_overflow(values[0], j->period, &values[0]) ||
				 __builtin_mul_overflow(values[1], j->period, &values[1]))) {
		return err_set(err, ERR_FORMAT, "a value times the sampling period leaves 64 bits");
	}
	return legacy_close(l, values, j->heap ? &block : NULL, err);
}

/* Read samples; in is left in front of the first line that is none. */
static int read_samples(struct legacy *l, const struct java *j, struct lines *in, struct err *err)
{
	struct lines before = *in;

	for (; next_whole_line(in); before = *in) {
		struct slice line = slice_trim(in->line), first, second;

		if (line.n == 0)
			continue;
		if (!seek_sample(&line, &first, &second))
			break;
		if (read_sample(l, j, first, second, slice_addresses(line), err) < 0)
			return err_wrap(err, "line %" PRIu64, in->no);
	}
	*in = before;
	return 0;
}

static int read_profile(struct legacy *l, struct java *j, struct lines *in, struct profile **out, struct err *err)
{
	int rc;

	legacy_period(l, 0, "", "");
	if ((rc = read_attributes(l, j, in, err)) < 0 || (rc = read_samples(l, j, in, err)) < 0 ||
	    (rc = legacy_read_java_table(l, in, err)) < 0)
		return rc;
	return legacy_finish(l, j->heap ? FRAMES_HEAP : FRAMES_LOCK, FINISH_NO_ADDRESSES, out, err);
}

int reader_java(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
		struct err *err)
{
	struct lines in = { .at = (const char *)data, .end = (const char *)data + n };
	struct java j = { 0 };
	struct slice title;
	struct legacy l;
	int rc;

	if (!next_whole_line(&in))
		return err_set(err, ERR_UNKNOWN, "not a profile of Java");
	title = slice_trim(in.line);
	j.heap = slice_is(title, "--- heapz 1 ---");
	if (!j.heap && !slice_is(title, "--- contentionz 1 ---"))
		return err_set(err, ERR_UNKNOWN, "not a profile of Java");
	legacy_init(&l, limits);
	rc = read_profile(&l, &j, &in, out, err);
	legacy_release(&l);
	return rc;
}

/* The location table */

/* What a line says behind the address. */
struct place {
	struct slice func, file;
	int64_t no;
};

/* The last '(' behind a blank, in s[0 .. end); end when there is none. */
static size_t find_bracket(struct slice s, size_t end)
{
	for (size_t i = end; i > 1; i--)
		if (s.p[i - 1] == '(' && slice_is_blank(s.p[i - 2]))
			return i - 1;
	return end;
}

/* "function (file:line)" */
static bool read_file_line(struct slice s, struct place *p)
{
	size_t digits = s.n - 1, colon, bracket;
	struct slice number;

	while (digits > 0 && s.p[digits - 1] >= '0' && s.p[digits - 1] <= '9')
		digits--;
	number = (struct slice){ s.p + digits, s.n - 1 - digits };
	colon = digits > 0 && s.p[digits - 1] == '-' ? digits - 1 : digits;
	if (number.n == 0 || colon < 2 || s.p[--colon] != ':')
		return false;
	bracket = find_bracket(s, colon - 1); /* at least one byte of file in between */
	if (bracket == colon - 1)
		return false;
	p->func = (struct slice){ s.p, bracket - 1 };
	p->file = (struct slice){ s.p + bracket + 1, colon - bracket - 1 };
	if (s.p[digits - 1] == '-' || !slice_decimal(number, &p->no))
		p->no = 0;
	return true;
}

/* The last component of a path: "." of nothing, "/" of slashes only. */
static struct slice base_name(struct slice path)
{
	const char *slash;

	if (path.n == 0)
		return (struct slice){ ".", 1 };
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	slash = memrchr(path.p, '/', path.n);
	return slash && path.n > 1 ? slice_make(slash + 1, path.p + path.n) : path;
}

static struct place read_place(struct slice s)
{
	struct place p = { .func = s, .file = { "", 0 } };
	bool bracketed = s.p[s.n - 1] == ')';
	size_t bracket;

	if (bracketed && read_file_line(s, &p))
		return p;
	bracket = bracketed ? find_bracket(s, s.n - 1) : s.n - 1;
	if (bracketed && bracket != s.n - 1) { /* of a shared library; where it lies says nothing */
		p.func = (struct slice){ s.p, bracket - 1 };
		p.file = base_name((struct slice){ s.p + bracket + 1, s.n - 2 - bracket });
	} else if (slice_find(s, "generated stub/JIT")) {
		p.func = (struct slice){ "STUB", 4 };
	}
	return p;
}

/* "0x1f function": false when it is no such line. */
static bool take_address(struct slice *line, struct slice *addr)
{
	if (!slice_take(line, "0x") || (*addr = slice_take_hex(line)).n == 0 || line->n == 0 ||
	    !slice_is_blank(line->p[0]))
		return false;
	while (line->n && slice_is_blank(line->p[0]))
		*line = slice_make(line->p + 1, line->p + line->n);
	return line->n > 0;
}

/* The place in l->func of a function of this name; the first file stays. */
static int find_function(struct legacy *l, struct idtab *by_name, const struct place *p, uint32_t *func,
			 struct err *err)
{
	struct strtab *str = builder_strings(l->b);
	str_id name = strtab_add(str, p->func.p, p->func.n);
	uint64_t h = hash_u64(name);
	int rc;

	for (size_t pos = idtab_start(by_name, h); idtab_next(by_name, h, &pos, func);)
		if (l->func[*func].name == name)
			return 0;
	if ((rc = legacy_check_count(l->limits, l->n_funcs + 1, "functions", err)) < 0)
		return rc;
	*func = (uint32_t)l->n_funcs;
	idtab_put(by_name, h, *func);
	l->func = mem_grow(l->func, &l->cap_funcs, l->n_funcs + 1, sizeof(*l->func));
	l->func[l->n_funcs++] = (struct legacy_func){ name, strtab_add(str, p->file.p, p->file.n), PROFILE_NONE };
	return 0;
}

static int read_location(struct legacy *l, struct idtab *by_name, struct slice line, struct err *err)
{
	struct slice digits;
	struct place p;
	uint64_t addr;
	uint32_t i;
	int rc;

	if (!take_address(&line, &digits))
		return 0;
	if (!slice_hex(digits, &addr))
		return err_set(err, ERR_FORMAT, "an address of more than 64 bits");
	if (!legacy_find(l, addr, &i))
		return 0;
	p = read_place(line);
	if ((rc = find_function(l, by_name, &p, &l->line[i].func, err)) < 0)
		return rc;
	l->line[i].known = true;
	l->line[i].no = p.no;
	return 0;
}

int legacy_read_java_table(struct legacy *l, struct lines *in, struct err *err)
{
	struct idtab by_name;
	int rc = 0;

	idtab_init(&by_name, 0);
	l->line = mem_zalloc(l->n_addrs, sizeof(*l->line));
	while (rc == 0 && lines_next(in)) {
		rc = read_location(l, &by_name, slice_trim(in->line), err);
		if (rc < 0)
			err_wrap(err, "location table, line %" PRIu64, in->no);
	}
	idtab_release(&by_name);
	return rc;
}
