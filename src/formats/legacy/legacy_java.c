/*
 * legacy_java.c - heap and contention profiles of Java as text, and their location table
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
 * Like pprof profile/legacy_java_profile.go, parseJavaProfile. A last line without newline is neither an attribute nor
 * a sample, as in pprof.
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

enum { JAVA_HEAP_RATE = 512 * 1024 };

struct java {
	bool heap; /* a heap profile; otherwise a contention profile */
	int64_t period;
};

/* Attributes and samples */

/* Go to the next line; false if that line has no newline. */
static bool next_whole_line(struct lines *in)
{
	if (in->at == in->end || !memchr(in->at, '\n', (size_t)(in->end - in->at)))
		return false;
	return lines_next(in);
}

static bool java_is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ' ';
}

/* Find "key=value" in a line; both consist of letters, digits, '_' and ' '. */
static bool find_attribute(struct slice line, struct slice *key, struct slice *value)
{
	for (size_t i = 1; i + 1 < line.n; i++) {
		size_t lo = i, hi = i + 1;

		if (line.p[i] != '=')
			continue;
		while (lo > 0 && java_is_word(line.p[lo - 1]))
			lo--;
		while (hi < line.n && java_is_word(line.p[hi]))
			hi++;
		if (lo == i || hi == i + 1)
			continue;
		*key = slice_trim((struct slice){ line.p + lo, i - lo });
		*value = slice_trim((struct slice){ line.p + i + 1, hi - i - 1 });
		return true;
	}
	return false;
}

/* Read an attribute. The last resolution is used, so the types are set after all attributes have been read. */
static int java_read_attribute(struct legacy *l, struct java *j, struct slice key, struct slice value,
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
			return err_set(err, ERR_FORMAT, "the sampling period is not a 64-bit number");
		legacy_set_period(l, j->period, "contentions", "count");
		return 0;
	}
	if (j->heap || !slice_is(key, "ms since reset"))
		return err_set(err, ERR_FORMAT, "unknown attribute");
	if (!slice_number(value, &ms) || __builtin_mul_overflow(ms, INT64_C(1000000), &builder_meta(l->b)->duration_ns))
		return err_set(err, ERR_FORMAT, "the duration is not a 64-bit number of nanoseconds");
	return 0;
}

/* Read attributes; in is then before the first other line. */
static int java_read_attributes(struct legacy *l, struct java *j, struct lines *in, struct err *err)
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
		if (java_read_attribute(l, j, key, value, &resolution, err) < 0)
			return err_wrap(err, "line %" PRIu64, in->no);
	}
	*in = before;
	if (!resolution.p)
		return err_set(err, ERR_FORMAT, "Java profile without resolution");
	legacy_add_type(l, j->heap ? "inuse_objects" : "contentions", "count");
	builder_type(l->b, strtab_addz(str, j->heap ? "inuse_space" : "delay"),
		     strtab_add(str, resolution.p, resolution.n));
	return 0;
}

/* Find "64 2 @ " in a line; false if the line does not contain it. */
static bool java_seek_sample(struct slice *line, struct slice *first, struct slice *second)
{
	while (slice_skip_to_digit(line)) {
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
		return err_set(err, ERR_FORMAT, "bytes without objects");
	*block = values[1] / values[0];
	return legacy_scale_heap(&values[0], &values[1], JAVA_HEAP_RATE, err);
}

static int java_read_sample(struct legacy *l, const struct java *j, struct slice first, struct slice second,
			    struct slice addresses, struct err *err)
{
	int64_t values[2], block = 0;
	int rc = legacy_add_frames(l, addresses, ADJUST_NONE, err);

	if (rc < 0)
		return rc;
	if (!slice_number(second, &values[0]) || !slice_number(first, &values[1]))
		return err_set(err, ERR_FORMAT, "value is not a 64-bit number");
	if (j->heap) {
		if (scale_heap(values, &block, err) < 0)
			return ERR_FORMAT;
	} else if (j->period && (__builtin_mul_overflow(values[0], j->period, &values[0]) ||
				 __builtin_mul_overflow(values[1], j->period, &values[1]))) {
		return err_set(err, ERR_FORMAT, "value times the sampling period overflows 64 bits");
	}
	return legacy_end_sample(l, values, j->heap ? &block : NULL, err);
}

/* Read samples; in is then before the first other line. */
static int java_read_samples(struct legacy *l, const struct java *j, struct lines *in, struct err *err)
{
	struct lines before = *in;

	for (; next_whole_line(in); before = *in) {
		struct slice line = slice_trim(in->line), first, second;

		if (line.n == 0)
			continue;
		if (!java_seek_sample(&line, &first, &second))
			break;
		if (java_read_sample(l, j, first, second, slice_addresses(line), err) < 0)
			return err_wrap(err, "line %" PRIu64, in->no);
	}
	*in = before;
	return 0;
}

static int java_read_profile(struct legacy *l, struct java *j, struct lines *in, struct profile **out, struct err *err)
{
	int rc;

	legacy_set_period(l, 0, "", "");
	if ((rc = java_read_attributes(l, j, in, err)) < 0 || (rc = java_read_samples(l, j, in, err)) < 0 ||
	    (rc = legacy_read_java_table(l, in, err)) < 0)
		return rc;
	return legacy_finish(l, j->heap ? FRAMES_HEAP : FRAMES_LOCK, FINISH_CLEAR_ADDRESSES, out, err);
}

int legacy_read_java(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		     struct err *err)
{
	struct lines in = { .at = (const char *)data, .end = (const char *)data + n };
	struct java j = { 0 };
	struct slice title;
	struct legacy l;
	int rc;

	if (!next_whole_line(&in))
		return err_set(err, ERR_UNKNOWN, "not a Java profile");
	title = slice_trim(in.line);
	j.heap = slice_is(title, "--- heapz 1 ---");
	if (!j.heap && !slice_is(title, "--- contentionz 1 ---"))
		return err_set(err, ERR_UNKNOWN, "not a Java profile");
	legacy_init(&l, options);
	rc = java_read_profile(&l, &j, &in, out, err);
	legacy_release(&l);
	return rc;
}

/* The location table */

/* The function, file and line number of an address. */
struct position {
	struct slice func, file;
	int64_t no;
};

/* Index of the last '(' after a blank in s[0 .. end); end if there is none. */
static size_t find_bracket(struct slice s, size_t end)
{
	for (size_t i = end; i > 1; i--)
		if (s.p[i - 1] == '(' && slice_is_blank(s.p[i - 2]))
			return i - 1;
	return end;
}

/* Parse "function (file:line)". */
static bool read_file_line(struct slice s, struct position *p)
{
	size_t digits = s.n - 1, colon, bracket;
	struct slice number;

	while (digits > 0 && s.p[digits - 1] >= '0' && s.p[digits - 1] <= '9')
		digits--;
	number = (struct slice){ s.p + digits, s.n - 1 - digits };
	colon = digits > 0 && s.p[digits - 1] == '-' ? digits - 1 : digits;
	if (number.n == 0 || colon < 2 || s.p[--colon] != ':')
		return false;
	bracket = find_bracket(s, colon - 1); /* the file name has at least one byte */
	if (bracket == colon - 1)
		return false;
	p->func = (struct slice){ s.p, bracket - 1 };
	p->file = (struct slice){ s.p + bracket + 1, colon - bracket - 1 };
	if (s.p[digits - 1] == '-' || !slice_decimal(number, &p->no))
		p->no = 0;
	return true;
}

/* The last component of a path; "." if empty, "/" if it consists of slashes. */
static struct slice java_base_name(struct slice path)
{
	const char *slash;

	if (path.n == 0)
		return (struct slice){ ".", 1 };
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	slash = memrchr(path.p, '/', path.n);
	return slash && path.n > 1 ? slice_make(slash + 1, path.p + path.n) : path;
}

static struct position read_position(struct slice s)
{
	struct position p = { .func = s, .file = { "", 0 } };
	bool is_bracketed = s.p[s.n - 1] == ')';
	size_t bracket;

	if (is_bracketed && read_file_line(s, &p))
		return p;
	bracket = is_bracketed ? find_bracket(s, s.n - 1) : s.n - 1;
	if (is_bracketed && bracket != s.n - 1) { /* a function of a shared library; its folder is not needed */
		p.func = (struct slice){ s.p, bracket - 1 };
		p.file = java_base_name((struct slice){ s.p + bracket + 1, s.n - 2 - bracket });
	} else if (slice_find(s, "generated stub/JIT")) {
		p.func = (struct slice){ "STUB", 4 };
	}
	return p;
}

/* Remove the address from the start of a line such as "0x1f function"; false for other lines. */
static bool take_address(struct slice *line, struct slice *addr)
{
	if (!slice_take(line, "0x") || (*addr = slice_take_hex(line)).n == 0 || line->n == 0 ||
	    !slice_is_blank(line->p[0]))
		return false;
	while (line->n && slice_is_blank(line->p[0]))
		*line = slice_make(line->p + 1, line->p + line->n);
	return line->n > 0;
}

/* The index in l->func of a function by name; a new function is added. Its file is the first one found for the name. */
static int java_find_function(struct legacy *l, struct idtab *by_name, const struct position *p, uint32_t *func,
			      struct err *err)
{
	struct strtab *str = builder_strings(l->b);
	str_id name = strtab_add(str, p->func.p, p->func.n);
	uint64_t h = hash_u64(name);
	int rc;

	for (size_t pos = idtab_start(by_name, h); idtab_next(by_name, h, &pos, func);)
		if (l->func[*func].name == name)
			return 0;
	if ((rc = legacy_check_count(l->options, l->n_funcs + 1, "functions", err)) < 0)
		return rc;
	*func = (uint32_t)l->n_funcs;
	idtab_put(by_name, h, *func);
	l->func = mem_grow(l->func, &l->cap_funcs, l->n_funcs + 1, sizeof(*l->func));
	l->func[l->n_funcs++] = (struct legacy_func){ name, strtab_add(str, p->file.p, p->file.n), PROFILE_NONE };
	return 0;
}

static int java_read_location(struct legacy *l, struct idtab *by_name, struct slice line, struct err *err)
{
	struct slice digits;
	struct position p;
	uint64_t addr;
	uint32_t i;
	int rc;

	if (!take_address(&line, &digits))
		return 0;
	if (!slice_hex(digits, &addr))
		return err_set(err, ERR_FORMAT, "address of more than 64 bits");
	if (!legacy_find(l, addr, &i))
		return 0;
	p = read_position(line);
	if ((rc = java_find_function(l, by_name, &p, &l->line[i].func, err)) < 0)
		return rc;
	l->line[i].is_known = true;
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
		rc = java_read_location(l, &by_name, slice_trim(in->line), err);
		if (rc < 0)
			err_wrap(err, "location table, line %" PRIu64, in->no);
	}
	idtab_release(&by_name);
	return rc;
}
