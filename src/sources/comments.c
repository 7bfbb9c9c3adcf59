/*
 * comments.c - the comments of several recordings, for the file that they are merged into
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/comments.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "profile/edit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COMMENTS_MAX = 64 };

/* A comment: text, number, text. */
struct parts {
	const char *before, *after;
	size_t n_before;
	uint64_t n, of; /* of: 0, or n is a part of this number */
	bool has_number;
};

/* Read "BEFORE: NUMBER AFTER" or "BEFORE: NUMBER of NUMBER (SHARE)". Other texts have no number. */
static struct parts split_comment(const char *text)
{
	struct parts p = { .before = text, .n_before = strlen(text), .after = "" };
	const char *colon = strstr(text, ": ");
	char *end;

	if (!colon || colon[2] < '0' || colon[2] > '9')
		return p;
	p.n = strtoull(colon + 2, &end, 10);
	if (*end == '.')
		return p;
	p.has_number = true;
	p.n_before = (size_t)(colon - text);
	p.after = end;
	if (starts_with(end, " of ") && strchr(end, '%')) {
		p.of = strtoull(end + strlen(" of "), NULL, 10);
		p.after = "";
	}
	return p;
}

static struct comment_sum *find_comment_sum(struct comments *c, const struct parts *p)
{
	for (size_t i = 0; i < c->n; i++) {
		struct comment_sum *s = &c->sum[i];

		if (strlen(s->before) == p->n_before && memcmp(s->before, p->before, p->n_before) == 0 &&
		    strcmp(s->after, p->after) == 0 && s->has_number == p->has_number)
			return s;
	}
	if (c->n == COMMENTS_MAX)
		return NULL;
	c->sum = mem_grow(c->sum, &c->cap, c->n + 1, sizeof(*c->sum));
	c->sum[c->n] = (struct comment_sum){ .before = mem_strndup(p->before, p->n_before),
					     .after = mem_strndup(p->after, strlen(p->after)),
					     .has_number = p->has_number,
					     .is_share = p->of != 0 };
	return &c->sum[c->n++];
}

void comments_add(struct comments *c, const struct profile *p)
{
	uint64_t n_stacks = 0;

	for (uint32_t i = 0; i < p->meta.n_comments; i++) {
		const char *text = profile_text(p, p->meta.comment[i]);
		struct parts parts = split_comment(text);
		struct comment_sum *s;

		if (starts_with(text, "cpa ") || starts_with(text, "asked for "))
			continue;
		s = find_comment_sum(c, &parts);
		if (s)
			s->n += parts.n;
		n_stacks = parts.of > n_stacks ? parts.of : n_stacks;
	}
	c->n_stacks += n_stacks;
}

void comments_write(const struct comments *c, struct profile *to)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		const struct comment_sum *s = &c->sum[i];

		text.len = 0;
		buf_addz(&text, s->before);
		if (s->has_number)
			buf_addf(&text, ": %" PRIu64, s->n);
		if (s->is_share)
			buf_addf(&text, " of %" PRIu64 " (%.2f%%)", c->n_stacks,
				 c->n_stacks ? 100.0 * (double)s->n / (double)c->n_stacks : 0.0);
		buf_addz(&text, s->after);
		profile_add_comment(to, buf_text(&text));
	}
	buf_release(&text);
}

void comments_release(struct comments *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->sum[i].before);
		free(c->sum[i].after);
	}
	free(c->sum);
	*c = (struct comments){ 0 };
}
