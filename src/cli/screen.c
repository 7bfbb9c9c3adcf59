/*
 * screen.c - the full-screen shell on a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/screen.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/num.h"
#include "cli/answer.h"
#include "cli/edit.h"
#include "cli/say.h"
#include "viewers/shell/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE_MAX_CELLS = 1000 };

/* What the callbacks of the shell need. */
struct around {
	const struct args *a;
	const struct side_sources *from; /* [N_SIDES] */
};

static struct args args_for(const struct around *r, const struct query_command *c, const struct query *q)
{
	struct args a = *r->a;

	a.command = c;
	a.q = *q;
	return a;
}

/* The text of a report that is drawn in pieces. */
static void join_pieces(const struct answer *answer, struct buf *text)
{
	const struct traces_viewer *viewer = answer->pieces;
	void *drawing = viewer->start(&answer->report);

	viewer->draw(drawing, 0, answer->report.traces->n, text);
	viewer->end(drawing);
}

static int answer(void *arg, const struct profile *p, const struct query_command *c, const struct query *q,
		  struct buf *text, struct buf *notes, struct err *err)
{
	const struct around *r = arg;
	struct args a = args_for(r, c, q);
	struct answer out = { 0 };
	int rc = answer_check(c, q, err);

	if (rc < 0)
		return rc;
	rc = answer_make(p, &a, r->from, false, &out, err);
	if (rc == 0 && out.pieces)
		join_pieces(&out, text);
	else if (rc == 0)
		buf_add(text, buf_text(&out.text), out.text.len);
	buf_add(notes, buf_text(&out.notes), out.notes.len);
	answer_release(&out);
	return rc;
}

/* Line mode's part, until it is there: everything has a view, or is its text. */
static bool is_outside(void *arg, const struct line *l)
{
	(void)arg;
	return l->pipe || *settings_query(l->ask)->output;
}

static bool needs_terminal(void *arg, const struct line *l)
{
	(void)arg;
	return l->pipe;
}

static int run(void *arg, const struct profile *p, const struct line *l, struct buf *said, struct err *err)
{
	(void)arg;
	(void)p;
	(void)said;
	return err_set(err, ERR_USAGE, "%s cannot be run here yet", l->command->name);
}

static int edit(void *arg, const char *path, int64_t line, struct err *err)
{
	(void)arg;
	return edit_file(path, line, err);
}

static int parse_size(const char *text, int *width, int *height)
{
	char end;

	if (sscanf(text, "%dx%d%c", width, height, &end) != 2 || *width < 1 || *height < 1 || *width > SIZE_MAX_CELLS ||
	    *height > SIZE_MAX_CELLS)
		return say_error("--size=%s: write WIDTHxHEIGHT, each from 1 to %d", text, SIZE_MAX_CELLS);
	return STATUS_FINE;
}

static int parse_depth(const char *text, int *depth)
{
	static const char *const names[] = {
		[DEPTH_NONE] = "none", [DEPTH_16] = "16", [DEPTH_256] = "256", [DEPTH_TRUE] = "true"
	};

	*depth = -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(text, names[i]) == 0)
			*depth = (int)i;
	if (*depth < 0 && strcmp(text, "auto") != 0)
		return say_error("--colors=%s: choose none, 16, 256, true or auto", text);
	return STATUS_FINE;
}

static int play(const struct args *a, const struct shell_open *open)
{
	struct buf out = { 0 };
	struct err err;
	int width, height, status = parse_size(a->q.size, &width, &height);

	if (status != STATUS_FINE)
		return status;
	if (shell_play(open, a->q.keys, width, height, a->q.looks, &out, &err) < 0)
		status = say_error("%s", err.msg);
	else if (io_write_fd(STDOUT_FILENO, buf_text(&out), out.len, &err) < 0)
		status = say_error("standard output: %s", err.msg);
	buf_release(&out);
	return status;
}

int screen_session(const struct args *a, struct profile *p, struct profile *sides,
		   const struct side_sources from[N_SIDES])
{
	struct around around = { a, from };
	struct shell_data *data = mem_zalloc(1, sizeof(*data));
	struct shell_open open = { .data = data,
				   .q = &a->q,
				   .line = "top",
				   .sources = from[SIDE_TARGET].source,
				   .n_sources = from[SIDE_TARGET].n,
				   .host = { .arg = &around, .answer = answer, .is_outside = is_outside, .needs_terminal = needs_terminal, .run = run, .edit = edit },
				   .mouse = !a->q.no_mouse,
				   .color = say_color(STDOUT_FILENO, a->q.color) };
	struct err err;

	*data = (struct shell_data){ .p = p, .sides = sides, .has_base = from[SIDE_BASE].n > 0 };
	if (parse_depth(a->q.colors, &open.depth) != STATUS_FINE)
		return STATUS_TROUBLE;
	if (*a->q.keys)
		return play(a, &open);
	return shell_run(&open, &err) < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}
