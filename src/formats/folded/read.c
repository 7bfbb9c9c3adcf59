/*
 * read.c - folded text as a profile: frames that have only a name
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The format has no types, and two forms: with one number per line, and with two, of which the first belongs to the base
 * of a comparison. A frame may end in a number too ("thread 7 12"), so only a file in which each line has two numbers has
 * the second form. A file is therefore read twice.
 */
#include "config.h"

#include "formats/folded/folded.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/common/named_frames.h"
#include "formats/common/skipped.h"
#include "profile/builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROBE_LINES = 20,
	PROBE_BYTES = 1 << 20,
	PROBE_SHARE = 5, /* one line of so many may have no number */
	LINE_BYTES_MAX = 16 << 20,
};

enum { FOLDED_DECIMALS_MAX = 6 };

/* A line without its end and the blanks before it. */
struct folded_line {
	const char *s;
	size_t n;
	size_t number; /* from 1 */
};

/* The rest of a text. */
struct folded_lines {
	const char *at, *end;
	size_t number; /* of the last line */
};

/* A number as written: sign, digits, maybe a fraction. */
struct folded_number {
	const char *s;
	size_t n;
	unsigned n_decimals; /* up to the last one that is not 0 */
	bool is_plain;       /* digits only */
};

static bool folded_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool folded_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Set line to the next line. Return false at the end. */
static bool folded_lines_next(struct folded_lines *l, struct folded_line *line)
{
	const char *newline;

	if (l->at == l->end)
		return false;
	newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
	line->s = l->at;
	line->n = (size_t)((newline ? newline : l->end) - l->at);
	line->number = ++l->number;
	l->at = newline ? newline + 1 : l->end;
	while (line->n && folded_is_blank(line->s[line->n - 1]))
		line->n--;
	return true;
}

/* Return true if a line without a number is a comment, or empty. */
static bool folded_line_is_comment(const struct folded_line *line)
{
	return line->n == 0 || *line->s == '#';
}

/* Is the text a number: a sign, digits, a point, digits? */
static bool folded_is_number(struct folded_number *number)
{
	const char *s = number->s;
	size_t n = number->n, at = n && (*s == '-' || *s == '+'), n_digits = 0, point;

	for (; at < n && folded_is_digit(s[at]); at++)
		n_digits++;
	point = at;
	if (at < n && s[at] == '.')
		for (at++; at < n && folded_is_digit(s[at]); at++, n_digits++)
			if (s[at] != '0')
				number->n_decimals =
					at - point > FOLDED_DECIMALS_MAX ? FOLDED_DECIMALS_MAX : (unsigned)(at - point);
	number->is_plain = n_digits == n;
	return at == n && n_digits > 0;
}

/* Remove the number at the end of a line and the blanks before it. Return false, without change, if there is none. */
static bool folded_line_split(struct folded_line *line, struct folded_number *out)
{
	size_t at = line->n;

	while (at > 0 && !folded_is_blank(line->s[at - 1]))
		at--;
	*out = (struct folded_number){ .s = line->s + at, .n = line->n - at };
	if (at == 0 || !folded_is_number(out))
		return false;
	while (at > 0 && folded_is_blank(line->s[at - 1]))
		at--;
	line->n = at;
	return true;
}

/*
 * Multiply a number by a power of ten, rounded to the nearest integer.
 *
 * n_decimals   the exponent
 * Returns false if the result does not fit.
 */
static bool folded_number_value(const struct folded_number *number, unsigned n_decimals, int64_t *out)
{
	const char *s = number->s, *end = s + number->n;
	bool is_negative = *s == '-';
	uint64_t v = 0;

	for (s += is_negative || *s == '+'; s < end && *s != '.'; s++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return false;
	s += s < end;
	for (unsigned i = 0; i < n_decimals; i++) {
		uint64_t digit = s < end ? (uint64_t)(*s++ - '0') : 0;

		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v))
			return false;
	}
	if (s < end && *s >= '5' && __builtin_add_overflow(v, 1, &v))
		return false;
	if (v > INT64_MAX)
		return false;
	*out = is_negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* The code unit at a position. */
static uint32_t folded_unit(const uint8_t *data, bool is_big)
{
	return is_big ? (uint32_t)data[0] << 8 | data[1] : (uint32_t)data[1] << 8 | data[0];
}

/* Append UTF-16 text with a byte order mark as UTF-8. Return false if there is no mark. */
static bool folded_text_from_utf16(const uint8_t *data, size_t n, struct buf *out)
{
	bool is_big = n >= 2 && data[0] == 0xfe && data[1] == 0xff;

	if (!is_big && !(n >= 2 && data[0] == 0xff && data[1] == 0xfe))
		return false;
	for (size_t i = 2; i + 1 < n; i += 2) {
		uint32_t c = folded_unit(data + i, is_big), low;

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < n) {
			low = folded_unit(data + i + 2, is_big);
			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		utf8_add_char(out, c);
	}
	return true;
}

struct folded_reader {
	const struct format_options *options;
	const struct folded_pushed *pushed; /* NULL: a file */
	struct builder *b;
	struct named_frames *frames;
	uint32_t *stack; /* [cap_stack] of the current line, root first */
	size_t n, cap_stack;
	size_t n_rows, n_valid; /* lines with a number */
	unsigned n_decimals;    /* values are multiplied by ten to this power */
	bool has_two_numbers;
	struct skipped numbers, empty; /* lines without a number, and empty frames */
};

enum format_match folded_probe(const uint8_t *data, size_t n)
{
	struct buf text = { 0 };
	struct folded_lines lines;
	struct folded_line line;
	struct folded_number number;
	size_t n_valid = 0, n_other = 0;
	bool has_separator = false, is_text = true, is_cut = n > PROBE_BYTES;

	n = is_cut ? PROBE_BYTES : n;
	lines = folded_text_from_utf16(data, n, &text)
			? (struct folded_lines){ buf_text(&text), buf_text(&text) + text.len, 0 }
			: (struct folded_lines){ (const char *)data, (const char *)data + n, 0 };
	while (n_valid + n_other < PROBE_LINES && is_text && folded_lines_next(&lines, &line)) {
		for (size_t i = 0; i < line.n && is_text; i++)
			is_text = (unsigned char)line.s[i] >= ' ' || line.s[i] == '\t';
		if (folded_line_split(&line, &number)) {
			n_valid++;
			has_separator |= memchr(line.s, ';', line.n) != NULL;
		} else if (!folded_line_is_comment(&line) && !(is_cut && lines.at == lines.end)) {
			n_other++;
		}
	}
	buf_release(&text);
	if (!is_text || n_valid == 0)
		return FORMAT_NO;
	if (n_other * PROBE_SHARE > n_valid)
		return has_separator && n_other <= n_valid ? FORMAT_MAYBE : FORMAT_NO;
	return has_separator ? FORMAT_SURE : n_other || n_valid == 1 ? FORMAT_NO : FORMAT_MAYBE;
}

static void folded_reverse(uint32_t *stack, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t t = stack[i];

		stack[i] = stack[n - 1 - i];
		stack[n - 1 - i] = t;
	}
}

static int folded_add_frame(struct folded_reader *f, const char *name, size_t n, struct err *err)
{
	const struct named_frame frame = { .name = strtab_add(builder_strings(f->b), name, n) };

	return named_frames_location(f->frames, &frame, &f->stack[f->n++], err);
}

static int folded_read_stack(struct folded_reader *f, const struct folded_line *line, struct err *err)
{
	const char *s = line->s;
	size_t n = line->n;
	int rc = 0;

	f->n = 0;
	while (n > 0 && rc == 0) {
		const char *end = memchr(s, ';', n);
		size_t n_name = end ? (size_t)(end - s) : n;

		if (format_exceeds(f->n + 1, f->options->max_depth))
			return err_set(err, ERR_LIMIT, "more than %" PRIu64 " frames; raise the limit with --max-depth",
				       f->options->max_depth);
		f->stack = mem_grow(f->stack, &f->cap_stack, f->n + 1, sizeof(*f->stack));
		if (n_name > 0)
			rc = folded_add_frame(f, s, n_name, err);
		else
			skipped_add(&f->empty, line->number);
		s += n_name + (end != NULL);
		n -= n_name + (end != NULL);
	}
	folded_reverse(f->stack, f->n); /* leaf first */
	return rc;
}

/* Remove the numbers of a line. Returns how many there are, at most 2 of a file that has two per line, else 1. */
static size_t folded_take_numbers(const struct folded_reader *f, struct folded_line *line,
				  struct folded_number number[2])
{
	struct folded_line rest;

	if (!folded_line_split(line, &number[0]))
		return 0;
	if (f->pushed) /* neither sign nor fraction */
		return number[0].is_plain;
	if (!f->has_two_numbers)
		return 1;
	rest = *line;
	number[1] = number[0];
	if (!folded_line_split(&rest, &number[0]) || rest.n == 0) {
		number[0] = number[1];
		return 1;
	}
	*line = rest;
	return 2;
}

static int folded_add_row(struct folded_reader *f, const struct folded_line *line, const int64_t value[2],
			  struct err *err)
{
	int rc;

	if (!f->pushed && value[0] == 0 && value[1] == 0)
		return 0;
	if (format_exceeds(++f->n_rows, f->options->max_count))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " stacks; raise the limit with --max-count",
			       f->options->max_count);
	rc = folded_read_stack(f, line, err);
	return rc < 0 ? rc : builder_sample(f->b, value, f->stack, f->n, NULL, 0, err);
}

static int folded_read_line(struct folded_reader *f, struct folded_line *line, struct err *err)
{
	struct folded_number number[2];
	int64_t value[2] = { 1, 0 };
	size_t n_numbers = 0;

	if (line->n == 0)
		return 0;
	if (line->n > LINE_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d bytes", (int)LINE_BYTES_MAX);
	if (!f->pushed || !f->pushed->counts_lines) {
		n_numbers = folded_take_numbers(f, line, number);
		if (n_numbers == 0 && f->pushed)
			return err_set(err, ERR_FORMAT, "no number at the end");
		if (n_numbers == 0) {
			if (!folded_line_is_comment(line))
				skipped_add(&f->numbers, line->number);
			return 0;
		}
	}
	for (size_t i = 0; i < n_numbers; i++)
		if (!folded_number_value(&number[i], f->n_decimals, &value[i]))
			return err_set(err, ERR_FORMAT, "the number %.*s is too large",
				       (int)(number[i].n < 40 ? number[i].n : 40), number[i].s);
	if (f->pushed && __builtin_mul_overflow(value[0], f->pushed->value_ns, &value[1]))
		return err_set(err, ERR_RANGE, "the number is too large");
	f->n_valid++;
	return folded_add_row(f, line, value, err);
}

/* Find the form of a file: whether each line has two numbers, and how many decimals the numbers have. */
static void folded_find_form(struct folded_reader *f, struct folded_lines lines)
{
	struct folded_line line;
	struct folded_number number[2];
	size_t n_valid = 0, n_two = 0;
	unsigned n_decimals[2] = { 0, 0 }; /* of the last numbers, and of the numbers before them */

	f->has_two_numbers = true;
	while (folded_lines_next(&lines, &line)) {
		size_t n = folded_take_numbers(f, &line, number);

		n_valid += n > 0;
		n_two += n == 2;
		for (size_t i = 0; i < n; i++) {
			unsigned *most = &n_decimals[i + 1 < n];

			*most = number[i].n_decimals > *most ? number[i].n_decimals : *most;
		}
	}
	f->has_two_numbers = n_two > 0 && n_two == n_valid;
	f->n_decimals = f->has_two_numbers && n_decimals[1] > n_decimals[0] ? n_decimals[1] : n_decimals[0];
}

static void folded_set_types(struct folded_reader *f)
{
	struct strtab *str = builder_strings(f->b);
	struct profile_meta *meta = builder_meta(f->b);
	str_id count = strtab_addz(str, "count"), ns = strtab_addz(str, "nanoseconds"), cpu = strtab_addz(str, "cpu");

	if (f->pushed && f->pushed->value_ns) {
		builder_type(f->b, strtab_addz(str, "samples"), count);
		builder_type(f->b, cpu, ns);
		meta->period_type = (struct value_type){ cpu, ns };
		meta->has_period_type = true;
		meta->period = f->pushed->value_ns;
	} else if (f->pushed) {
		builder_type(f->b, strtab_addz(str, f->pushed->type), strtab_addz(str, f->pushed->unit));
	} else if (f->has_two_numbers) {
		builder_type(f->b, strtab_addz(str, "before"), count);
		builder_type(f->b, strtab_addz(str, "after"), count);
	} else {
		builder_type(f->b, strtab_addz(str, "samples"), count);
	}
}

static void folded_add_comments(struct folded_reader *f)
{
	struct buf text = { 0 };
	unsigned factor = 1;

	skipped_add_comment(&f->numbers, f->b, "folded: skipped", "line without a number at its end",
			    "lines without a number at their end", "line");
	skipped_add_comment(&f->empty, f->b, "folded: skipped", "empty frame", "empty frames", "line");
	for (unsigned i = 0; i < f->n_decimals; i++)
		factor *= 10;
	if (factor == 1)
		return;
	buf_addf(&text, "folded: values are multiplied by %u, because some are fractions", factor);
	builder_comment(f->b, strtab_addz(builder_strings(f->b), buf_text(&text)));
	buf_release(&text);
}

static int folded_read_lines(struct folded_reader *f, struct folded_lines lines, struct err *err)
{
	struct folded_line line;
	int rc = 0;

	while (rc == 0 && folded_lines_next(&lines, &line)) {
		rc = folded_read_line(f, &line, err);
		if (rc < 0)
			err_wrap(err, "line %zu", line.number);
	}
	if (rc == 0 && f->n_valid == 0 && f->numbers.n)
		return err_set(err, ERR_FORMAT, "line %zu: no number at the end, as in all other lines",
			       f->numbers.first);
	return rc == 0 && f->n_valid == 0 ? err_set(err, ERR_FORMAT, "the text has no stack") : rc;
}

/* Read text in UTF-8. */
static int folded_read_text(const struct folded_pushed *pushed, const char *s, size_t n,
			    const struct format_options *options, struct profile **out, struct err *err)
{
	struct folded_reader f = { .pushed = pushed, .options = options, .b = builder_new() };
	const struct folded_lines lines = { s, s + n, 0 };
	int rc;

	f.frames = named_frames_new(f.b, options);
	if (!pushed)
		folded_find_form(&f, lines);
	folded_set_types(&f);
	rc = folded_read_lines(&f, lines, err);
	folded_add_comments(&f);
	if (rc == 0)
		*out = builder_seal(f.b);
	named_frames_free(f.frames);
	builder_free(f.b);
	free(f.stack);
	return rc;
}

int folded_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t n_mark = n >= sizeof(mark) - 1 && memcmp(data, mark, sizeof(mark) - 1) == 0 ? sizeof(mark) - 1 : 0;
	struct buf text = { 0 };
	int rc;

	if (folded_text_from_utf16(data, n, &text))
		rc = folded_read_text(NULL, buf_text(&text), text.len, options, out, err);
	else
		rc = folded_read_text(NULL, (const char *)data + n_mark, n - n_mark, options, out, err);
	buf_release(&text);
	return rc;
}

int folded_read_pushed(const struct folded_pushed *pushed, const uint8_t *data, size_t n,
		       const struct format_options *options, struct profile **out, struct err *err)
{
	return folded_read_text(pushed, (const char *)data, n, options, out, err);
}
