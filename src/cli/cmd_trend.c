/*
 * cmd_trend.c - many profiles in a row: what grew
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/answer.h"
#include "cli/cmd.h"
#include "cli/cmd_report.h"
#include "cli/say.h"
#include "report/trend.h"

#include <unistd.h>

/* The profiles that were read so far. */
struct walk {
	struct trend *trend;
	struct arena *mem; /* of the two sides */
	struct compare_side first, last;
	size_t n_read;
	struct buf notes;
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

/* A profile that cannot be read is left out; one that does not fit ends it. Gives the exit status. */
static int take(struct walk *w, const char *const *source, const struct query *q, bool *failed)
{
	struct load l = { .source = source, .n = 1, .q = q };
	struct profile *p = NULL;
	struct err err;
	int status = STATUS_FINE;

	if (load_profile(&l, &p, &err) < 0) {
		progress_end();
		say_error("%s", err.msg);
		*failed = true;
	} else if (trend_add(w->trend, p, q, &w->notes, &err) < 0) {
		progress_end();
		status = say_error("%s: %s", *source, err.msg);
	} else {
		take_side(w, p, source);
	}
	tell_lines(&l.notes);
	buf_release(&l.notes);
	profile_free(p);
	return status;
}

static int answer(struct walk *w, const struct query *q)
{
	bool color = to_stdout(q) && say_color(STDOUT_FILENO, q->color);
	struct buf text = { 0 };
	struct report r;
	int status;

	if (w->n_read < 2)
		return say_error("trend needs at least two profiles that can be read");
	trend_report(w->trend, &w->first, &w->last, q, &r, &w->notes);
	tell_lines(&w->notes);
	answer_draw(&r, q, color, &text);
	status = write_report(&text, q);
	buf_release(&text);
	report_release(&r);
	return status;
}

int cmd_trend(const struct args *a)
{
	const struct load l = { .source = a->word, .n = a->n_words, .q = &a->q };
	struct walk w = { .trend = NULL };
	struct query q = a->q;
	bool failed = false;
	int status;

	if (a->n_words < 2)
		return say_error("trend takes two or more profiles, in the order of their time: cpa trend P1 ... PN");
	if (check_sources(&l, &q) != STATUS_FINE)
		return STATUS_TROUBLE;
	query_for_report(&q, a->command->report);
	w.trend = trend_new();
	w.mem = arena_new();
	status = STATUS_FINE;
	progress_begin("reading");
	for (size_t i = 0; status == STATUS_FINE && i < a->n_words; i++)
		status = take(&w, &a->word[i], &q, &failed);
	progress_end();
	if (status == STATUS_FINE)
		status = answer(&w, &q);
	buf_release(&w.notes);
	trend_free(w.trend);
	arena_free(w.mem);
	return status == STATUS_FINE && failed ? STATUS_TROUBLE : status;
}
