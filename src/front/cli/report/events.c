/*
 * events.c - show progress and notes while sources are fetched and read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/report/events.h"

#include "base/time.h"
#include "engine/query.h"
#include "front/cli/interrupt.h"
#include "front/cli/messages.h"

#include <inttypes.h>
#include <stdio.h>

void cmd_report_say_sources(const struct remote *r, const struct query *q)
{
	for (size_t i = 0; i < remote_count(r); i++) {
		struct buf text = { 0 };

		remote_describe(r, i, &text);
		say("%s", buf_text(&text));
		buf_release(&text);
	}
	if (q->seconds > 0 && remote_count_processes(r) < remote_count(r)) {
		struct buf wait = { 0 };

		time_add_go_duration(&wait, q->seconds < INT64_MAX / NS_PER_S ? q->seconds * NS_PER_S : INT64_MAX);
		say("Please wait... (%s)", wait.data);
		buf_release(&wait);
	}
}

static void report_events_fetch(void *arg, struct remote *r, const struct query *q, struct buf *notes)
{
	bool has_urls = remote_count_processes(r) < remote_count(r);

	(void)arg;
	cmd_report_say_sources(r, q);
	progress_begin("fetching");
	remote_fetch(r, has_urls ? progress_fetch : progress_record, cmd_interrupt_catch(), notes);
	progress_end();
	if (cmd_interrupt_release())
		buf_addz(notes, "interrupted; continuing with the profiles received so far\n");
}

static void report_events_step(void *arg, const char *what)
{
	(void)arg;
	if (what)
		progress_begin(what);
	else
		progress_end();
}

static void report_events_note(void *arg, bool is_error, const char *line, size_t n)
{
	(void)arg;
	progress_end();
	if (is_error)
		say_error("%.*s", (int)n, line);
	else
		say("%.*s", (int)n, line);
}

const struct load_events cmd_report_events = {
	.step = report_events_step, .progress = progress_count, .note = report_events_note, .fetch = report_events_fetch
};
