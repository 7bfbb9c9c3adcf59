/*
 * find.c - searching for the text that is typed after /
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/find.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/regex.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct find {
	char *plain;
	struct regex *expression; /* NULL for a plain text */
	bool exact;               /* is case significant? */
};

/* Case folding of non-ASCII letters needs an expression. */
static bool shell_find_is_plain(const char *text)
{
	for (; *text; text++)
		if (strchr("\\.+*?()|[]{}^$", *text) || (*text & 0x80))
			return false;
	return true;
}

static bool has_capital(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++; /* the S of \S is not a capital */
		else if (isupper((unsigned char)*text))
			return true;
	}
	return false;
}

struct find *find_new(const char *text)
{
	struct find *f = mem_zalloc(1, sizeof(*f));
	struct buf pattern = { 0 };
	struct err err;

	f->plain = mem_strndup(text, strlen(text));
	f->exact = has_capital(text);
	if (shell_find_is_plain(text))
		return f;
	buf_addf(&pattern, "%s%s", f->exact ? "" : "(?i)", text);
	if (regex_new(buf_text(&pattern), &f->expression, &err) < 0)
		f->expression = NULL;
	buf_release(&pattern);
	return f;
}

void find_free(struct find *f)
{
	if (!f)
		return;
	regex_free(f->expression);
	free(f->plain);
	free(f);
}

void find_set(struct find **f, const char *text)
{
	find_free(*f);
	*f = *text ? find_new(text) : NULL;
}

static const char *shell_find_place_of(const struct find *f, const char *name)
{
	return f->exact ? strstr(name, f->plain) : strcasestr(name, f->plain);
}

bool find_matches(struct find *f, const char *name)
{
	bool yes = false;
	struct err err;

	assert(f && name);
	if (!f->expression)
		return shell_find_place_of(f, name);
	return regex_match(f->expression, name, strlen(name), &yes, &err) == 0 && yes;
}

bool find_position(const struct find *f, const char *name, size_t *at, size_t *n)
{
	const char *place = f->expression ? NULL : shell_find_place_of(f, name);

	assert(f && name);
	if (!place || !*f->plain)
		return false;
	*at = (size_t)(place - name);
	*n = strlen(f->plain);
	return true;
}
