/*
 * fetching.c - get what is on servers, and tell about it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/report/fetching.h"

#include "base/stop.h"
#include "cli/messages.h"
#include "cli/report/report.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

/* Set by Ctrl-C while servers are asked. */
static struct stop interrupted;

static void interrupt(int number)
{
	(void)number;
	stop_set(&interrupted);
}

/* As Go writes durations of whole seconds: 1h0m30s. */
static void say_wait(int64_t seconds)
{
	int64_t h = seconds / 3600, m = seconds / 60 % 60, s = seconds % 60;

	if (h)
		say("Please wait... (%" PRId64 "h%" PRId64 "m%" PRId64 "s)", h, m, s);
	else if (m)
		say("Please wait... (%" PRId64 "m%" PRId64 "s)", m, s);
	else
		say("Please wait... (%" PRId64 "s)", s);
}

static void say_urls(const struct remote *r, const struct query *q)
{
	for (size_t i = 0; i < remote_count(r); i++) {
		struct buf url = { 0 };

		remote_show(r, i, &url);
		say("Fetching profile over HTTP from %s", url.data);
		buf_release(&url);
	}
	if (q->seconds > 0)
		say_wait(q->seconds);
}

static void fetch(struct remote *r)
{
	struct sigaction ours = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND }, before;
	struct buf notes = { 0 };

	sigaction(SIGINT, NULL, &before);
	if (before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &ours, NULL);
	progress_begin("fetching");
	remote_fetch(r, progress_fetch, &interrupted, &notes);
	progress_end();
	sigaction(SIGINT, &before, NULL);
	cmd_report_tell_lines(&notes);
	buf_release(&notes);
	if (stop_is_set(&interrupted))
		say("interrupted; going on with what has arrived");
	interrupted = (struct stop){ 0 };
}

int cmd_report_fetch(struct sources *s, size_t n, const struct query *q, struct remote **out)
{
	struct remote *r = remote_new(q);
	struct err err;

	*out = NULL;
	for (size_t i = 0; i < n; i++) {
		if (remote_add(r, &s[i], &err) < 0) {
			say_error("%s", err.msg);
			remote_free(r);
			return STATUS_TROUBLE;
		}
	}
	if (remote_count(r) == 0) {
		remote_free(r);
		return STATUS_FINE;
	}
	say_urls(r, q);
	fetch(r);
	*out = r;
	return STATUS_FINE;
}
