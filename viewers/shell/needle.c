/*
 * needle.c - what was typed to search for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/needle.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/regex.h"

#include <stdlib.h>
#include <string.h>

struct needle {
	struct regex *rx; /* NULL: nothing matches */
};

/* Is there a capital that is no escape, as \S is? */
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

static void add_plain(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (strchr("\\.+*?()|[]{}^$", *text))
			buf_addz(out, "\\");
		buf_add(out, text, 1);
	}
}

struct needle *needle_new(const char *text)
{
	struct needle *n;
	struct buf pattern = { 0 };
	size_t start;

	if (!*text)
		return NULL;
	n = mem_zalloc(1, sizeof(*n));
	buf_addz(&pattern, has_capital(text) ? "" : "(?i)");
	start = pattern.len;
	buf_addz(&pattern, text);
	if (regex_new(buf_text(&pattern), &n->rx, NULL) < 0) {
		pattern.len = start;
		add_plain(text, &pattern);
		if (regex_new(buf_text(&pattern), &n->rx, NULL) < 0)
			n->rx = NULL; /* bytes that are no characters */
	}
	buf_release(&pattern);
	return n;
}

void needle_free(struct needle *n)
{
	if (!n)
		return;
	regex_free(n->rx);
	free(n);
}

bool needle_is_in(struct needle *n, const char *text)
{
	bool is_in = false;

	return n->rx && regex_match(n->rx, text, strlen(text), &is_in, NULL) == 0 && is_in;
}
