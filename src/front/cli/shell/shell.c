/*
 * shell.c - the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "front/cli/cmd.h"
#include "front/cli/hints.h"
#include "front/cli/messages.h"
#include "front/cli/report/report.h"
#include "front/cli/shell/editor.h"
#include "front/cli/shell/help.h"
#include "front/cli/shell/report.h"
#include "front/cli/shell/screen.h"
#include "session/line.h"
#include "front/shell/shell.h"
#include "sources/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_LENGTH_MAX = 1 << 20 };

struct shell_shell {
	struct load_result loaded;
	struct settings *settings;
	bool is_terminal;            /* standard input is a terminal */
	bool can_draw;               /* the terminal can move its cursor; else only plain lines are used */
	struct shell_editor *editor; /* NULL: plain lines are read */
};

/* Can the terminal move its cursor? If not, and unless --plain is given, print why there is no full screen. */
static bool find_cursor(const struct args *a)
{
	struct err err;

	if (!say_can_rewrite(STDIN_FILENO))
		return false;
	if (shell_check_terminal(&err) == 0)
		return true;
	if (!a->q.plain)
		say("%s", err.msg);
	return false;
}

static bool wants_screen(const struct shell_shell *s, const struct args *a)
{
	return *a->q.keys || (s->can_draw && !a->q.plain && isatty(STDOUT_FILENO));
}

/* Read a line of standard input without its newline. Returns false at the end of input. */
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
		say_error("ignoring a line of more than %d bytes", LINE_LENGTH_MAX);
		out->len = 0;
		buf_addz(out, "");
	}
	return n > 0 || c != EOF;
}

static bool shell_read_line(const struct shell_shell *s, struct buf *out)
{
	if (s->editor) {
		enum line_result end;

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
		say_error("ignoring a line with a NUL byte");
		out->data[0] = 0;
	}
	return true;
}

static void shell_print_text(struct buf *text)
{
	fputs(buf_text(text), stderr);
	buf_release(text);
}

static void shell_help(const struct shell_shell *s, const char *words)
{
	const char *near = hint_word(words + strspn(words, "-"), true, true);
	struct buf text = { 0 };

	if (cmd_shell_add_help(words, s->settings, &text))
		shell_print_text(&text);
	else
		say_error("Unknown command: %s%s%s", words, *near ? "; did you mean " : "", near);
}

/* Run one line. Returns false if it ends the shell. */
static bool shell_shell_run_line(struct shell_shell *s, const char *text)
{
	struct line l;
	struct buf options = { 0 };
	struct err err;
	bool continues = true;

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
		shell_print_text(&options);
		break;
	case LINE_HELP:
		shell_help(s, l.topic);
		break;
	case LINE_EXIT:
		continues = false;
	}
	line_release(&l);
	return continues;
}

/* Run a line that may expand to several. Returns false if it ends the shell. */
static bool shell_shell_run(struct shell_shell *s, const char *text)
{
	struct string_list lines = { 0 };
	bool continues = true;

	line_expand(text, s->loaded.profile, &lines);
	for (size_t i = 0; continues && i < lines.n; i++) {
		size_t n;
		const char *at = string_list_get(&lines, i, &n);
		char *line = mem_strndup(at, n);

		continues = shell_shell_run_line(s, line);
		free(line);
	}
	string_list_release(&lines);
	return continues;
}

static void run_prompt(struct shell_shell *s)
{
	struct buf line = { 0 }, greeting = { 0 };

	cmd_shell_add_greeting(s->loaded.profile, s->settings, &greeting);
	shell_print_text(&greeting);
	s->editor = s->can_draw ? cmd_shell_editor_open(s->loaded.profile) : NULL;
	while (shell_read_line(s, &line) && shell_shell_run(s, line.data))
		while (waitpid(-1, NULL, WNOHANG) > 0) /* programs that showed a picture */
			;
	cmd_shell_editor_close(s->editor);
	buf_release(&line);
}

int cmd_shell(const struct args *a)
{
	struct shell_shell s = { .is_terminal = isatty(STDIN_FILENO) };
	struct load_request request = cmd_report_request(a);
	struct err err;
	int status;

	if (a->overruled_type)
		say("Multiple value selections, ignoring -%s", a->overruled_type);
	if (*a->q.keys && (*a->q.output || a->q.shape != FORMAT_TEXT))
		return say_error("--keys prints the full screen as text, so it is not compatible with %s",
				 *a->q.output ? "-o FILE; redirect standard output" : "another output format");
	for (size_t i = 0; i < a->n_words; i++)
		if (strcmp(a->word[i], "-") == 0)
			return say_error("the shell reads commands from standard input; to read a profile from it, "
					 "use a report: cpa top -");
	s.can_draw = s.is_terminal && !*a->q.keys && find_cursor(a);
	if (s.is_terminal && !s.can_draw)
		say_disable_escapes();
	request.keep_sides = true;
	status = sources_load(&request, &s.loaded, &err) < 0 ? say_error("%s", err.msg) : STATUS_FINE;
	if (s.loaded.profile && wants_screen(&s, a)) {
		status = cmd_shell_screen(a, &s.loaded);
	} else if (s.loaded.profile) {
		s.settings = settings_new(&a->q);
		settings_assign(s.settings, NULL, "compact_labels", "true", &err);
		if (s.is_terminal && !s.can_draw && strcmp(a->q.color, "auto") == 0)
			settings_assign(s.settings, NULL, "color", "never", &err);
		run_prompt(&s);
	}
	settings_free(s.settings);
	load_result_release(&s.loaded);
	return status;
}
