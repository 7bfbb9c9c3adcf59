/*
 * loaded.c - the profile that a command line is about
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/report/loaded.h"

#include "answer/bundle.h"
#include "answer/compare.h"
#include "answer/remote.h"
#include "cli/messages.h"
#include "cli/report/fetching.h"
#include "cli/report/report.h"
#include "cli/report/save.h"
#include "fetch/source.h"
#include "profile/normalize.h"

#include <string.h>
#include <sys/stat.h>

void cmd_report_tell_lines(const struct buf *notes)
{
	const char *line = buf_text(notes), *last = "";

	while (*line) {
		size_t n = strcspn(line, "\n");

		if (strcspn(last, "\n") != n || memcmp(last, line, n) != 0)
			say("%.*s", (int)n, line);
		last = line;
		line += n + (line[n] == '\n');
	}
}

/* Sources that could not be read: a line each, and how many are left. */
void cmd_report_tell_notes(const struct load *l)
{
	const char *line = buf_text(&l->notes);

	while (*line) {
		size_t n = strcspn(line, "\n");

		say_error("%.*s", (int)n, line);
		line += n + (line[n] == '\n');
	}
	cmd_report_tell_lines(&l->told);
	if (l->n_failed && l->n > 1)
		say_error("Fetched %zu %s profiles out of %zu", l->n - l->n_failed, l->kind, l->n);
}

/* Sources that cannot be meant as they stand. Gives a status; STATUS_FINE is none of them. */
int cmd_report_check_sources(const struct sources *s, const char *kind, const struct query *q, size_t *n_stdin)
{
	struct stat in, out;
	bool is_file = !cmd_report_to_stdout(q) && stat(q->output, &out) == 0 && S_ISREG(out.st_mode);

	for (size_t i = 0; i < s->n; i++) {
		const char *source = s->name[i];

		*n_stdin += strcmp(source, "-") == 0;
		if (is_file && stat(source, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return say_error("%s: the report would take the place of a %s", source, kind);
	}
	return *n_stdin > 1 ? say_error("standard input is given twice") : STATUS_FINE;
}

/* Read what was named, say what there is to say about that. */
static int load(const struct args *a, bool apart, struct subject *s)
{
	struct load *target = &s->load[SIDE_TARGET], *base = &s->load[SIDE_BASE];
	struct err err;
	int rc;

	progress_begin("reading");
	rc = compare_load_apart(target, base, &s->profile, apart ? &s->apart : NULL, &err);
	if (rc == 0 && a->report && a->report->flags & REPORT_ADDS_SOURCES)
		bundle_sources(s->profile, &a->q, &target->told);
	progress_end();
	cmd_report_tell_notes(target);
	cmd_report_tell_notes(base);
	if (rc < 0)
		return say_error("%s", err.msg);
	cmd_report_save_fetched(s->profile, target, base);
	return STATUS_FINE;
}

static int load_sources(const struct args *a, bool apart, struct subject *s)
{
	struct load *target = &s->load[SIDE_TARGET], *base = &s->load[SIDE_BASE];
	size_t n_stdin = 0;

	if (target->n >= 2 && fetch_is_binary(target->source[0])) {
		target->binary = base->binary = *target->source++;
		target->n--;
	}
	if (target->n == 0)
		return STATUS_FINE;
	if (cmd_report_check_sources(&s->side[SIDE_TARGET], "source", &a->q, &n_stdin) != STATUS_FINE ||
	    cmd_report_check_sources(&s->side[SIDE_BASE], "base", &a->q, &n_stdin) != STATUS_FINE)
		return STATUS_TROUBLE;
	if (cmd_report_fetch(s->side, N_SIDES, &a->q, &s->remote) != STATUS_FINE)
		return STATUS_TROUBLE;
	target->remote = base->remote = s->remote;
	if (target->n > 1 && base->n == 0)
		target->progress = progress_count;
	for (int i = 0; i < N_SIDES; i++)
		s->from[i] = (struct side_sources){ s->load[i].source, s->load[i].n };
	return load(a, apart, s);
}

int cmd_report_load(const struct args *a, bool apart, struct subject *out)
{
	static const char *const kind[] = { [SIDE_TARGET] = "source", [SIDE_BASE] = "base" };
	const struct opt_list *bases = a->q.diff_base.n ? &a->q.diff_base : &a->q.base;
	struct normalize how;
	struct err err;

	*out = (struct subject){ 0 };
	if (normalize_parse(a->q.normalize, &how, NULL) == 0 && how.by != NORMALIZE_NONE && bases->n == 0)
		return say_error("must have base profile to normalize by");
	if (sources_add(&out->side[SIDE_TARGET], a->word, a->n_words, &err) < 0 ||
	    sources_add(&out->side[SIDE_BASE], bases->item, bases->n, &err) < 0)
		return say_error("%s", err.msg);
	for (int i = 0; i < N_SIDES; i++)
		out->load[i] =
			(struct load){ .source = out->side[i].name, .n = out->side[i].n, .kind = kind[i], .q = &a->q };
	return load_sources(a, apart, out);
}

void cmd_report_release(struct subject *s)
{
	profile_free(s->profile);
	profile_free(s->apart);
	remote_free(s->remote);
	for (int i = 0; i < N_SIDES; i++) {
		buf_release(&s->load[i].notes);
		buf_release(&s->load[i].told);
		sources_release(&s->side[i]);
	}
	*s = (struct subject){ 0 };
}
