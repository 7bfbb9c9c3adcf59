/*
 * settings_arguments.c - settings as command-line options
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/settings.h"

#include "answer/reports.h"
#include "base/utf8.h"
#include "engine/query.h"

#include <string.h>

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

/* Can all characters be written to a terminal safely? */
static bool is_harmless(const char *s, size_t n)
{
	uint32_t c;

	for (size_t at = 0, len; at < n; at += len) {
		len = utf8_decode(s + at, n - at, &c);
		if (len == 0 || !utf8_is_safe(c))
			return false;
	}
	return true;
}

/* Write the bytes as a $(printf '...') of a POSIX shell. A leading - is escaped, because printf would read it as an
   option. Trailing newlines, which $( ) removes, are added after it. */
static void add_printed(const char *s, size_t n, struct buf *out)
{
	size_t end = n;

	while (end && s[end - 1] == '\n')
		end--;
	buf_addz(out, "\"$(printf '");
	for (size_t i = 0; i < end; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '\\' || c == '%')
			buf_addf(out, "%c%c", c, c);
		else if (c < 0x20 || c >= 0x7f || c == '\'' || (c == '-' && i == 0))
			buf_addf(out, "\\%03o", c);
		else
			buf_add(out, &s[i], 1);
	}
	buf_addz(out, "')");
	buf_fill(out, '\n', n - end);
	buf_addz(out, "\"");
}

void settings_add_word(const char *s, struct buf *out)
{
	size_t n = strlen(s);

	if (n && s[strspn(s, plain)] == 0) {
		buf_addz(out, s);
		return;
	}
	if (!is_harmless(s, n)) {
		add_printed(s, n, out);
		return;
	}
	buf_addz(out, "'");
	for (; *s; s++) {
		if (*s == '\'')
			buf_addz(out, "'\\''");
		else
			buf_add(out, s, 1);
	}
	buf_addz(out, "'");
}

static void add_argument(const struct opt *o, const char *value, struct buf *out)
{
	char name[OPT_NAME_MAX];

	buf_addf(out, " %s%s", o->is_ours ? "--" : "-", opt_display_name(o, name));
	if (value) {
		buf_addz(out, "=");
		settings_add_word(value, out);
	}
}

static void settings_arguments_add_list(const struct opt *o, const struct opt_list *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++)
		add_argument(o, l->item[i], out);
}

/* Add an option if it differs from its default. */
static void add_changed(const struct settings *s, const struct opt *o, struct buf *out)
{
	const struct query *q = settings_query(s);
	const void *field = (const char *)q + o->at;
	struct buf value = { 0 };

	if (o->kind == OPT_LIST) {
		settings_arguments_add_list(o, field, out);
		return;
	}
	if (o->kind == OPT_CHOICE) {
		if (o->choice && *(const int *)field == o->choice)
			add_argument(o, NULL, out);
		return;
	}
	settings_add_value(s, o, &value);
	if (strcmp(buf_text(&value), o->default_text) == 0 &&
	    !(q->has_nodefraction && o->at == offsetof(struct query, nodefraction))) {
		/* the default */
	} else if ((o->kind == OPT_BOOL || o->kind == OPT_MODE) && strcmp(buf_text(&value), "true") == 0) {
		add_argument(o, NULL, out);
	} else {
		add_argument(o, buf_text(&value), out);
	}
	buf_release(&value);
}

void settings_add_arguments(const struct settings *s, const struct report_type *t, struct buf *out)
{
	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		if (o->group != GROUP_GENERAL && o->group != GROUP_SHELL && o->group != GROUP_WEB &&
		    (!t || reports_accepts_option(t, o)))
			add_changed(s, o, out);
	}
}

/* Append the state of all options as text that differs whenever an option differs. */
static void add_state(const struct settings *s, struct buf *out)
{
	const struct query *q = settings_query(s);

	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];
		const struct opt_list *l = (const void *)((const char *)q + o->at);

		if (o->kind == OPT_LIST)
			for (size_t k = 0; k < l->n; k++)
				buf_add(out, l->item[k], strlen(l->item[k]) + 1);
		else
			settings_add_value(s, o, out);
		buf_add(out, "", 1);
	}
	buf_addz(out, q->pattern);
	buf_addz(out, q->has_nodefraction ? "!" : "");
}

bool settings_equal(const struct settings *a, const struct settings *b)
{
	struct buf one = { 0 }, two = { 0 };
	bool equal;

	add_state(a, &one);
	add_state(b, &two);
	equal = one.len == two.len && memcmp(buf_text(&one), buf_text(&two), one.len) == 0;
	buf_release(&one);
	buf_release(&two);
	return equal;
}
