/*
 * outcome.c - the outcome of a request, settings and labels of the kinds of sinks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sinks/outcome.h"

#include "base/str.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Store the value of a setting. Returns false if there is no setting of its name. */
static bool sink_set_word(const char *text, const struct sink_word *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (starts_with(text, word[i].key) && text[strlen(word[i].key)] == '=') {
			*word[i].value = text + strlen(word[i].key) + 1;
			return true;
		}
	return false;
}

int sink_words(const struct sink_options *o, const struct sink_word *word, size_t n, struct err *err)
{
	struct buf known = { 0 };
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		buf_addf(&known, "%s%s=", i == 0 ? "" : i + 1 < n ? ", " : " and ", word[i].key);
	for (size_t i = 0; rc == 0 && i < o->n_words; i++)
		if (!sink_set_word(o->word[i], word, n))
			rc = err_set(err, ERR_USAGE, "%.100s: is not a setting of this sink, which has %s", o->word[i],
				     n ? buf_text(&known) : "none");
	buf_release(&known);
	return rc;
}

int sink_flag(const char *key, const char *value, bool *out, struct err *err)
{
	bool is_yes = strcmp(value, "yes") == 0;

	if (!is_yes && strcmp(value, "no") != 0)
		return err_set(err, ERR_USAGE, "%s=%.100s: use %s=yes or %s=no", key, value, key, key);
	*out = is_yes;
	return 0;
}

void sink_set(struct sink_result *out, enum sink_outcome outcome, const char *why, size_t n)
{
	size_t to = 0;

	out->outcome = outcome;
	while (n && (unsigned char)*why <= ' ')
		why++, n--;
	for (size_t at = 0, width; at < n && why[at] != '\n' && to + 4 < sizeof(out->why); at += width) {
		uint32_t c;

		width = utf8_decode(why + at, n - at, &c);
		if (width == 0 || !utf8_is_safe(c)) {
			out->why[to++] = '?';
			width = width ? width : 1;
			continue;
		}
		memcpy(&out->why[to], why + at, width);
		to += width;
	}
	while (to && out->why[to - 1] == ' ')
		to--;
	out->why[to] = '\0';
}

void sink_setf(struct sink_result *out, enum sink_outcome outcome, const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	buf_vaddf(&text, fmt, args);
	va_end(args);
	sink_set(out, outcome, buf_text(&text), text.len);
	buf_release(&text);
}

void sink_add_note(struct sink_result *out, const char *fmt, ...)
{
	size_t n = strlen(out->why), room = sizeof(out->why) - n;
	int width, start = n ? snprintf(out->why + n, room, "; ") : 0;
	va_list args;

	va_start(args, fmt);
	width = vsnprintf(out->why + n + start, room - (size_t)start, fmt, args);
	va_end(args);
	if (start < 0 || width < 0 || (size_t)start + (size_t)width >= room)
		out->why[n] = '\0';
}

void sink_add_name(struct buf *out, const char *text, const char *allowed)
{
	if (isdigit((unsigned char)*text))
		buf_addz(out, "_");
	for (; *text; text++)
		buf_add(out, isalnum((unsigned char)*text) || strchr(allowed, *text) ? text : "_", 1);
}

const char *sink_label(const struct sink_item *item, const char *name)
{
	for (size_t i = 0; i < item->n_labels; i++)
		if (strcmp(item->label[i].name, name) == 0)
			return item->label[i].value;
	return NULL;
}
