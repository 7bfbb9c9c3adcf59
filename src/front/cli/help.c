/*
 * help.c - help, generated from the tables of commands, reports and options
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reports.h"
#include "base/buf.h"
#include "base/str.h"
#include "front/cli/cmd.h"
#include "front/cli/help_text.h"
#include "front/cli/hints.h"
#include "front/cli/messages.h"
#include "front/cli/pager.h"
#include "formats/formats.h"
#include "sinks/kinds/kinds.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Columns: where the text about a name begins, in lists of commands and of options, and the end of a line. */
enum { COMMAND_COLUMN = 14, COMMON_COLUMN = 22, TEXT_COLUMN = 27, EXAMPLE_COLUMN = 44, END_COLUMN = 80 };

static const char *const command_group_title[N_COMMAND_GROUPS] = {
	[COMMAND_GROUP_MAIN] = "Options",
	[COMMAND_GROUP_PROCESSES] = "Running processes",
	[COMMAND_GROUP_FILES] = "Profiles to write",
	[COMMAND_GROUP_SAMPLING] = "Sampling",
	[COMMAND_GROUP_SERVER] = "Serving profiles",
	[COMMAND_GROUP_FETCH] = "Fetching from servers",
};

/* Print words from this column on, wrapped; further lines begin at indent. Returns the column after the last word. */
static size_t print_words(const char *text, size_t column, size_t indent)
{
	bool is_end = false; /* does the first line, or a sentence at the end of a line, end here? */
	const char *first = text;

	while (*text) {
		size_t n = strcspn(text, " \n"), gap = column > indent;
		bool breaks = column > indent && (column + gap + n > END_COLUMN || is_end);

		if (breaks)
			putchar('\n');
		if (breaks || column < indent)
			printf("%*s", (int)(breaks ? indent : indent - column), "");
		else if (gap)
			putchar(' ');
		column = (breaks || column < indent ? indent : column + gap) + n;
		printf("%.*s", (int)n, text);
		is_end = text[n] == '\n' && (!memchr(first, '\n', (size_t)(text - first)) || (n && text[n - 1] == '.'));
		text += n + (text[n] != 0);
	}
	return column;
}

/* Print a name and its text, which begins on the next line if the name is long. Returns the column after the text. */
static size_t print_entry(const char *name, const char *text, size_t text_column)
{
	size_t column = (size_t)printf("  %s", name);

	if (column >= text_column) {
		putchar('\n');
		column = 0;
	}
	return print_words(text, column, text_column);
}

/* ---- options ---- */

static void name_option(const struct opt *o, char shown[3 * OPT_NAME_MAX])
{
	char name[OPT_NAME_MAX];
	const char *dash = o->is_ours && o->name[1] ? "--" : "-";

	snprintf(shown, 3 * OPT_NAME_MAX, "%s%s%s%s%s", dash, opt_display_name(o, name),
		 !o->arg               ? ""
		 : o->kind == OPT_MODE ? "[="
				       : "=",
		 o->arg ? o->arg : "", o->arg && o->kind == OPT_MODE ? "]" : "");
}

/* Print an option, its complete help, and its default. */
static void print_option(const struct opt *o)
{
	enum { DEFAULT_MAX = 20 };
	const char *text = o->default_text;
	char shown[3 * OPT_NAME_MAX], value[OPT_NAME_MAX];
	size_t column;

	name_option(o, shown);
	column = print_entry(shown, o->help, TEXT_COLUMN);
	if (text && *text && strcmp(text, "-1") != 0 && !opt_is_flag(o) && strlen(text) < DEFAULT_MAX) {
		snprintf(value, sizeof(value), "(default %s)", text);
		print_words(value, column, TEXT_COLUMN);
	}
	putchar('\n');
}

/* Is it only the short form of another option of the table? */
static bool is_short_form(const struct opt *o)
{
	return o->name[1] == 0;
}

/* Should an option of reports be printed? */
typedef bool option_filter_fn(const struct opt *o, const struct report_type *t);

static bool any_option(const struct opt *o, const struct report_type *t)
{
	(void)o;
	(void)t;
	return true;
}

static bool option_of_report(const struct opt *o, const struct report_type *t)
{
	return reports_takes_option(t, o);
}

static bool option_of_shell(const struct opt *o, const struct report_type *t)
{
	(void)t;
	return !reports_owns_group(o->group) && strcmp(o->name, "all") != 0 && strcmp(o->name, "version") != 0;
}

static void print_group(int group, option_filter_fn *filter, const struct report_type *t)
{
	const struct opt *own;
	bool has_title = false;

	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		if (o->group != group || !filter(o, t))
			continue;
		if (!has_title)
			printf("\n%s\n", query_group_title[group]);
		has_title = true;
		print_option(t ? help_text_option(t, o) : o);
	}
	for (size_t i = 0; t && has_title && (own = help_text_own_option(t, i)); i++)
		if (own->group == group)
			print_option(own);
}

/* Print the options of a report by group, beginning with the group first. t is NULL if there is no single report. */
static void print_options(enum query_group first, option_filter_fn *filter, const struct report_type *t)
{
	if (first != GROUP_REPORT)
		print_group((int)first, filter, t);
	for (int g = 0; g < N_GROUPS; g++)
		if (first == GROUP_REPORT || g != (int)first)
			print_group(g, filter, t);
}

/* Print the options of a command that is not a report. */
static void print_own_options(const struct command *c)
{
	const struct opt *o;

	for (int g = 0; g < N_COMMAND_GROUPS; g++) {
		bool has_title = false;

		for (size_t i = 0; (o = c->option(i)); i++) {
			if (o->group != g || is_short_form(o))
				continue;
			if (!has_title)
				printf("\n%s\n", command_group_title[g]);
			has_title = true;
			print_option(o);
		}
	}
}

/* ---- commands ---- */

/* "COMMAND LINE\tMEANING\n" */
static void print_example(const char *line)
{
	size_t n = strcspn(line, "\t\n"), n_meaning = line[n] == '\t' ? strcspn(line + n + 1, "\n") : 0;
	size_t column = 2 + n + 2 > EXAMPLE_COLUMN ? 2 + n + 2 : EXAMPLE_COLUMN;

	if (n_meaning == 0)
		printf("  %.*s\n", (int)n, line);
	else if (column + n_meaning <= END_COLUMN)
		printf("  %-*.*s%.*s\n", (int)column - 2, (int)n, line, (int)n_meaning, line + n + 1);
	else
		printf("  %.*s\n      %.*s\n", (int)n, line, (int)n_meaning, line + n + 1);
}

static void print_examples(const struct help_text *text)
{
	puts("\nExamples");
	for (const char *line = text->examples; *line; line += strcspn(line, "\n") + 1)
		print_example(line);
}

/* "Usage: cpa NAME ARGUMENTS", what the command does, and examples. */
static void print_head(const char *name, const char *arguments, const char *help, const struct help_text *text)
{
	printf("Usage: cpa%s%s%s%s\n\n  %s\n", *name ? " " : "", name, *arguments ? " " : "", arguments, help);
	if (text->about) {
		putchar('\n');
		print_words(text->about, 0, 0);
		putchar('\n');
	}
	print_examples(text);
}

static void print_tail(const struct help_text *text)
{
	puts("\nExit status");
	fputs("  ", stdout);
	print_words(text->status ? text->status : "0 on success, 2 on error.", 2, 2);
	printf("\n\nManual: man cpa%s", text->manual ? ", " : "");
	for (const char *at = text->manual; at && *at; at += strcspn(at, "(") + 3)
		printf("man %.*s", (int)strcspn(at, "("), at);
	putchar('\n');
}

static void help_report(const struct report_type *t)
{
	const struct help_text *text = help_text_find(t->name);

	print_head(t->name, t->arguments, t->help, text);
	print_options(t->options, option_of_report, t);
	print_tail(text);
}

static void help_command(const struct command *c)
{
	const struct help_text *text = help_text_find(c->name);

	print_head(c->name, c->arguments, c->help, text);
	if (c->option)
		print_own_options(c);
	print_tail(text);
}

static const char shell_arguments[] = "[OPTION]... [BINARY] SOURCE...";
static const char shell_help[] = "explore profiles interactively";

static void help_shell(void)
{
	const struct help_text *text = help_text_find("shell");

	print_head("", shell_arguments, shell_help, text);
	print_options(GROUP_SHELL, option_of_shell, NULL);
	print_tail(text);
}

static void help_web(void)
{
	static const struct help_text text = {
		.about = "Opens a browser with pages for the profiles: flame graph, call graph, tables, source, "
			 "comparisons. "
			 "Without SOURCE the first page takes profiles that are dropped on it. Options of reports are "
			 "the "
			 "initial settings of the pages. -http=: uses localhost and a free port. Ctrl-C ends the "
			 "server.",
		.examples = "cpa -http=: cpu.pb.gz\n"
			    "cpa -http=:\tdrop profiles on the page\n"
			    "cpa -http=: -base=old.pb.gz new.pb.gz\tcompare two profiles\n"
			    "cpa -http=: localhost:6060\tprofile a server first\n"
			    "cpa -http=: prof/\tchoose from the files of a folder\n"
			    "cpa -http=: store:shop\tchoose a window of a store\n"
			    "cpa -http=0.0.0.0:8080 --http-secret=new cpu.pb.gz\tother machines may connect\n",
		.status = "2 on error; 130 or 143 when ended by a signal.\n",
	};

	print_head("-http=HOST:PORT", "[OPTION]... [BINARY] [SOURCE...]", "serve a web UI", &text);
	print_group(GROUP_WEB, any_option, NULL);
	print_tail(&text);
	puts("The help page of the web UI (key ?) explains views and keys; docs/web.md has addresses and limits.");
}

static int print_help_of(const void *name)
{
	help_command(args_command(name, strlen(name)));
	return STATUS_FINE;
}

void cmd_help_command(const char *name)
{
	pager_print(print_help_of, name, NULL);
}

/* ---- the overview ---- */

static const char *one_line(const char *name)
{
	const struct report_type *t = reports_find(name, strlen(name));
	const struct command *c = args_command(name, strlen(name));

	return t ? t->help : c ? c->help : shell_help;
}

/* Print the remaining commands on one line. */
static void print_others(enum help_job job)
{
	size_t at = 0; /* column; 0: none was printed yet */

	for (size_t i = 0; i < n_help_texts; i++) {
		size_t n = strlen(help_texts[i].name);

		if (help_texts[i].job != job || help_texts[i].is_main)
			continue;
		if (at + n + 3 > END_COLUMN)
			printf(",\n%*s", COMMAND_COLUMN, "");
		else
			printf("%s", at ? ", " : "  others      ");
		printf("%s", help_texts[i].name);
		at = (at == 0 || at + n + 3 > END_COLUMN ? COMMAND_COLUMN : at + 2) + n;
	}
	if (at)
		putchar('\n');
}

static void print_job(enum help_job job)
{
	printf("\n%s\n", help_job_title[job]);
	for (size_t i = 0; i < n_help_texts; i++) {
		const struct help_text *text = &help_texts[i];

		if (text->job != job || !text->is_main)
			continue;
		if (strcmp(text->name, "shell") == 0)
			print_entry("(none)", one_line(text->name), COMMAND_COLUMN);
		else
			print_entry(text->name, one_line(text->name), COMMAND_COLUMN);
		putchar('\n');
	}
	print_others(job);
}

static void help_overview(void)
{
	static const char *const common[] = { "cum",  "nodecount", "focus", "ignore", "sample_index",
					      "base", "seconds",   "json",  "output", "http" };

	puts("cpa shows where a program spends CPU time and memory.\n"
	     "\n"
	     "Usage: cpa COMMAND [OPTION]... [BINARY] SOURCE...\n"
	     "\n"
	     "SOURCE is a profile in any format, - for standard input, a server (HOST:PORT,\n"
	     "URL, unix:/SOCKET:/PATH), a process (pid:4711), or a store (store:SERVICE@-1h).");
	for (int job = 0; job < JOB_HELP; job++)
		print_job((enum help_job)job);
	puts("\nCommon options");
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
		const struct opt *o = opt_find(query_options, query_n_options, common[i], strlen(common[i]));
		char shown[3 * OPT_NAME_MAX];

		/* print only the first clause of the help, on one line */
		name_option(o, shown);
		printf("  %-*s%.*s\n", COMMON_COLUMN - 2, shown, (int)strcspn(o->help, ",;\n"), o->help);
	}
	puts("\ncpa help COMMAND explains a command, cpa help -OPTION an option; cpa help all\n"
	     "lists everything. See also: man cpa, cpa version, cpa help completion.");
}

static void print_command(const char *name, const char *argument, const char *help)
{
	char shown[3 * OPT_NAME_MAX];

	snprintf(shown, sizeof(shown), "%s%s", name, argument);
	print_entry(shown, help, TEXT_COLUMN);
	putchar('\n');
}

static void help_all(void)
{
	puts("Usage: cpa COMMAND [OPTION]... [BINARY] SOURCE...\n"
	     "       cpa [OPTION]... [BINARY] SOURCE...     (without a command: explore)\n"
	     "\n"
	     "SOURCE is a file with a profile (profile.proto or a legacy format, detected\n"
	     "from the content), the address of a server (http://, https://,\n"
	     "unix:/SOCKET:/PATH, HOST:PORT), a running process (pid:4711), which is sampled\n"
	     "for 10 s or -seconds, or - for standard input. BINARY is the program that was\n"
	     "profiled; it is needed for profiles without function names.\n"
	     "The command comes first. Options may follow sources; they begin with - or --,\n"
	     "and take a value as -name=value or -name value. As with go tool pprof, a\n"
	     "command can be an option: cpa -top cpu.pb.gz.\n"
	     "\nExamples");
	for (size_t i = 0; i < n_help_texts; i++)
		if (help_texts[i].is_main)
			print_example(help_texts[i].examples);
	puts("\nCommands");
	for (size_t i = 0; i < n_reports; i++)
		print_command(reports[i].name, reports_takes_pattern(&reports[i]) ? " REGEX" : "", reports[i].help);
	for (size_t i = 0; i < n_commands; i++)
		print_command(commands[i].name, "", commands[i].help);
	print_options(GROUP_REPORT, any_option, NULL);
	puts("\nExit status\n  0 on success, 2 on error. gate: 1 FAIL, 3 INCONCLUSIVE.\n\nManual: man cpa");
}

/* ---- cpa help formats ---- */

/* Print a format: names, help, and in further lines what else the table has. */
static void print_format(const struct file_format *f)
{
	struct buf text = { 0 };

	buf_addf(&text, "%s.", f->help);
	if (f->other_names)
		buf_addf(&text, " Also called: %s.", f->other_names);
	if (f->endings)
		buf_addf(&text, " Usual names: %s.", f->endings);
	if (f->loses)
		buf_addf(&text, " %s", f->loses);
	if (f->convert)
		buf_addf(&text, " Convert it with: %s", f->convert);
	if (f->report)
		buf_addf(&text, " Written by cpa %s.", f->report);
	print_entry(f->name, buf_text(&text), TEXT_COLUMN);
	putchar('\n');
	buf_release(&text);
}

static void print_formats(const char *title, bool is_read)
{
	puts(title);
	for (size_t i = 0; i < n_formats; i++)
		if (formats[i].name && (formats[i].read != NULL) == is_read)
			print_format(&formats[i]);
}

static void help_formats(void)
{
	puts("The format of a source is detected from its content, never from its name, after\n"
	     "unpacking gzip, zstd or LZ4. --input-format=NAME is for content that is\n"
	     "ambiguous; --format=NAME is the same, except for flame.\n");
	print_formats("Read", true);
	print_formats("\nRecognized, but not read", false);
}

/* ---- cpa help sinks ---- */

static void help_sinks(void)
{
	puts("Systems that profiles can be sent to, with sink lines of collect.cpa and cpa push.\n"
	     "A URL begins with one of the prefixes; docs/connectors.md has the rules of each.\n");
	for (size_t i = 0; sink_kinds[i]; i++) {
		print_entry(sink_kinds[i]->name, sink_kinds[i]->help, COMMAND_COLUMN);
		for (size_t k = 0; sink_kinds[i]->prefix[k]; k++)
			printf("\n%*s%s%s", COMMAND_COLUMN, "", sink_kinds[i]->prefix[k],
			       ends_with(sink_kinds[i]->prefix[k], "//") ? "HOST" : "SOCKET");
		putchar('\n');
	}
}

/* ---- cpa help WORD ---- */

/* Explain an option of commands that are not reports. Returns false if no command has it. */
static bool help_own_option(const char *word)
{
	const struct opt *o;
	bool is_found = false;

	for (size_t i = 0; i < n_commands; i++) {
		for (size_t k = 0; commands[i].option && (o = commands[i].option(k)); k++) {
			if (is_short_form(o) || opt_find(o, 1, word, strlen(word)) != o)
				continue;
			printf("Option of cpa %s:\n", commands[i].name);
			print_option(o);
			is_found = true;
		}
	}
	return is_found;
}

/* Explain an option. Returns false if there is no option of that name. */
static bool help_option(const char *word)
{
	const struct opt *o = opt_find(query_options, query_n_options, word, strlen(word));
	bool is_own = false;

	if (o)
		print_option(o);
	is_own = help_own_option(word);
	return o || is_own;
}

/* Explain a command. Returns false if there is no command of that name. */
static bool help_topic(const char *word)
{
	const struct report_type *t = reports_find(word, strlen(word));
	const struct command *c = args_command(word, strlen(word));

	if (t)
		help_report(t);
	else if (c)
		help_command(c);
	else if (strcmp(word, "shell") == 0)
		help_shell();
	else if (strcmp(word, "http") == 0)
		help_web();
	else if (strcmp(word, "formats") == 0)
		help_formats();
	else if (strcmp(word, "sinks") == 0)
		help_sinks();
	else if (strcmp(word, "all") == 0)
		help_all();
	else
		return false;
	return true;
}

static int help_word(const char *word)
{
	struct err err;
	bool is_option = *word == '-' && strcmp(word, "--help") != 0;

	word += strspn(word, "-");
	if ((!is_option && help_topic(word)) || help_option(word) || (is_option && help_topic(word)))
		return STATUS_FINE;
	hint_help(word, &err);
	return say_error("%s", err.msg);
}

/* cpa help WORD... */
static int help_words(const struct args *a)
{
	int status = STATUS_FINE;

	for (size_t i = 0; i < a->n_words; i++) {
		if (i > 0)
			putchar('\n');
		if (help_word(a->word[i]) != STATUS_FINE)
			status = STATUS_TROUBLE;
	}
	if (a->n_words == 0)
		help_overview();
	return status;
}

static int print_help(const void *arg)
{
	const struct args *a = arg;

	if (!a->q.help)
		return help_words(a);
	/* COMMAND --help: other words of the command line do not matter */
	if (a->report)
		help_report(a->report);
	else if (a->command)
		help_command(a->command);
	else if (a->n_words == 0 || access(a->word[0], F_OK) == 0)
		help_overview();
	else
		return help_word(a->word[0]);
	return STATUS_FINE;
}

int cmd_help(const struct args *a)
{
	return pager_print(print_help, a, &a->q);
}
