/*
 * subject.c - what is selected, in the language of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/str.h"
#include "base/utf8.h"

#include <string.h>

/* Would the prompt take it apart? */
static bool has_blank(const char *text)
{
	for (; *text; text++)
		if (line_space(text) || starts_with(text, "//:"))
			return true;
	return false;
}

void shell_quote(const char *text, struct buf *out)
{
	const char *quote = has_blank(text) ? "'" : "";

	buf_addf(out, "%s^", quote);
	while (*text) {
		uint32_t c = 0xfffd; /* what a byte that is not UTF-8 counts as */
		size_t n = utf8_decode(text, strnlen(text, 4), &c);

		if (n == 0 || !utf8_is_plain(c) || (c == '\'' && *quote))
			buf_addf(out, "\\x{%x}", (unsigned)c);
		else if (n == 1 && strchr("\\.+*?()|[]{}^$", *text))
			buf_addf(out, "\\%c", *text);
		else
			buf_add(out, text, n);
		text += n ? n : 1;
	}
	buf_addf(out, "$%s", quote);
}

/* Files are printed without what stands in front of them on the machine that built the program. */
static void add_file(const struct profile *p, const char *file, struct buf *out)
{
	struct buf whole = { 0 };
	bool is_whole = false;

	for (uint32_t f = 0; f < p->n_funcs && !is_whole; f++)
		is_whole = strcmp(profile_text(p, p->func_file[f]), file) == 0;
	shell_quote(file, &whole);
	for (size_t i = 0; i < whole.len; i++)
		if (is_whole || i > 1 || whole.data[i] != '^')
			buf_add(out, whole.data + i, 1);
	buf_release(&whole);
}

void shell_quote_place(struct shell *s, const struct row_place *place, struct buf *out)
{
	if (*place->function)
		shell_quote(place->function, out);
	else if (*place->file)
		add_file(s->data->p, place->file, out);
	else if (*place->binary)
		shell_quote(place->binary, out);
}
