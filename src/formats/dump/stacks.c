/*
 * stacks.c - parse stack dumps
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	goroutine 18 [chan receive, 12 minutes, locked to thread]:
 *	main.(*Worker).run(0xc000012018, {0x1, 0x2})
 *		/src/main.go:33 +0x1d
 *	created by main.main in goroutine 1
 *		/src/main.go:12 +0x45
 *
 *	thread 4711 "worker" [futex, 3 minutes, cpu 3.2s, labels: {"op":"x"}]:
 *
 * A stack ends at an empty line or at the next header. Arguments are removed, since their values would make equal
 * stacks differ. For Go, they are the matching parentheses at the end of the line.
 */
#include "config.h"

#include "formats/dump/stacks.h"

#include "base/mem.h"
#include "base/str.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_PER_MINUTE = 60, MS_PER_S = 1000 };

static struct stacks_text make_text(const char *s, const char *end)
{
	return (struct stacks_text){ s, (size_t)(end - s) };
}

static bool starts(struct stacks_text t, const char *prefix)
{
	return starts_with_n(t.s, t.n, prefix);
}

static struct stacks_text skip(struct stacks_text t, size_t n)
{
	assert(n <= t.n);
	return (struct stacks_text){ t.s + n, t.n - n };
}

static struct stacks_text dump_trim(struct stacks_text t)
{
	while (t.n && (*t.s == ' ' || *t.s == '\t'))
		t = skip(t, 1);
	while (t.n && (t.s[t.n - 1] == ' ' || t.s[t.n - 1] == '\r' || t.s[t.n - 1] == '\t'))
		t.n--;
	return t;
}

/* Remove a number from the start of t. False when there is none, or the number is too large. */
static bool dump_take_number(struct stacks_text *t, uint64_t *v)
{
	size_t n = 0;
	uint64_t r = 0;

	for (; n < t->n && t->s[n] >= '0' && t->s[n] <= '9'; n++)
		if (__builtin_mul_overflow(r, 10, &r) || __builtin_add_overflow(r, (uint64_t)(t->s[n] - '0'), &r))
			return false;
	*t = skip(*t, n);
	*v = r;
	return n > 0;
}

/* Parse "12 minutes". */
static bool take_wait(struct stacks_text word, struct stacks_thread *to)
{
	uint64_t v;

	if (!dump_take_number(&word, &v) || !starts(word, " minute") || v > UINT32_MAX)
		return false;
	to->is_waiting = true;
	to->wait_s = v * SECONDS_PER_MINUTE;
	return true;
}

/* Parse "cpu 3.2s". */
static bool dump_take_cpu(struct stacks_text word, struct stacks_thread *to)
{
	uint64_t s, tenths = 0;

	if (!starts(word, "cpu "))
		return false;
	word = skip(word, 4);
	if (!dump_take_number(&word, &s) || s > UINT32_MAX)
		return false;
	if (starts(word, ".")) {
		word = skip(word, 1);
		if (!word.n || *word.s < '0' || *word.s > '9')
			return false;
		tenths = (uint64_t)(*word.s - '0');
	}
	to->cpu_ms = s * MS_PER_S + tenths * (MS_PER_S / 10);
	return true;
}

/* Parse the comma-separated words in brackets. */
static void take_words(struct stacks_text in, struct stacks_thread *to)
{
	bool is_first = true;

	while (in.n) {
		const char *comma;
		struct stacks_text word;

		in = dump_trim(in);
		if (starts(in, "labels:")) { /* last word, may contain commas */
			to->labels = dump_trim(skip(in, strlen("labels:")));
			return;
		}
		comma = in.n ? memchr(in.s, ',', in.n) : NULL;
		word = make_text(in.s, comma ? comma : in.s + in.n);
		in = skip(in, word.n + (comma != NULL));
		if (is_first)
			to->state = word;
		else if (!take_wait(word, to) && !dump_take_cpu(word, to))
			to->details = to->details.n ? make_text(to->details.s, word.s + word.n) : word;
		is_first = false;
	}
}

/* Parse the header of a stack; false for other lines. Go may write gp=0x... m=0 between the number and the bracket. */
static bool take_head(struct stacks_text line, struct stacks_thread *to, bool *is_thread)
{
	const char *open, *quote;

	*is_thread = starts(line, "thread ");
	if (!*is_thread && !starts(line, "goroutine "))
		return false;
	*to = (struct stacks_thread){ 0 };
	line = skip(line, strlen(*is_thread ? "thread " : "goroutine "));
	if (!dump_take_number(&line, &to->id) || line.n < 4 || *line.s != ' ' ||
	    memcmp(line.s + line.n - 2, "]:", 2) != 0)
		return false;
	line = skip(line, 1);
	if (*line.s == '"') {
		quote = memmem(line.s + 1, line.n - 1, "\" [", 3);
		if (!quote)
			return false;
		to->name = make_text(line.s + 1, quote);
		line = skip(line, (size_t)(quote + 2 - line.s));
	}
	open = memchr(line.s, '[', line.n);
	if (!open)
		return false;
	take_words(make_text(open + 1, line.s + line.n - 2), to);
	return true;
}

/* A Go function without its arguments: if the line ends with ')', remove it up to the matching '('. */
static struct stacks_text without_arguments(struct stacks_text line)
{
	size_t depth = 0;

	if (!line.n || line.s[line.n - 1] != ')')
		return line;
	for (size_t i = line.n; i-- > 0;) {
		depth += line.s[i] == ')';
		if (line.s[i] == '(' && --depth == 0)
			return i ? (struct stacks_text){ line.s, i } : line;
	}
	return line;
}

/* A function without its arguments. For threads only "(...)" is removed, since names of C++ include parameters. */
static struct stacks_text dump_function_name(const struct stacks *s, struct stacks_text line)
{
	static const char any[] = "(...)";
	size_t n = strlen(any);

	if (!s->are_threads)
		return without_arguments(line);
	return line.n > n && memcmp(line.s + line.n - n, any, n) == 0 ? (struct stacks_text){ line.s, line.n - n }
								      : line;
}

/* Parse "/src/main.go:33 +0x1d fp=...". */
static void take_position(struct stacks_text line, struct stacks_frame *f)
{
	struct stacks_text number;
	uint64_t v;

	line = dump_trim(line);
	for (size_t i = line.n; i-- > 0;) {
		if (line.s[i] != ':')
			continue;
		number = skip(line, i + 1);
		if (!dump_take_number(&number, &v) || (number.n && *number.s != ' '))
			continue;
		f->file = (struct stacks_text){ line.s, i };
		f->line = v;
		return;
	}
	f->file = line;
}

struct stacks_parser {
	struct stacks *to;
	bool in_stack;                 /* is the line within a stack? */
	struct stacks_frame *frame_at; /* frame whose file and line come next, or NULL */
};

/* Parse "main.main in goroutine 1" of a "created by" line. */
static void take_creator(struct stacks_parser *r, struct stacks_text line)
{
	struct stacks_thread *t = &r->to->thread[r->to->n - 1];
	const char *in = memmem(line.s, line.n, " in goroutine ", strlen(" in goroutine "));

	assert(r->to->n > 0);
	if (in)
		line = make_text(line.s, in);
	t->has_creator = true;
	t->creator = (struct stacks_frame){ .function = line };
	r->frame_at = &t->creator;
}

static int take_frame(struct stacks_parser *r, struct stacks_text line, struct err *err)
{
	struct stacks *s = r->to;

	if (s->n_frames == UINT32_MAX)
		return err_set(err, ERR_LIMIT, "too many frames");
	s->frame = mem_grow(s->frame, &s->cap_frames, s->n_frames + 1, sizeof(*s->frame));
	r->frame_at = &s->frame[s->n_frames++];
	*r->frame_at = (struct stacks_frame){ .function = dump_function_name(s, line) };
	s->thread[s->n - 1].n++;
	return 0;
}

static int take_line(struct stacks_parser *r, struct stacks_text line, struct err *err)
{
	struct stacks *s = r->to;
	struct stacks_thread head;
	struct stacks_text plain = dump_trim(line);
	bool is_thread;

	if (take_head(plain, &head, &is_thread)) {
		head.first = (uint32_t)s->n_frames;
		s->are_threads = s->n ? s->are_threads : is_thread;
		s->thread = mem_grow(s->thread, &s->cap, s->n + 1, sizeof(*s->thread));
		s->thread[s->n++] = head;
		r->in_stack = true;
		r->frame_at = NULL;
		return 0;
	}
	if (!plain.n || !r->in_stack || starts(plain, "exit status ")) { /* go run prints an exit status */
		r->in_stack = false;
		if (!s->n && !s->reason.n &&
		    (starts(plain, "panic: ") || starts(plain, "fatal error: ") || starts(plain, "SIG")))
			s->reason = plain;
		return 0;
	}
	if (*line.s == '\t' && r->frame_at) {
		take_position(line, r->frame_at);
		r->frame_at = NULL;
	} else if (starts(plain, "created by ")) {
		take_creator(r, skip(plain, strlen("created by ")));
	} else {
		return take_frame(r, plain, err);
	}
	return 0;
}

int stacks_parse(const char *text, size_t n, struct stacks *out, struct err *err)
{
	struct stacks s = { 0 };
	struct stacks_parser r = { .to = &s };
	const char *end = text + n;
	int rc = 0;

	while (text < end && rc == 0) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		stop = stop ? stop : end;
		rc = take_line(&r, make_text(text, stop), err);
		text = stop < end ? stop + 1 : end;
	}
	if (rc == 0 && s.n == 0)
		rc = err_set(err, ERR_FORMAT, "no stack of a goroutine or thread found");
	if (rc < 0) {
		stacks_release(&s);
		return rc;
	}
	*out = s;
	return 0;
}

void stacks_release(struct stacks *s)
{
	free(s->thread);
	free(s->frame);
	*s = (struct stacks){ 0 };
}
