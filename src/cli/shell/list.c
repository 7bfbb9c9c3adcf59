/*
 * list.c - what to do with the candidates for a word
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/shell/list.h"

#include "base/str.h"
#include "base/utf8.h"

#include <string.h>
#include <sys/ioctl.h>

enum { SHOWN_MAX = 200, GAP = 2, WIDTH = 80 };

/* What a word is meant to find: without what makes an expression of it. */
static void add_meaning(const char *s, size_t n, struct buf *out)
{
	size_t at = n && *s == '-' ? 1 : 0;

	at += at < n && (s[at] == '\'' || s[at] == '"');
	at += at < n && s[at] == '^';
	for (; at < n; at++) {
		if (s[at] == '\\' && at + 1 < n)
			at++;
		buf_add(out, &s[at], 1);
	}
	buf_addz(out, "");
}

/* How many bytes all candidates have in common, no character cut. */
static size_t common(const struct texts *found)
{
	size_t n, len;
	const char *first = texts_at(found, 0, &n);

	for (size_t i = 1; i < found->n; i++) {
		const char *other = texts_at(found, i, &len);
		size_t same = 0;

		while (same < n && same < len && first[same] == other[same])
			same++;
		n = same;
	}
	while (n && found->n > 1 && ((unsigned char)first[n] & 0xc0) == 0x80)
		n--;
	return n;
}

bool cmd_shell_list_common(const struct texts *found, const char *word, struct buf *out)
{
	size_t n = common(found), word_n = strlen(word);
	const char *text = buf_text(&found->all);
	struct buf had = { 0 }, has = { 0 };
	bool more;

	if (found->n > 1 && n && text[n - 1] == '\\') /* half of an escape */
		n--;
	add_meaning(word, word_n, &had);
	add_meaning(text, n, &has);
	more = found->n == 1 || (starts_with(has.data, had.data) && (n != word_n || memcmp(text, word, n) != 0));
	if (more) {
		buf_add(out, text, n);
		if (found->n == 1 && n && text[n - 1] != '=' && text[n - 1] != '/')
			buf_addz(out, " ");
		buf_addz(out, "");
	}
	buf_release(&had);
	buf_release(&has);
	return more;
}

static size_t width_of(FILE *out)
{
	struct winsize size;

	return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : WIDTH;
}

void cmd_shell_list_print(const struct texts *found, FILE *out)
{
	size_t shown = found->n < SHOWN_MAX ? found->n : SHOWN_MAX, widest = 1, width = width_of(out), columns, rows, n;

	for (size_t i = 0; i < shown; i++) {
		const char *text = texts_at(found, i, &n);

		n = utf8_count(text, n);
		widest = n > widest ? n : widest;
	}
	columns = (width + GAP - 1) / (widest + GAP);
	columns = columns ? columns : 1;
	rows = (shown + columns - 1) / columns;
	for (size_t r = 0; r < rows; r++) {
		for (size_t i = r; i < shown; i += rows) {
			const char *text = texts_at(found, i, &n);
			size_t blanks = i + rows < shown ? widest + GAP - utf8_count(text, n) : 0;

			fprintf(out, "%.*s%*s", (int)n, text, (int)blanks, "");
		}
		fputs("\n", out);
	}
	if (shown < found->n)
		fprintf(out, "... and %zu more\n", found->n - shown);
}
