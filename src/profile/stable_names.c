/*
 * stable_names.c - names of Java's lambdas and hidden classes without the numbers that differ between runs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * HotSpot numbers the class of a lambda, and adds the address or hash of a hidden class: Shop$$Lambda$88/360062456,
 * Shop$$Lambda/0x00007fb17c007a08, LambdaForm$MH+0x00007fb17c007a08/360062456. Readers may have replaced the slash by a dot.
 */
#include "config.h"

#include "base/buf.h"
#include "profile/edit.h"

#include <ctype.h>
#include <string.h>

enum { ADDRESS_DIGITS_MIN = 8 };

/* Names that a number follows. */
static const char *const numbered[] = { "$$Lambda$", "$Proxy", "GeneratedMethodAccessor",
					"GeneratedConstructorAccessor", "GeneratedSerializationConstructorAccessor" };

static size_t stable_names_digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* The length of the address of a hidden class and of the hash after it, 0 if there is none. */
static size_t stable_names_address(const char *s)
{
	size_t n = 0, digits;

	if (strchr("+/.", *s) && strncmp(s + 1, "0x", 2) == 0) {
		n = strspn(s + 3, "0123456789abcdef");
		n = n < ADDRESS_DIGITS_MIN ? 0 : n + 3;
	}
	if (n && strchr("/.", s[n]) && (digits = stable_names_digits(s + n + 1)))
		n += digits + 1;
	return s[n] == '\0' || strchr("./;$(", s[n]) ? n : 0;
}

/* The length of a hash at a position, after the class of a lambda; 0 if there is none. */
static size_t stable_names_hash(const char *s)
{
	size_t digits = *s && strchr("/.", *s) ? stable_names_digits(s + 1) : 0;

	return digits && (s[digits + 1] == '\0' || strchr("./", s[digits + 1])) ? digits + 1 : 0;
}

/* Is the last class of a name so far one that a hash may follow? */
static bool stable_names_is_hidden(const struct buf *name)
{
	static const char lambda[] = "$$Lambda", form[] = "LambdaForm$";
	const char *all = buf_text(name), *dot = memrchr(all, '.', name->len), *slash = memrchr(all, '/', name->len);
	const char *last = slash > dot ? slash : dot;
	size_t n = sizeof(lambda) - 1;

	return (name->len >= n && memcmp(all + name->len - n, lambda, n) == 0) ||
	       strncmp(last ? last + 1 : all, form, sizeof(form) - 1) == 0;
}

/* Append a name without its numbers. Returns false if it has none. */
static bool stable_names_add(struct buf *out, const char *name)
{
	bool has_numbers = false;

	for (const char *s = name; *s;) {
		size_t skipped = *s == '+' || *s == '/' || *s == '.' ? stable_names_address(s) : 0;

		if (skipped == 0 && (*s == '/' || *s == '.') && stable_names_is_hidden(out))
			skipped = stable_names_hash(s);
		for (size_t i = 0; skipped == 0 && i < sizeof(numbered) / sizeof(numbered[0]); i++) {
			size_t n = strlen(numbered[i]), digits;

			if (strncmp(s, numbered[i], n) != 0 || (digits = stable_names_digits(s + n)) == 0)
				continue;
			n -= i == 0; /* Lambda without the dollar, as newer releases write it */
			buf_add(out, s, n);
			skipped = n + (i == 0) + digits;
		}
		has_numbers |= skipped > 0;
		if (skipped == 0)
			buf_add(out, s++, 1);
		s += skipped;
	}
	return has_numbers;
}

void profile_stabilize_names(struct profile *p)
{
	struct buf name = { 0 };

	for (uint32_t i = 0; i < p->n_funcs; i++) {
		str_id *const text[] = { &p->func_name[i], &p->func_sysname[i] };

		for (size_t k = 0; k < 2; k++) {
			name.len = 0;
			if (stable_names_add(&name, profile_text(p, *text[k])))
				*text[k] = strtab_add(p->str, buf_text(&name), name.len);
		}
	}
	buf_release(&name);
}
