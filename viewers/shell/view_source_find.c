/*
 * view_source_find.c - searching in source and instructions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_source_int.h"

#include "base/mem.h"
#include "base/regex.h"

#include <stdlib.h>
#include <string.h>

static const char special[] = "\\.+*?()|[]{}^$";

/* Does a text have a capital? What is behind a backslash is none. */
static bool has_capital(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		else if (*text >= 'A' && *text <= 'Z')
			return true;
	}
	return false;
}

static bool compile(struct code_find *f, const char *text, bool quoted)
{
	struct buf pattern = { 0 };
	bool fine;

	buf_addz(&pattern, f->is_exact ? "" : "(?i)");
	for (const char *c = text; *c; c++) {
		if (quoted && strchr(special, *c))
			buf_addz(&pattern, "\\");
		buf_add(&pattern, c, 1);
	}
	fine = regex_new(buf_text(&pattern), &f->rx, NULL) == 0;
	buf_release(&pattern);
	return fine;
}

void code_find_set(struct code_find *f, const char *text)
{
	code_find_release(f);
	if (!*text)
		return;
	f->is_exact = has_capital(text);
	if (!compile(f, text, false))
		compile(f, text, true);
	else if (strpbrk(text, special))
		return;
	f->plain = mem_strndup(text, strlen(text));
}

void code_find_release(struct code_find *f)
{
	regex_free(f->rx);
	free(f->plain);
	*f = (struct code_find){ 0 };
}

bool code_find_in(const struct code_find *f, const char *text)
{
	bool found = false;

	return f->rx && regex_match(f->rx, text, strlen(text), &found, NULL) == 0 && found;
}

const char *code_find_at(const struct code_find *f, const char *text, size_t *n)
{
	if (!f->plain)
		return NULL;
	*n = strlen(f->plain);
	return f->is_exact ? strstr(text, f->plain) : strcasestr(text, f->plain);
}
