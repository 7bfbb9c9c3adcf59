/*
 * shell.c - the shell, line by line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/loaded.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/messages.h"
#include "cli/report/report.h"
#include "cli/shell/editor.h"
#include "cli/shell/help.h"
#include "cli/shell/report.h"
#include "cli/shell/screen.h"
#include "session/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_LENGTH_MAX = 1 << 20 };

struct shell {
	struct loaded loaded;
	struct settings *settings;
	bool is_terminal;      /* someone types */
	struct editor *editor; /* NULL: lines are read as they come */
};

bool cmd_shell_wants_screen(const struct args *a)
{
	const char *term = getenv("TERM");

	if (*a->q.keys)
		return true;
	return !a->q.plain && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

/* Read a line of standard input, without its end. Gives false at the end of input. */
static bool read_plain(struct buf *out)
{
	size_t n = 0;
	int c;

	out->len = 0;
	buf_addz(out, "");
	while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
		char byte = (char)c;

		if (n++ < LINE_LENGTH_MAX)
			buf_add(out, &byte, 1);
	}
	if (n > LINE_LENGTH_MAX) {
		say_error("a line of more than %d bytes", LINE_LENGTH_MAX);
		out->len = 0;
		buf_addz(out, "");
	}
	return n > 0 || c != EOF;
}

static bool read_line(const struct shell *s, struct buf *out)
{
	if (s->editor) {
		enum editor_end end;

		while ((end = cmd_shell_editor_read(s->editor, out)) == EDITOR_CLEARED)
			;
		return end == EDITOR_LINE;
	}
	if (s->is_terminal)
		fputs("(cpa) ", stderr);
	if (!read_plain(out)) {
		if (s->is_terminal)
			fputs("\n", stderr);
		return false;
	}
	if (strlen(out->data) != out->len) {
		say_error("a line with a NUL in it");
		out->data[0] = 0;
	}
	return true;
}

static void tell(struct buf *text)
{
	fputs(buf_text(text), stderr);
	buf_release(text);
}

static void help(const struct shell *s, const char *words)
{
	const char *near = args_suggest(words, true, true);
	struct buf text = { 0 };

	if (cmd_shell_add_help(words, s->settings, &text))
		tell(&text);
	else
		say_error("Unknown command: %s%s%s", words, *near ? "; did you mean " : "", near);
}

/* Carry out one line. Gives false when it was the last. */
static bool run_line(struct shell *s, const char *text)
{
	struct line l;
	struct buf options = { 0 };
	struct err err;
	bool goes_on = true;

	if (line_read(text, s->settings, s->loaded.profile, &l, &err) < 0) {
		say_error("%s", err.msg);
		return true;
	}
	if (l.hint)
		say("%s", l.hint);
	switch (l.kind) {
	case LINE_NOTHING:
	case LINE_SET:
		break;
	case LINE_REPORT:
		cmd_shell_report(&s->loaded, &l, NULL, s->is_terminal);
		break;
	case LINE_OPTIONS:
		cmd_shell_add_options(s->loaded.profile, s->settings, &options);
		tell(&options);
		break;
	case LINE_HELP:
		help(s, l.words);
		break;
	case LINE_EXIT:
		goes_on = false;
	}
	line_release(&l);
	return goes_on;
}

/* Carry out a line that may be short for several. */
static bool run(struct shell *s, const char *text)
{
	struct texts lines = { 0 };
	bool goes_on = true;

	line_expand(text, s->loaded.profile, &lines);
	for (size_t i = 0; goes_on && i < lines.n; i++) {
		size_t n;
		const char *at = texts_at(&lines, i, &n);
		char *line = mem_strndup(at, n);

		goes_on = run_line(s, line);
		free(line);
	}
	texts_release(&lines);
	return goes_on;
}

static void converse(struct shell *s)
{
	struct buf line = { 0 }, greeting = { 0 };

	cmd_shell_add_greeting(s->loaded.profile, s->settings, &greeting);
	tell(&greeting);
	s->editor = s->is_terminal ? cmd_shell_editor_open(s->loaded.profile) : NULL;
	while (read_line(s, &line) && run(s, line.data))
		while (waitpid(-1, NULL, WNOHANG) > 0) /* programs that showed a picture */
			;
	cmd_shell_editor_close(s->editor);
	buf_release(&line);
}

int cmd_shell(const struct args *a)
{
	struct shell s = { .is_terminal = isatty(STDIN_FILENO) };
	struct load_request request = cmd_report_request(a);
	struct err err;
	int status;

	if (a->ignored)
		say("Multiple value selections, ignoring -%s", a->ignored);
	for (size_t i = 0; i < a->n_words; i++)
		if (strcmp(a->word[i], "-") == 0)
			return say_error("standard input is where the shell reads its commands; with a report it can "
					 "be the profile: cpa top -");
	request.keep_sides = true;
	status = answer_load(&request, &s.loaded, &err) < 0 ? say_error("%s", err.msg) : STATUS_FINE;
	if (s.loaded.profile && cmd_shell_wants_screen(a)) {
		status = cmd_shell_screen(a, &s.loaded);
	} else if (s.loaded.profile) {
		s.settings = settings_new(&a->q);
		settings_assign(s.settings, NULL, "compact_labels", "true", &err);
		converse(&s);
	}
	settings_free(s.settings);
	loaded_release(&s.loaded);
	return status;
}
