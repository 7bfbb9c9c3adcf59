/*
 * reported.c - earlier alarms of cpa watch, as marks of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "watch/reported.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 400 }; /* of a function or a deploy in a mark */

struct watch_reported_mark {
	int64_t time_ns;
	char *text; /* after the kind of profile */
};

/* The text after a word and a space, or NULL if it begins with another word. */
static const char *after_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return starts_with(text, word) && text[n] == ' ' ? text + n + 1 : NULL;
}

void watch_reported_note(struct watch_reported *t, const char *text, int64_t time_ns)
{
	const char *rest = after_word(text, t->kind);

	if (!rest)
		return;
	t->mark = mem_grow(t->mark, &t->cap, t->n + 1, sizeof(*t->mark));
	t->mark[t->n++] = (struct watch_reported_mark){ time_ns, mem_strndup(rest, strlen(rest)) };
}

static int watch_reported_add(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	(void)service, (void)err;
	watch_reported_note(arg, m->text, m->time_ns);
	return 0;
}

int watch_reported_read(struct store *s, const char *service, const char *kind, struct watch_reported *out,
			struct err *err)
{
	*out = (struct watch_reported){ .kind = kind };
	return store_each_mark(s, service, false, WATCH_MARK, watch_reported_add, out, err);
}

void watch_reported_release(struct watch_reported *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->mark[i].text);
	free(t->mark);
	*t = (struct watch_reported){ 0 };
}

/* Append a name without control characters, shortened. */
static void add_name(const char *name, struct buf *out)
{
	size_t n = utf8_prefix(name, strlen(name), NAME_BYTES);

	for (size_t i = 0; i < n; i++)
		buf_add(out, (unsigned char)name[i] < 0x20 || name[i] == 0x7f ? " " : name + i, 1);
}

bool watch_reported_function(const struct watch_reported *t, const char *function, int64_t since)
{
	struct buf name = { 0 };
	bool is_told = false;

	add_name(function, &name);
	for (size_t i = 0; i < t->n && !is_told; i++) {
		const char *rest = after_word(t->mark[i].text, "FAIL");

		rest = rest && *rest == '+' ? strchr(rest, ' ') : NULL;
		is_told = rest && t->mark[i].time_ns >= since && strcmp(rest + 1, buf_text(&name)) == 0;
	}
	buf_release(&name);
	return is_told;
}

bool watch_reported_deploy(const struct watch_reported *t, const char *deploy, int64_t end)
{
	struct buf name = { 0 };
	bool is_told = false;

	add_name(deploy, &name);
	for (size_t i = 0; i < t->n && !is_told; i++) {
		const char *rest = strchr(t->mark[i].text, ' ');

		rest = rest ? after_word(rest + 1, "deploy") : NULL;
		is_told = rest && t->mark[i].time_ns == end && strcmp(rest, buf_text(&name)) == 0;
	}
	buf_release(&name);
	return is_told;
}

void watch_reported_add_function(const char *kind, double percent, const char *function, struct buf *out)
{
	buf_addf(out, "%s FAIL +%.0f%% ", kind, percent);
	add_name(function, out);
}

void watch_reported_add_deploy(const char *kind, const char *verdict, const char *deploy, struct buf *out)
{
	buf_addf(out, "%s %s deploy ", kind, verdict);
	add_name(deploy, out);
}
