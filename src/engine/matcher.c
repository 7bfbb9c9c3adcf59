/*
 * matcher.c - match an expression against many texts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A compiled expression can be used by one thread at a time, so each thread but the first compiles its own.
 */
#include "config.h"

#include "engine/matcher.h"

#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <stdlib.h>

enum { TEXTS_PER_THREAD = 4000 };

struct matcher_run {
	matcher_text_fn text;
	const void *arg;
	uint32_t n;
	uint8_t *yes, bit;
	unsigned parts;
	struct stop *stop;
	struct matcher_part {
		struct regex *rx;
		int rc;
		struct err err;
	} * part;
};

int matcher_init(struct matcher *m, const char *option, const char *pattern, struct err *err)
{
	*m = (struct matcher){ .option = option, .pattern = pattern };
	if (!*pattern)
		return 0;
	if (regex_new(pattern, &m->rx, err) < 0)
		return err_wrap(err, "parsing %s regexp", option);
	return 0;
}

void matcher_release(struct matcher *m)
{
	regex_free(m->rx);
	m->rx = NULL;
}

static void matcher_part(void *arg, unsigned number)
{
	const struct matcher_run *m = arg;
	struct matcher_part *part = &m->part[number];
	uint32_t i = (uint32_t)((uint64_t)m->n * number / m->parts);
	uint32_t end = (uint32_t)((uint64_t)m->n * (number + 1) / m->parts);
	struct buf scratch = { 0 };

	/* matching a text can take a millisecond, so the stop is checked at each */
	for (; part->rc == 0 && i < end && !stop_step(m->stop, i) && !stop_is_set(m->stop); i++) {
		bool yes = false;
		const char *text;
		size_t n = 0;

		scratch.len = 0;
		text = m->text(m->arg, i, &scratch, &n);
		part->rc = regex_match(part->rx, text, n, &yes, &part->err);
		if (yes)
			m->yes[i] |= m->bit;
	}
	buf_release(&scratch);
}

int matcher_all(struct matcher *m, matcher_text_fn text, const void *arg, uint32_t n, uint8_t *yes, uint8_t bit,
		struct err *err)
{
	uint32_t wish = n / TEXTS_PER_THREAD + 1;
	struct matcher_run all = { .text = text, .arg = arg, .n = n, .yes = yes, .bit = bit, .stop = m->stop };
	int rc = 0;

	assert(m->rx && bit);
	stop_begin(m->stop, "matching names", n);
	all.parts = wish < pool_size() ? (unsigned)wish : pool_size();
	all.part = mem_zalloc(all.parts, sizeof(*all.part));
	all.part[0].rx = m->rx;
	for (unsigned i = 1; rc == 0 && i < all.parts; i++)
		rc = regex_new(m->pattern, &all.part[i].rx, err);
	if (rc == 0)
		pool_run(matcher_part, &all, all.parts);
	for (unsigned i = 0; i < all.parts; i++) {
		if (rc == 0 && all.part[i].rc < 0) {
			rc = all.part[i].rc;
			err_set(err, rc, "%s: %s", m->option, all.part[i].err.msg);
		}
		if (i > 0)
			regex_free(all.part[i].rx);
	}
	free(all.part);
	return rc == 0 ? stop_check(m->stop, err) : rc;
}
