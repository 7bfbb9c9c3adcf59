/*
 * screen.c - the full-screen shell on a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/shell/screen.h"

#include "base/buf.h"
#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "front/cli/messages.h"
#include "front/cli/report/report.h"
#include "front/cli/shell/help.h"
#include "front/cli/shell/history.h"
#include "front/cli/shell/report.h"
#include "front/shell/shell.h"
#include "front/shell/views/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 30 };

/* Editors that take FILE:LINE; all others take +LINE FILE, like vi. */
static const struct {
	const char *name, *flag;
} colon_editors[] = {
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

/* Append file and line to the arguments in the form that the editor takes. */
static size_t shell_screen_add_place(const char **argv, size_t n, const char *path, int64_t line, struct buf *place)
{
	struct buf editor = { 0 };
	size_t i = 0, n_colon = sizeof(colon_editors) / sizeof(colon_editors[0]);

	path_add_base(&editor, argv[0]);
	while (i < n_colon && strcmp(buf_text(&editor), colon_editors[i].name) != 0)
		i++;
	buf_release(&editor);
	if (i == n_colon) {
		buf_addf(place, "+%" PRId64, line);
		argv[n++] = place->data;
		argv[n++] = path;
		return n;
	}
	if (colon_editors[i].flag)
		argv[n++] = colon_editors[i].flag;
	buf_addf(place, "%s:%" PRId64, path, line);
	argv[n++] = place->data;
	return n;
}

/*
 * Open a file at a line with $VISUAL, else $EDITOR, else vi, on our terminal, and wait until it ends. The variables
 * are split at blanks, without a shell.
 *
 * Fails   ERR_UNKNOWN when the program does not exist; ERR_IO when it failed
 */
static int edit_file(const char *path, int64_t line, struct err *err)
{
	const char *value = command(), *argv[WORDS_MAX + 3];
	char *words = mem_strndup(value, strlen(value)), *pending = words, *word;
	struct buf place = { 0 }, file = { 0 };
	size_t n = 0;
	int rc;

	while ((word = strsep(&pending, " ")))
		if (*word && n < WORDS_MAX)
			argv[n++] = word;
	buf_addf(&file, "%s%s", *path == '/' ? "" : "./", path); /* prevents a name like an option */
	n = shell_screen_add_place(argv, n, file.data, line > 0 ? line : 1, &place);
	argv[n] = NULL;
	rc = child_run_interactive(argv, err);
	buf_release(&place);
	buf_release(&file);
	free(words);
	return rc;
}

enum { SIZE_MAX_CELLS = 1000 };

/* Context of the callbacks. */
struct context {
	const struct args *a;
	const struct load_result *loaded; /* used for its sources; the full screen owns the profiles */
	struct buf pending;               /* messages that no callback has returned yet */
};

/* Return the last message as an error. */
static int fail_with_last_message(const struct buf *output, struct err *err)
{
	const char *text = buf_text(output), *end = text + strlen(text), *from;

	while (end > text && end[-1] == '\n')
		end--;
	for (from = end; from > text && from[-1] != '\n'; from--)
		;
	return err_set(err, ERR_USAGE, "%.*s", (int)(end - from), from);
}

static int shell_screen_run(void *arg, const struct shell_data *d, const struct line *l, struct stop *stop,
			    struct buf *output, struct err *err)
{
	struct context *r = arg;
	struct load_result loaded = *r->loaded;
	int status;

	loaded.profile = d->p;
	loaded.sides = d->sides == d->p ? NULL : d->sides;
	if (*r->a->q.keys && line_needs_terminal(l))
		return err_set(err, ERR_USAGE, "cannot start a program with --keys");
	say_redirect(line_needs_terminal(l) ? NULL : output);
	status = cmd_shell_report(&loaded, l, stop, false);
	say_redirect(&r->pending);
	if (stop && stop_is_set(stop))
		return err_set(err, ERR_STOPPED, "stopped");
	return status == STATUS_FINE ? 0 : fail_with_last_message(output, err);
}

static void add_history(void *arg, struct string_list *out)
{
	(void)arg;
	cmd_shell_history_load(out);
}

static void append_history(void *arg, const char *line)
{
	(void)arg;
	cmd_shell_history_add(line);
}

static int shell_screen_edit(void *arg, const char *path, int64_t line, struct err *err)
{
	const struct context *context = arg;

	if (*context->a->q.keys)
		return err_set(err, ERR_USAGE, "cannot start an editor with --keys");
	return edit_file(path, line, err);
}

static int shell_screen_help(void *arg, const char *words, const struct settings *now, struct buf *text,
			     struct err *err)
{
	(void)arg;
	return cmd_shell_add_help(words, now, text) ? 0 : err_set(err, ERR_USAGE, "Unknown command: %s", words);
}

static int shell_screen_parse_size(const char *text, int *width, int *height)
{
	char end;

	if (sscanf(text, "%dx%d%c", width, height, &end) != 2 || *width < 1 || *height < 1 || *width > SIZE_MAX_CELLS ||
	    *height > SIZE_MAX_CELLS)
		return say_error("--size=%s: expected WIDTHxHEIGHT, each from 1 to %d", text, SIZE_MAX_CELLS);
	return STATUS_FINE;
}

static int parse_palette(const char *text, int *palette)
{
	static const char *const names[] = {
		[PALETTE_NONE] = "none", [PALETTE_16] = "16", [PALETTE_256] = "256", [PALETTE_TRUE] = "true"
	};

	*palette = -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(text, names[i]) == 0)
			*palette = (int)i;
	if (*palette < 0 && strcmp(text, "auto") != 0)
		return say_error("--colors=%s: choose none, 16, 256, true or auto", text);
	return STATUS_FINE;
}

/* Find the file of view preferences. Returns false without a home folder. */
static bool find_preferences(struct buf *path)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		buf_addf(path, "%s/cpa/shell", config);
	else if (home && *home == '/')
		buf_addf(path, "%s/.config/cpa/shell", home);
	return path->len > 0;
}

static int play_keys(const struct args *a, struct context *context, const struct shell_options *open, int width,
		     int height)
{
	struct buf out = { 0 };
	struct err err;
	int rc, status = STATUS_FINE;

	say_redirect(&context->pending);
	rc = shell_play(open, a->q.keys, width, height, a->q.looks, &out, &err);
	say_redirect(NULL);
	if (rc < 0)
		status = say_error("%s", err.msg);
	else if (io_write_fd(STDOUT_FILENO, buf_text(&out), out.len, &err) < 0)
		status = say_error("standard output: %s", err.msg);
	buf_release(&out);
	return status;
}

/* Run on the terminal. Only this mode uses history and preferences; --keys does not. */
static int run_screen(struct context *context, struct shell_options *open)
{
	struct buf path = { 0 };
	struct err err;
	int rc;

	open->host.history = add_history;
	open->host.add_history = append_history;
	open->prefs_path = find_preferences(&path) ? path.data : NULL;
	say_redirect(&context->pending);
	rc = shell_run(open, &err);
	say_redirect(NULL);
	buf_release(&path);
	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}

int cmd_shell_screen(const struct args *a, struct load_result *loaded)
{
	struct context context = { .a = a, .loaded = loaded };
	const struct side_sources *base = &loaded->from[SIDE_BASE];
	const struct load_request request = cmd_report_request(a);
	struct shell_options open = { .q = &a->q,
				      .views = shell_views,
				      .line = "top",
				      .sources = loaded->from,
				      .binary = loaded->set[SIDE_NEW].binary,
				      .host = { .arg = &context,
						.run = shell_screen_run,
						.edit = shell_screen_edit,
						.help = shell_screen_help },
				      .reload = sources_can_reload(&request) ? &request : NULL,
				      .mouse = !a->q.no_mouse,
				      .color = say_wants_color(STDOUT_FILENO, a->q.color) };
	int width = 0, height = 0, status;

	if (parse_palette(a->q.colors, &open.palette) != STATUS_FINE ||
	    (*a->q.keys && shell_screen_parse_size(a->q.size, &width, &height) != STATUS_FINE))
		return STATUS_TROUBLE;
	open.data = mem_zalloc(1, sizeof(*open.data));
	*open.data = (struct shell_data){ .p = loaded->profile,
					  .sides = loaded->sides ? loaded->sides : loaded->profile,
					  .change = loaded->profile,
					  .has_base = base->n > 0,
					  .is_change = base->n > 0 };
	loaded->profile = loaded->sides = NULL;
	status = *a->q.keys ? play_keys(a, &context, &open, width, height) : run_screen(&context, &open);
	buf_release(&context.pending);
	return status;
}
