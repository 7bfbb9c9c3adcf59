/*
 * lines.c - the kinds of lines of perf script
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The fields of a header follow perf script -F, and nothing marks the end of the comm, which may have blanks, numbers and
 * brackets: "mill (x;y) 7 812 [003] 5.125000: 1 cpu-clock:u: ". The comm is the shortest text after which the rest is a
 * header: a pid or tid with a CPU or time after it; else a time; else a pid and an event.
 */
#include "config.h"

#include "formats/perfscript/perfscript_int.h"

#include <string.h>

enum {
	TIME_DIGITS_US = 6,
	TIME_DIGITS_NS = 9,
	FLAGS_BYTES_MAX = 8,
	PERIOD_COLUMNS = 10,
	COMM_BYTES_MAX = 256, /* Linux has at most 64, and perf aligns it */
	ADDR_DIGITS_MAX = 16,
};

static bool perfscript_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool perfscript_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void perfscript_skip(struct perfscript_text *t, size_t n)
{
	t->s += n;
	t->n -= n;
}

static void perfscript_skip_blanks(struct perfscript_text *t)
{
	while (t->n && perfscript_is_blank(*t->s))
		perfscript_skip(t, 1);
}

static struct perfscript_text perfscript_trim(struct perfscript_text t)
{
	perfscript_skip_blanks(&t);
	while (t.n && perfscript_is_blank(t.s[t.n - 1]))
		t.n--;
	return t;
}

/* Return true at a blank or the end. */
static bool perfscript_at_end(const struct perfscript_text *t)
{
	return t->n == 0 || perfscript_is_blank(*t->s);
}

/* Remove the digits at the start. Return their number; v is UINT64_MAX if it is too large. */
static size_t perfscript_take_number(struct perfscript_text *t, uint64_t *v)
{
	size_t n = 0;

	for (*v = 0; n < t->n && perfscript_is_digit(t->s[n]); n++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (uint64_t)(t->s[n] - '0'), v))
			*v = UINT64_MAX;
	perfscript_skip(t, n);
	return n;
}

/* Remove a process or thread id; perf prints -1 if it is unknown. */
static bool perfscript_take_id(struct perfscript_text *t, int64_t *out)
{
	bool is_negative = t->n && *t->s == '-';
	uint64_t v;

	perfscript_skip(t, is_negative);
	if (perfscript_take_number(t, &v) == 0 || v > INT32_MAX)
		return false;
	*out = is_negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* Remove "PID/TID", or "TID". */
static bool perfscript_take_ids(struct perfscript_text *t, struct perfscript_header *h)
{
	h->has_pid = false;
	h->has_tid = perfscript_take_id(t, &h->tid);
	if (h->has_tid && t->n && *t->s == '/') {
		perfscript_skip(t, 1);
		h->pid = h->tid;
		h->has_pid = perfscript_take_id(t, &h->tid);
		if (!h->has_pid)
			return false;
	}
	return h->has_tid && (perfscript_at_end(t) || *t->s == '[');
}

/* Remove the CPU, "[003]". */
static bool perfscript_take_cpu(struct perfscript_text *t)
{
	struct perfscript_text rest = *t;
	uint64_t cpu;

	if (rest.n == 0 || *rest.s != '[')
		return false;
	perfscript_skip(&rest, 1);
	if (perfscript_take_number(&rest, &cpu) == 0 || rest.n == 0 || *rest.s != ']')
		return false;
	perfscript_skip(&rest, 1);
	if (!perfscript_at_end(&rest))
		return false;
	*t = rest;
	return true;
}

/* Remove a time, "2659.935971:" or with nine digits of a nanosecond clock. */
static bool perfscript_take_time(struct perfscript_text *t, uint64_t *ns)
{
	struct perfscript_text rest = *t;
	uint64_t seconds, fraction;
	size_t n;

	if (perfscript_take_number(&rest, &seconds) == 0 || rest.n == 0 || *rest.s != '.')
		return false;
	perfscript_skip(&rest, 1);
	n = perfscript_take_number(&rest, &fraction);
	if ((n != TIME_DIGITS_US && n != TIME_DIGITS_NS) || rest.n == 0 || *rest.s != ':')
		return false;
	perfscript_skip(&rest, 1);
	if (!perfscript_at_end(&rest))
		return false;
	fraction *= n == TIME_DIGITS_US ? 1000 : 1;
	if (__builtin_mul_overflow(seconds, UINT64_C(1000000000), ns) || __builtin_add_overflow(*ns, fraction, ns))
		*ns = UINT64_MAX;
	*t = rest;
	return true;
}

/* Remove flags (-F misc and latency): a short word of letters and points before the time. */
static void perfscript_skip_flags(struct perfscript_text *t)
{
	struct perfscript_text rest = *t;
	size_t n = 0;

	while (n < rest.n && !perfscript_is_blank(rest.s[n]))
		n++;
	if (n == 0 || n > FLAGS_BYTES_MAX || perfscript_is_digit(*rest.s) || *rest.s == '[' || rest.s[n - 1] == ':')
		return;
	perfscript_skip(&rest, n);
	perfscript_skip_blanks(&rest);
	*t = rest;
}

/* Remove an event: a word that ends in a colon. */
static bool perfscript_take_event(struct perfscript_text *t, struct perfscript_text *event)
{
	size_t n = 0;

	while (n < t->n && !perfscript_is_blank(t->s[n]))
		n++;
	if (n < 2 || t->s[n - 1] != ':' || *t->s == '[')
		return false;
	*event = (struct perfscript_text){ t->s, n - 1 };
	perfscript_skip(t, n);
	return true;
}

/* Read the rest after the time: "PERIOD EVENT: REST", each optional. */
static void perfscript_parse_event(struct perfscript_text t, struct perfscript_header *h)
{
	static const char record[] = "PERF_RECORD_";
	struct perfscript_text before, after;
	struct perfscript_frame frame;

	perfscript_skip_blanks(&t);
	before = after = t;
	if (t.n >= sizeof(record) - 1 && memcmp(t.s, record, sizeof(record) - 1) == 0)
		h->record = t;
	h->has_period = perfscript_take_number(&after, &h->period) > 0 && perfscript_at_end(&after);
	if (h->has_period) {
		perfscript_skip_blanks(&after);
		t = after;
	}
	if (!perfscript_take_event(&t, &h->event) && h->has_period && t.n && !perfscript_frame_parse(t, &frame)) {
		h->has_period = false; /* the number is the address of a frame */
		t = before;
	}
	h->rest = perfscript_trim(t);
}

/* Is the text the part of a header after the comm, with a pid or tid, and a CPU or time? */
static bool perfscript_parse_ids(struct perfscript_text t, struct perfscript_header *h)
{
	struct perfscript_text flags;
	bool has_cpu;

	if (!perfscript_take_ids(&t, h))
		return false;
	perfscript_skip_blanks(&t);
	has_cpu = perfscript_take_cpu(&t);
	perfscript_skip_blanks(&t);
	flags = t;
	perfscript_skip_flags(&flags);
	h->has_time = perfscript_take_time(&t, &h->time_ns) || perfscript_take_time(&flags, &h->time_ns);
	if (h->has_time && flags.s > t.s)
		t = flags;
	if (!h->has_time && !has_cpu)
		return false;
	perfscript_parse_event(t, h);
	return h->has_time || h->event.n || h->has_period || h->rest.n == 0;
}

/* The same without a pid. */
static bool perfscript_parse_time(struct perfscript_text t, struct perfscript_header *h)
{
	perfscript_take_cpu(&t);
	perfscript_skip_blanks(&t);
	h->has_time = perfscript_take_time(&t, &h->time_ns);
	if (h->has_time)
		perfscript_parse_event(t, h);
	return h->has_time;
}

/* The same without CPU and time. A single number may be a period, which perf aligns to ten columns. */
static bool perfscript_parse_pid(struct perfscript_text t, struct perfscript_header *h)
{
	const char *start = t.s;

	if (!perfscript_take_ids(&t, h) ||
	    (!h->has_pid && h->n_blanks - 1 + (size_t)(t.s - start) >= PERIOD_COLUMNS && h->n_blanks))
		return false;
	perfscript_parse_event(t, h);
	return h->event.n || (h->has_pid && h->rest.n == 0);
}

/* The same with an event only. */
static bool perfscript_parse_name(struct perfscript_text t, struct perfscript_header *h)
{
	perfscript_parse_event(t, h);
	return h->event.n > 0;
}

/* Split a header by a function for the part after the comm, at the first word where it fits. */
static bool perfscript_split(struct perfscript_text text, struct perfscript_header *h,
			     bool (*parse)(struct perfscript_text t, struct perfscript_header *h))
{
	size_t n_blanks = 0;

	for (size_t i = 0; i < text.n && i < COMM_BYTES_MAX; i++) {
		const struct perfscript_text t = { text.s + i, text.n - i };

		n_blanks += perfscript_is_blank(*t.s);
		if (perfscript_is_blank(*t.s) || (i > 0 && n_blanks == 0))
			continue;
		*h = (struct perfscript_header){ .n_blanks = n_blanks };
		n_blanks = 0;
		if (parse(t, h)) {
			h->comm = perfscript_trim((struct perfscript_text){ text.s, i });
			return true;
		}
	}
	return false;
}

/* Split a header with a time or a CPU. */
static bool perfscript_split_certain(struct perfscript_text text, struct perfscript_header *h)
{
	struct perfscript_frame frame;

	if (!perfscript_split(text, h, perfscript_parse_ids))
		return perfscript_split(text, h, perfscript_parse_time);
	h->is_certain = h->event.n || h->record.n || h->rest.n == 0 || perfscript_frame_parse(h->rest, &frame);
	return true;
}

/* The position of the parenthesis that begins the last group, with a blank before it; 0 if there is none. */
static size_t perfscript_find_dso(const struct perfscript_text *t)
{
	size_t depth = 0, at = t->n;

	if (t->n == 0 || t->s[t->n - 1] != ')')
		return 0;
	while (at-- > 1) {
		depth += t->s[at] == ')';
		if (t->s[at] == '(' && --depth == 0)
			break;
	}
	if (at > 0 && depth == 0 && perfscript_is_blank(t->s[at - 1]))
		return at;
	for (at = t->n - 1; at > 0; at--) /* parentheses in the name that do not match */
		if (t->s[at] == '(' && perfscript_is_blank(t->s[at - 1]))
			return at;
	return 0;
}

static bool perfscript_is_text(const struct perfscript_text *t, const char *text)
{
	return t->n == strlen(text) && memcmp(t->s, text, t->n) == 0;
}

/* Remove the offset, "+0x1f", from the end of a name. */
static void perfscript_cut_offset(struct perfscript_text *name)
{
	size_t at = name->n;

	while (at > 0 && strchr("0123456789abcdef", name->s[at - 1]) && name->s[at - 1])
		at--;
	if (at < name->n && at > 3 && memcmp(name->s + at - 3, "+0x", 3) == 0)
		name->n = at - 3;
}

bool perfscript_frame_parse(struct perfscript_text text, struct perfscript_frame *out)
{
	static const char digits[] = "0123456789abcdef", jump[] = ") => ";
	const char *digit, *end;
	size_t n = 0, at;

	*out = (struct perfscript_frame){ 0 };
	if (text.n == 0)
		return false;
	text = perfscript_trim(text);
	for (; n < text.n && (digit = memchr(digits, text.s[n], sizeof(digits) - 1)); n++)
		out->addr = out->addr << 4 | (uint64_t)(digit - digits);
	perfscript_skip(&text, n);
	if (n == 0 || n > ADDR_DIGITS_MAX || !perfscript_at_end(&text))
		return false;
	end = memmem(text.s, text.n, jump, sizeof(jump) - 1); /* a branch: its source is the frame */
	text.n = end ? (size_t)(end + 1 - text.s) : text.n;
	at = perfscript_find_dso(&text);
	if (at) {
		out->dso = (struct perfscript_text){ text.s + at + 1, text.n - at - 2 };
		text.n = at;
	}
	out->is_inlined = perfscript_is_text(&out->dso, "inlined");
	if (out->is_inlined || perfscript_is_text(&out->dso, "[unknown]"))
		out->dso.n = 0;
	out->name = perfscript_trim(text);
	perfscript_cut_offset(&out->name);
	if (perfscript_is_text(&out->name, "[unknown]"))
		out->name.n = 0;
	return true;
}

bool perfscript_header_has_frame(const struct perfscript_header *h)
{
	struct perfscript_frame frame;

	return h->event.n && perfscript_frame_parse(h->rest, &frame) && frame.name.n;
}

/* Is the text "FILE:LINE", as perf script -F srcline prints it below a frame? */
static bool perfscript_source_parse(struct perfscript_text text, struct perfscript_line *line)
{
	size_t at = text.n;

	while (at > 0 && perfscript_is_digit(text.s[at - 1]))
		at--;
	if (at == text.n || at == 0 || text.s[at - 1] != ':')
		return false;
	line->file = (struct perfscript_text){ text.s, at - 1 };
	perfscript_skip(&text, at);
	return perfscript_take_number(&text, &line->file_line) > 0;
}

/* Return true if the rest begins with a frame of a call chain. */
static bool perfscript_frame_follows(const struct perfscript_lines *lines)
{
	const char *end = lines->at == lines->end ? NULL : memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
	struct perfscript_text t = { lines->at, (size_t)((end ? end : lines->end) - lines->at) };
	struct perfscript_frame frame;

	t.n -= t.n && t.s[t.n - 1] == '\r';
	return t.n && *t.s == '\t' && perfscript_frame_parse(t, &frame);
}

/* Split a header without CPU and time, but with a frame: "  cafe 7 cycles: 10 main (a)"; cafe is no address. */
static bool perfscript_split_flat(struct perfscript_text text, struct perfscript_header *h)
{
	return (perfscript_split(text, h, perfscript_parse_pid) && perfscript_header_has_frame(h)) ||
	       (perfscript_split(text, h, perfscript_parse_name) && perfscript_header_has_frame(h));
}

/* The kind of a line that is neither empty nor a comment. */
static enum perfscript_kind perfscript_find_kind(const struct perfscript_lines *lines, struct perfscript_line *line)
{
	struct perfscript_text trimmed = perfscript_trim(line->text);
	struct perfscript_header *h = &line->header;

	if (*line->text.s != '\t' && perfscript_split_certain(line->text, h))
		return PERFSCRIPT_HEADER;
	if (*line->text.s == ' ' && perfscript_split_flat(line->text, h))
		return PERFSCRIPT_HEADER;
	if (perfscript_is_blank(*line->text.s) && perfscript_frame_parse(trimmed, &line->frame))
		return PERFSCRIPT_FRAME;
	if (*line->text.s != '\t' && perfscript_split(line->text, h, perfscript_parse_pid))
		return PERFSCRIPT_HEADER;
	if (perfscript_is_blank(*line->text.s) && perfscript_source_parse(trimmed, line))
		return PERFSCRIPT_SOURCE;
	if (*line->text.s != '\t' && perfscript_split(line->text, h, perfscript_parse_name))
		return PERFSCRIPT_HEADER;
	if (!perfscript_is_blank(*line->text.s) && perfscript_frame_follows(lines)) {
		*h = (struct perfscript_header){ .comm = trimmed };
		return PERFSCRIPT_HEADER;
	}
	return PERFSCRIPT_OTHER;
}

bool perfscript_next(struct perfscript_lines *lines, struct perfscript_line *line)
{
	const char *newline;

	if (lines->at == lines->end)
		return false;
	newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
	line->text = (struct perfscript_text){ lines->at, (size_t)((newline ? newline : lines->end) - lines->at) };
	line->number = ++lines->number;
	lines->at = newline ? newline + 1 : lines->end;
	line->text.n -= line->text.n && line->text.s[line->text.n - 1] == '\r';
	if (perfscript_trim(line->text).n == 0)
		line->kind = PERFSCRIPT_EMPTY;
	else if (*line->text.s == '#')
		line->kind = PERFSCRIPT_COMMENT;
	else
		line->kind = perfscript_find_kind(lines, line);
	return true;
}
