/*
 * objdump.c - read the output of objdump
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A line names a function, a file and line, or an instruction, which belongs to the last names:
 *
 *	0000000000001149 <work>:       (GNU and LLVM)
 *	work():                        (GNU; LLVM prints "; " before it)
 *	/src/prog.c:7
 *	    1149:	test   %edi,%edi
 *
 * A function name can look like any of these, so the worst effect of a hostile name is wrong text after an address.
 */
#include "config.h"

#include "symbol/objdump.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

struct objdump_reader {
	uint64_t start, stop;
	struct objdump_text *out;
	size_t cap, cap_before;
	const char *function, *file;
	int64_t line;
	uint8_t before; /* flags of lines since the last instruction */
	bool known;     /* was a function or line printed before those lines? */
};

static bool objdump_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int objdump_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (c | 0x20) - 'a' + 10;
	return -1;
}

/* Read a hexadecimal number at the start of a line. Returns the number of digits; 0 if the number is too large. */
static size_t objdump_read_hex(const char *s, uint64_t *out)
{
	size_t n = 0;
	uint64_t v = 0;

	for (; objdump_hex_digit(s[n]) >= 0; n++) {
		if (v >> 60)
			return 0;
		v = v << 4 | (uint64_t)objdump_hex_digit(s[n]);
	}
	*out = v;
	return n;
}

/* Clear the flags for the next instruction, but record in r->known that a function or line has been printed. */
static void clear_before(struct objdump_reader *r)
{
	r->known |= r->before & (OBJDUMP_FUNCTION | OBJDUMP_LINE);
	r->before = 0;
}

static void add_before(struct objdump_reader *r)
{
	struct objdump_text *out = r->out;

	out->before = mem_grow(out->before, &r->cap_before, (size_t)out->n + 1, sizeof(*out->before));
	out->before[out->n] = r->before | (r->known ? OBJDUMP_KNOWN : 0);
	clear_before(r);
}

/* Parse an instruction: "1149: test %edi,%edi". */
static bool read_instruction(struct objdump_reader *r, const char *s)
{
	struct objdump_text *out = r->out;
	uint64_t addr;
	size_t n = objdump_read_hex(s, &addr);

	if (n == 0 || s[n] != ':' || !objdump_is_space(s[n + 1]))
		return false;
	while (objdump_is_space(s[++n]))
		;
	if (addr < r->start || addr >= r->stop || out->n == UINT32_MAX)
		return true;
	add_before(r);
	out->inst = mem_grow(out->inst, &r->cap, (size_t)out->n + 1, sizeof(*out->inst));
	out->inst[out->n++] = (struct instruction){ addr, s + n, r->function, r->file, r->line, 0 };
	return true;
}

/* Skip the "; " of LLVM. */
static char *skip_mark(char *s)
{
	s += *s == ';';
	return s + (objdump_is_space(*s) != 0);
}

/* Parse "/src/prog.c:7". Any text may follow the last number after a colon. */
static bool objdump_read_line(struct objdump_reader *r, char *s)
{
	char *file = skip_mark(s), *colon = NULL;
	uint64_t line = 0;

	for (char *c = strchr(file, ':'); c; c = strchr(c + 1, ':'))
		if (c[1] >= '0' && c[1] <= '9')
			colon = c;
	if (!colon)
		return false;
	for (const char *c = colon + 1; *c >= '0' && *c <= '9' && line <= UINT32_MAX; c++)
		line = line * 10 + (uint64_t)(*c - '0');
	if (line > UINT32_MAX)
		return true;
	*colon = 0;
	r->file = file;
	r->line = (int64_t)line;
	r->before |= OBJDUMP_LINE;
	return true;
}

/* The last occurrence of a pattern in a text; NULL for none. */
static char *objdump_find_last(char *s, const char *what)
{
	char *found = NULL;

	for (char *at = strstr(s, what); at; at = strstr(at + 1, what))
		found = at;
	return found;
}

/* Parse "work():". */
static bool read_function(struct objdump_reader *r, char *s)
{
	char *name = skip_mark(s), *end = objdump_find_last(name, "():");

	if (!end || end == name || objdump_is_space(*name))
		return false;
	*end = 0;
	r->function = name;
	r->before |= OBJDUMP_FUNCTION;
	return true;
}

/* Parse "0000000000001149 <work>:", or "work(int):" as GNU objdump prints demangled names. pprof removes leading
 * hexadecimal digits
   from the latter too. */
static bool objdump_read_name(struct objdump_reader *r, char *s)
{
	char *end = strrchr(s, ':');
	uint64_t addr;
	size_t n = objdump_read_hex(s, &addr);

	if (!end)
		return false;
	*end = 0;
	if (n && s[n] == ' ' && s[n + 1] == '<') {
		uint8_t hole = r->before & OBJDUMP_HOLE;

		clear_before(r);
		r->before = hole | OBJDUMP_SYMBOL;
		r->function = s + n + 1;
	} else {
		r->before |= OBJDUMP_FUNCTION;
		r->function = s;
	}
	return true;
}

static void read_text_line(struct objdump_reader *r, char *s, char *end)
{
	while (s < end && objdump_is_space(*s))
		s++;
	while (end > s && objdump_is_space(end[-1]))
		end--;
	*end = 0;
	if (read_instruction(r, s) || objdump_read_line(r, s) || read_function(r, s) || objdump_read_name(r, s))
		return;
	r->before &= OBJDUMP_HOLE; /* headings of files and sections are not names */
	if (*s)
		r->before |= OBJDUMP_HOLE;
	r->function = r->file = "";
	r->line = 0;
}

void objdump_read(struct buf *text, uint64_t start, uint64_t stop, struct arena *mem, struct objdump_text *out)
{
	struct objdump_reader r = { .start = start, .stop = stop, .out = out, .function = "", .file = "" };
	char *s, *end;

	assert(start <= stop);
	*out = (struct objdump_text){ 0 };
	buf_add(text, "", 1); /* makes text->data non-NULL, at the cost of an extra empty line */
	s = arena_own(mem, text->data);
	end = s + text->len - 1;
	*text = (struct buf){ 0 };
	while (s < end) {
		char *stop_at = memchr(s, '\n', (size_t)(end - s));

		stop_at = stop_at ? stop_at : end;
		read_text_line(&r, s, stop_at);
		s = stop_at + 1;
	}
	add_before(&r);
	arena_own(mem, out->inst);
	arena_own(mem, out->before);
}
