/*
 * sum.c - the origin of a result, in words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/time.h"
#include "profile/edit.h"
#include "store/store.h"

#include <inttypes.h>
#include <string.h>

void store_sum_describe(const struct store_query *q, const struct store_sum *sum, struct buf *out)
{
	bool is_open = q->t0 == INT64_MIN || q->t1 == INT64_MAX;

	buf_addf(out, "store: %s/%s, %" PRIu64 " profile%s of %" PRIu32 " instance%s, raw, ", q->service, q->kind,
		 sum->profiles, sum->profiles == 1 ? "" : "s", sum->instances, sum->instances == 1 ? "" : "s");
	if (*q->pin)
		buf_addf(out, "pin %s, ", q->pin);
	time_add_span(out, is_open ? sum->first_ns : q->t0, is_open ? sum->last_ns : q->t1);
	if (sum->builds.len)
		buf_addf(out, "; %s", buf_text(&sum->builds));
	if (sum->profiles_missing)
		buf_addf(out, "; %" PRIu64 " scrape%s missing", sum->profiles_missing,
			 sum->profiles_missing == 1 ? "" : "s");
	if (sum->is_damaged)
		buf_addz(out, "; damaged parts are left out");
}

void store_sum_add_comments(const struct store_query *q, const struct store_sum *sum, struct profile *p)
{
	struct buf line = { 0 };

	store_sum_describe(q, sum, &line);
	profile_add_comment(p, buf_text(&line));
	for (const char *at = buf_text(&sum->notes); *at;) {
		size_t n = strcspn(at, "\n");

		line.len = 0;
		buf_add(&line, at, n);
		profile_add_comment(p, buf_text(&line));
		at += n + (at[n] == '\n');
	}
	buf_release(&line);
}

void store_sum_release(struct store_sum *s)
{
	buf_release(&s->builds);
	buf_release(&s->notes);
	*s = (struct store_sum){ 0 };
}
