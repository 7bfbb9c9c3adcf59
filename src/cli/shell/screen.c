/*
 * screen.c - the full-screen shell on a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/shell/screen.h"

#include "base/buf.h"
#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "cli/messages.h"
#include "cli/report/report.h"
#include "cli/shell/help.h"
#include "cli/shell/history.h"
#include "cli/shell/report.h"
#include "viewers/shell/shell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 30 };

/* Editors that take FILE:LINE; all others know +LINE FILE, as vi does. */
static const struct {
	const char *name, *flag;
} colon[] = {
	{ "code", "--goto" }, { "codium", "--goto" }, { "helix", NULL },
	{ "hx", NULL },       { "subl", NULL },       { "zed", NULL },
};

static const char *command(void)
{
	static const char *const name[] = { "VISUAL", "EDITOR" };

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		const char *value = getenv(name[i]);

		if (value && value[strspn(value, " ")])
			return value;
	}
	return "vi";
}

/* Append file and line in the way of an editor to its words. */
static size_t add_place(const char **argv, size_t n, const char *path, int64_t line, struct buf *place)
{
	struct buf editor = { 0 };
	size_t i = 0, n_colon = sizeof(colon) / sizeof(colon[0]);

	path_add_base(&editor, argv[0]);
	while (i < n_colon && strcmp(buf_text(&editor), colon[i].name) != 0)
		i++;
	buf_release(&editor);
	if (i == n_colon) {
		buf_addf(place, "+%" PRId64, line);
		argv[n++] = place->data;
		argv[n++] = path;
		return n;
	}
	if (colon[i].flag)
		argv[n++] = colon[i].flag;
	buf_addf(place, "%s:%" PRId64, path, line);
	argv[n++] = place->data;
	return n;
}

/*
 * Open a file at a line in $VISUAL, else $EDITOR, else vi, and wait until that ends. It has our terminal. Their
 * values are split at blanks; no shell sees them.
 *
 * Fails   ERR_UNKNOWN when there is no such program; ERR_IO when it failed
 */
static int edit_file(const char *path, int64_t line, struct err *err)
{
	const char *value = command(), *argv[WORDS_MAX + 3];
	char *words = mem_strndup(value, strlen(value)), *rest = words, *word;
	struct buf place = { 0 }, file = { 0 };
	size_t n = 0;
	int rc;

	while ((word = strsep(&rest, " ")))
		if (*word && n < WORDS_MAX)
			argv[n++] = word;
	buf_addf(&file, "%s%s", *path == '/' ? "" : "./", path); /* no option, whatever it is called */
	n = add_place(argv, n, file.data, line > 0 ? line : 1, &place);
	argv[n] = NULL;
	rc = child_talk(argv, err);
	buf_release(&place);
	buf_release(&file);
	free(words);
	return rc;
}

enum { SIZE_MAX_CELLS = 1000 };

/* What the callbacks of the shell need. */
struct around {
	const struct args *a;
	const struct loaded *loaded; /* its sources; the profiles are the shell's */
	struct buf rest;             /* what was said when nobody asked */
};

/* The last of the lines that were said, as an error. */
static int fail_with(const struct buf *said, struct err *err)
{
	const char *text = buf_text(said), *end = text + strlen(text), *from;

	while (end > text && end[-1] == '\n')
		end--;
	for (from = end; from > text && from[-1] != '\n'; from--)
		;
	return err_set(err, ERR_USAGE, "%.*s", (int)(end - from), from);
}

static int run(void *arg, const struct shell_data *d, const struct line *l, struct stop *stop, struct buf *said,
	       struct err *err)
{
	struct around *r = arg;
	struct loaded loaded = *r->loaded;
	int status;

	loaded.profile = d->p;
	loaded.sides = d->sides == d->p ? NULL : d->sides;
	say_into(line_needs_terminal(l) ? NULL : said);
	status = cmd_shell_report(&loaded, l, stop, false);
	say_into(&r->rest);
	if (stop && stop_is_set(stop))
		return err_set(err, ERR_STOPPED, "stopped");
	return status == STATUS_FINE ? 0 : fail_with(said, err);
}

static void add_history(void *arg, struct texts *out)
{
	(void)arg;
	cmd_shell_typed_load(out);
}

static void remember(void *arg, const char *line)
{
	(void)arg;
	cmd_shell_typed_add(line);
}

static int edit(void *arg, const char *path, int64_t line, struct err *err)
{
	(void)arg;
	return edit_file(path, line, err);
}

static int help(void *arg, const char *words, const struct settings *now, struct buf *text, struct err *err)
{
	(void)arg;
	return cmd_shell_add_help(words, now, text) ? 0 : err_set(err, ERR_USAGE, "Unknown command: %s", words);
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

/* The file of what views remember. Gives false when there is no home for it. */
static bool find_kept(struct buf *path)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		buf_addf(path, "%s/cpa/shell", config);
	else if (home && *home == '/')
		buf_addf(path, "%s/.config/cpa/shell", home);
	return path->len > 0;
}

static int play(const struct args *a, struct around *around, const struct shell_open *open, int width, int height)
{
	struct buf out = { 0 };
	struct err err;
	int rc, status = STATUS_FINE;

	say_into(&around->rest);
	rc = shell_play(open, a->q.keys, width, height, a->q.looks, &out, &err);
	say_into(NULL);
	if (rc < 0)
		status = say_error("%s", err.msg);
	else if (io_write_fd(STDOUT_FILENO, buf_text(&out), out.len, &err) < 0)
		status = say_error("standard output: %s", err.msg);
	buf_release(&out);
	return status;
}

/* On the terminal. Scripts neither see nor leave what is remembered from one session to the next. */
static int run_screen(struct around *around, struct shell_open *open)
{
	struct buf kept = { 0 };
	struct err err;
	int rc;

	open->host.history = add_history;
	open->host.remember = remember;
	open->kept = find_kept(&kept) ? kept.data : NULL;
	say_into(&around->rest);
	rc = shell_run(open, &err);
	say_into(NULL);
	buf_release(&kept);
	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}

int cmd_shell_screen(const struct args *a, struct loaded *loaded)
{
	struct around around = { .a = a, .loaded = loaded };
	const struct side_sources *base = &loaded->from[SIDE_BASE];
	const struct load_request request = cmd_report_request(a);
	struct shell_open open = { .q = &a->q,
				   .line = "top",
				   .from = loaded->from,
				   .binary = loaded->load[SIDE_TARGET].binary,
				   .host = { .arg = &around, .run = run, .edit = edit, .help = help },
				   .reload = answer_can_reload(&request) ? &request : NULL,
				   .mouse = !a->q.no_mouse,
				   .color = say_color(STDOUT_FILENO, a->q.color) };
	int width = 0, height = 0, status;

	if (parse_depth(a->q.colors, &open.depth) != STATUS_FINE ||
	    (*a->q.keys && parse_size(a->q.size, &width, &height) != STATUS_FINE))
		return STATUS_TROUBLE;
	open.data = mem_zalloc(1, sizeof(*open.data));
	*open.data = (struct shell_data){ .p = loaded->profile,
					  .sides = loaded->sides ? loaded->sides : loaded->profile,
					  .has_base = base->n > 0 };
	loaded->profile = loaded->sides = NULL;
	status = *a->q.keys ? play(a, &around, &open, width, height) : run_screen(&around, &open);
	buf_release(&around.rest);
	return status;
}
