/*
 * demangle_rust.c - Rust names
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libiberty supports both manglings. It cannot omit the arguments of generics, so they are removed from its output:
 * brackets after a name contain arguments, others contain "TYPE as TRAIT".
 */
#include "config.h"

#include "symbol/demangle/demangle_int.h"

#include "base/mem.h"
#include "base/str.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYMBOL_MAX = 1 << 16,
	HASH = 20, /* "17h", 16 digits, "E" */
	DISTINCT_DIGITS_MIN = 5,
};

/* On failure part of the name may have been appended. */
static bool demangle_rust_print_name(const char *symbol, struct buf *out)
{
	struct demangle_print p = { .out = out, .max = out->len + DEMANGLED_MAX };

	if (setjmp(p.too_long))
		return false;
	return rust_demangle_callback(symbol, DMGL_NO_OPTS, demangle_add_piece, &p) != 0;
}

/* The end of a quoted character such as 'x' or '\''; 'a alone is a lifetime. */
static size_t quoted_end(const char *s, size_t n, size_t at)
{
	size_t i = at + 1;

	if (i < n && s[i] == '\\') {
		for (i += 2; i < n && s[i] != '\''; i++)
			;
		return i < n ? i + 1 : n;
	}
	return i + 1 < n && s[i + 1] == '\'' ? i + 2 : at + 1;
}

static bool demangle_rust_is_word(unsigned char c)
{
	return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Is an argument of a generic the binding of an associated type, as "Item = u8"? */
static bool is_binding(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && demangle_rust_is_word((unsigned char)s[i]))
		i++;
	return i > 0 && n - i > 3 && memcmp(s + i, " = ", 3) == 0;
}

/* Does the output end with a name? The "for" of "for<'a> fn(&'a u8)" is not a name. */
static bool ends_name(const struct buf *out, size_t start)
{
	size_t n = out->len - start;
	const char *end = out->data + out->len;

	if (n >= 3 && memcmp(end - 3, "for", 3) == 0 &&
	    (n == 3 || (!demangle_rust_is_word((unsigned char)end[-4]) && end[-4] != ':')))
		return false;
	return n > 0 && (end[-1] == ':' || end[-1] == '}' || demangle_rust_is_word((unsigned char)end[-1]));
}

/* An open bracket. */
struct open {
	char close;
	bool is_args;   /* arguments of a generic: only bindings are shown */
	bool any_shown; /* a binding was shown */
	bool any_hidden;
	bool hidden; /* the current argument is omitted */
};

struct cutter {
	const char *s;
	size_t n;
	struct buf *out;
	size_t start;
	struct open *open;
	size_t depth, cap;
};

static bool demangle_rust_is_hidden(const struct cutter *c)
{
	return c->depth && c->open[c->depth - 1].hidden;
}

/* Start an argument of a generic. */
static void begin_argument(struct cutter *c, size_t at)
{
	struct open *o = &c->open[c->depth - 1];
	bool outer = c->depth > 1 && c->open[c->depth - 2].hidden;

	o->hidden = outer || !is_binding(c->s + at, c->n - at);
	if (o->hidden) {
		o->any_hidden = true;
	} else {
		if (o->any_hidden || o->any_shown)
			buf_addz(c->out, ", ");
		o->any_shown = true;
	}
}

static void demangle_rust_push(struct cutter *c, size_t at)
{
	char close = c->s[at] == '<' ? '>' : c->s[at] == '(' ? ')' : ']';
	bool hidden = demangle_rust_is_hidden(c), is_args = close == '>' && !hidden && ends_name(c->out, c->start);

	if (!hidden)
		buf_add(c->out, c->s + at, 1);
	c->open = mem_grow(c->open, &c->cap, c->depth + 1, sizeof(*c->open));
	c->open[c->depth++] = (struct open){ .close = close, .is_args = is_args, .hidden = hidden };
	if (is_args && at + 1 < c->n && c->s[at + 1] != '>')
		begin_argument(c, at + 1);
}

/* Copy or skip the token at an index. Returns the index of the next one. */
static size_t demangle_rust_step(struct cutter *c, size_t at)
{
	const struct open *top = c->depth ? &c->open[c->depth - 1] : NULL;
	size_t end = at + 1;

	if (strchr("<([", c->s[at])) {
		demangle_rust_push(c, at);
		return end;
	}
	if (top && c->s[at] == top->close) {
		c->depth--;
	} else if (top && top->is_args && c->n - at > 2 && memcmp(c->s + at, ", ", 2) == 0) {
		begin_argument(c, at + 2);
		return at + 2;
	} else if (c->s[at] == '\'') {
		end = quoted_end(c->s, c->n, at);
	} else if (c->n - at > 2 && memcmp(c->s + at, "->", 2) == 0) {
		end = at + 2;
	}
	if (!demangle_rust_is_hidden(c))
		buf_add(c->out, c->s + at, end - at);
	return end;
}

static void cut_generics(const char *s, size_t n, struct buf *out)
{
	struct cutter c = { .s = s, .n = n, .out = out, .start = out->len };

	for (size_t at = 0; at < n;)
		at = demangle_rust_step(&c, at);
	free(c.open);
}

static bool demangle_rust_is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* The length of a symbol of the legacy mangling, without the suffix of a clone; 0 for other symbols. */
static size_t legacy_len(const char *s, size_t n)
{
	unsigned seen = 0;

	for (size_t i = n; i > 3; i--) {
		if (s[i - 1] == 'E' && s[i] == '.') {
			n = i;
			break;
		}
	}
	if (n <= HASH + 3 || s[n - 1] != 'E' || memcmp(s + n - HASH, "17h", 3) != 0)
		return 0;
	for (size_t i = n - HASH + 3; i < n - 1; i++) {
		if (!demangle_rust_is_hex(s[i]))
			return 0;
		seen |= 1U << (s[i] <= '9' ? s[i] - '0' : s[i] - 'a' + 10);
	}
	return __builtin_popcount(seen) >= DISTINCT_DIGITS_MIN ? n : 0;
}

/* Demangle the first n bytes of a symbol. */
static bool demangle_rust_demangle_part(const char *symbol, size_t n, bool cut, struct buf *out)
{
	char *part = mem_strndup(symbol, n);
	struct buf text = { 0 };
	bool ok = demangle_rust_print_name(part, &text) && text.len > 0;

	if (ok && cut)
		cut_generics(text.data, text.len, out);
	else if (ok)
		buf_add(out, text.data, text.len);
	buf_release(&text);
	free(part);
	return ok;
}

bool demangle_rust(const char *symbol, bool generics, struct buf *out)
{
	size_t n = strlen(symbol);

	if (n > SYMBOL_MAX)
		return false;
	if (starts_with(symbol, "_R"))
		return demangle_rust_demangle_part(symbol, strcspn(symbol, "."), !generics, out);
	if (!starts_with(symbol, "_ZN"))
		return false;
	n = legacy_len(symbol, n);
	return n > 0 && demangle_rust_demangle_part(symbol, n, false, out);
}
