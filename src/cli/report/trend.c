/*
 * trend.c - many profiles in a row: what grew
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/draw.h"
#include "base/pool.h"
#include "cli/cmd.h"
#include "cli/messages.h"
#include "cli/report/fetching.h"
#include "cli/report/loading.h"
#include "cli/report/report.h"
#include "report/trend.h"

#include <unistd.h>

enum { LOT_MAX = 8 }; /* profiles in memory at once */

/* The profiles that were read so far. */
struct walk {
	struct trend *trend;
	struct arena *mem; /* of the two sides */
	struct compare_side first, last;
	struct remote *remote; /* what was fetched */
	size_t n_read;
	struct buf notes;
	bool failed; /* some could not be read */
};

static void copy_text(const char **text, struct arena *mem)
{
	size_t n = 0;

	while ((*text)[n])
		n++;
	*text = arena_strndup(mem, *text, n);
}

/* Its profile goes, the texts stay. */
static void take_side(struct walk *w, const struct profile *p, const char *const *source)
{
	const struct side_sources from = { source, 1 };
	struct compare_side *s = &w->last;

	side_fill(s, p, &from, 0, w->mem);
	copy_text(&s->file, w->mem);
	copy_text(&s->build_id, w->mem);
	copy_text(&s->host, w->mem);
	if (w->n_read++ == 0)
		w->first = *s;
}

/* A profile that does not fit ends it. Gives the exit status. */
static int take(struct walk *w, const struct loading *l, const struct query *q)
{
	struct err err;

	if (trend_add(w->trend, l->profile, q, &w->notes, &err) < 0) {
		progress_end();
		return say_error("%s: %s", *l->load.source, err.msg);
	}
	take_side(w, l->profile, l->load.source);
	return STATUS_FINE;
}

/* Read a few at once, take them in their order; one that cannot be read is left out. */
static int take_lot(struct walk *w, const char *const *source, size_t n, const struct query *q)
{
	struct loading l[LOT_MAX] = { { .profile = NULL } };
	int status = STATUS_FINE;

	for (size_t i = 0; i < n; i++)
		l[i].load =
			(struct load){ .source = source + i, .n = 1, .kind = "source", .q = q, .remote = w->remote };
	cmd_report_loading_run(l, n);
	for (size_t i = 0; i < n; i++) {
		if (!l[i].profile || l[i].load.notes.len)
			progress_end();
		if (cmd_report_loading_tell(&l[i]) != STATUS_FINE)
			w->failed = true;
		if (l[i].profile && status == STATUS_FINE)
			status = take(w, &l[i], q);
		cmd_report_loading_release(&l[i]);
	}
	return status;
}

static int answer(struct walk *w, const struct args *a, const struct query *q)
{
	bool color = cmd_report_to_stdout(q) && say_color(STDOUT_FILENO, q->color);
	struct buf text = { 0 };
	struct report r;
	int status;

	if (w->n_read < 2)
		return say_error("trend needs at least two profiles that can be read");
	report_trend(w->trend, &w->first, &w->last, q, &r, &w->notes);
	cmd_report_tell_lines(&w->notes);
	if (r.table.n_rows == 0 && !q->all)
		say("nothing grew in every step; --all shows how everything went");
	answer_draw(a->report, &r, q, color, &text);
	status = cmd_report_write(&text, a);
	buf_release(&text);
	report_release(&r);
	return status;
}

/* Read all, a few at a time. Gives the exit status. */
static int walk_sources(struct walk *w, const struct sources *s, const struct args *a)
{
	size_t lot = pool_size() < LOT_MAX ? pool_size() : LOT_MAX;
	struct query q = a->q;
	int status = STATUS_FINE;

	query_apply_defaults(&q, &a->report->defaults);
	w->trend = trend_new();
	w->mem = arena_new();
	progress_begin("reading");
	for (size_t i = 0; status == STATUS_FINE && i < s->n; i += lot)
		status = take_lot(w, &s->name[i], s->n - i < lot ? s->n - i : lot, &q);
	progress_end();
	if (status == STATUS_FINE)
		status = answer(w, a, &q);
	buf_release(&w->notes);
	trend_free(w->trend);
	arena_free(w->mem);
	return status == STATUS_FINE && w->failed ? STATUS_TROUBLE : status;
}

int cmd_report_trend(const struct args *a)
{
	struct walk w = { .trend = NULL };
	struct sources source = { 0 };
	size_t n_stdin = 0;
	struct err err;
	int status;

	if (sources_add(&source, a->word, a->n_words, &err) < 0)
		status = say_error("%s", err.msg);
	else if (source.n < 2)
		status = say_error("trend takes two or more profiles, in the order of their time: cpa trend P1 ... PN");
	else
		status = cmd_report_check_sources(&source, "source", &a->q, &n_stdin);
	if (status == STATUS_FINE)
		status = cmd_report_fetch(&source, 1, &a->q, &w.remote);
	if (status == STATUS_FINE)
		status = walk_sources(&w, &source, a);
	remote_free(w.remote);
	sources_release(&source);
	return status;
}
