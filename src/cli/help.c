/*
 * help.c - help, with examples first, from the option table
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reports.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/messages.h"
#include "cli/run/options.h"

#include <stdio.h>
#include <string.h>

static const char examples[] =
	"cpa - what takes the time and the memory, from a profile\n"
	"\n"
	"Examples\n"
	"  cpa top cpu.pb.gz                      functions by their own time\n"
	"  cpa top -cum -nodecount=20 cpu.pb.gz   by the time of all they call, 20 rows\n"
	"  cpa top -lines heap.pb.gz              source lines instead of functions\n"
	"  cpa top -sample_index=alloc_space heap.pb.gz\n"
	"  cpa peek 'json.Marshal' cpu.pb.gz      who calls it, and what does it call\n"
	"  cpa top -focus=handler cpu.pb.gz       only what runs below a handler\n"
	"  cpa diff old.pb.gz new.pb.gz           before, after and change of each function\n"
	"  cpa -top -base=a.pb.gz b.pb.gz         what is new in b, as with go tool pprof\n"
	"  cpa gate -base=old.pb.gz new.pb.gz     for CI: exit status 1 when a function became slower\n"
	"  cpa trend heap.*.pb.gz                 what grows from each profile to the next\n"
	"  cpa merge -o all.pb.gz 'prof/*.pb.gz'  one profile of many\n"
	"  cpa flame -o cpu.svg cpu.pb.gz         a flame graph; .html, .pdf and .png too\n"
	"  cpa flame -o diff.html -base=old.pb.gz new.pb.gz   what grew and what shrank\n"
	"  cpa svg -o calls.svg cpu.pb.gz         a picture of the call graph\n"
	"  cpa top --json cpu.pb.gz               for a program; --csv and --markdown too\n"
	"  cpa top -seconds=5 localhost:6060      what a server does now\n"
	"  cpa list parse ./server cpu.pb.gz      its source, line by line; disasm for instructions\n"
	"  cpa bundle -o all.pb.gz cpu.pb.gz      names and source in one file, to read elsewhere\n"
	"  cpa cpu.pb.gz                          a prompt for all of these; man cpa-shell\n"
	"  cpa record -- make -j4                 run it, and print what took most, of all that it started\n"
	"  cpa run --heap=heap.pb.gz -- ./server  profiles of a program that has no profiler\n"
	"  cpa run --profile-port=7777 ./server   and ask it while it runs: cpa top localhost:7777\n"
	"  cpa snapshot -o prof/v1.4 localhost:6060   all profiles of a server, as files\n"
	"  cpa threads 4711                       where the threads of a process are now\n"
	"  cpa top a.pb.gz b.pb.gz c.pb.gz        several profiles, added up\n"
	"  cpa -top -cum ./server cpu.pb.gz       as with go tool pprof\n"
	"\n"
	"Usage: cpa COMMAND [OPTION]... [BINARY] SOURCE...\n"
	"SOURCE is a file with a profile (profile.proto or a legacy format), the address of a server\n"
	"(http://, https://, unix:/SOCKET:/PATH, HOST:PORT), or - for standard input.\n"
	"Options may stand anywhere and begin with - or --; commands may be given as options.\n";

static void print_commands(void)
{
	puts("\nCommands");
	for (size_t i = 0; i < n_reports; i++)
		printf("  %-24s %s\n", reports[i].name, reports[i].help);
	for (size_t i = 0; i < n_commands; i++)
		printf("  %-24s %s\n", commands[i].name, commands[i].help);
}

static void name_option(const struct opt *o, char shown[2 * OPT_NAME_MAX])
{
	char name[OPT_NAME_MAX];

	snprintf(shown, 2 * OPT_NAME_MAX, "%s%s%s%s", o->own ? "--" : "-", opt_shown(o, name), o->arg ? "=" : "",
		 o->arg ? o->arg : "");
}

static void print_option(const struct opt *o)
{
	char shown[2 * OPT_NAME_MAX];

	name_option(o, shown);
	printf("  %-24s %.*s\n", shown, (int)strcspn(o->help, "\n"), o->help);
}

/* Words behind the names of options, on as many lines of 80 columns as it takes. Gives the column. */
static size_t print_words(const char *text, size_t column)
{
	enum { START = 27, END = 80 };
	bool is_end = false; /* of a line of the text */

	while (*text) {
		size_t n = strcspn(text, " \n");
		bool breaks = column > START && (column + 1 + n > END || is_end);

		if (breaks)
			printf("\n%*s", START, "");
		else
			printf("%*s", column < START ? (int)(START - column) : 1, "");
		column = (breaks || column < START ? START : column + 1) + n;
		printf("%.*s", (int)n, text);
		is_end = text[n] == '\n';
		text += n + (text[n] != 0);
	}
	return column;
}

/* All that is known of an option, and its default. */
static void print_whole_option(const struct opt *o)
{
	char shown[2 * OPT_NAME_MAX], preset[120];
	size_t column;

	name_option(o, shown);
	column = (size_t)printf("  %-24s", shown);
	column = print_words(o->help, column);
	if (o->preset && *o->preset && !opt_is_flag(o) && strlen(o->preset) < 20) {
		snprintf(preset, sizeof(preset), "(default %s)", o->preset);
		print_words(preset, column);
	}
	putchar('\n');
}

static void print_group(int group)
{
	printf("\n%s\n", query_group_title[group]);
	for (size_t i = 0; i < query_n_options; i++)
		if (query_options[i].group == group)
			print_option(&query_options[i]);
}

static void print_options(void)
{
	for (int g = 0; g < N_GROUPS; g++)
		print_group(g);
	puts("\nExit status: 0 fine, 2 trouble (the message is on standard error); of gate 1 for FAIL, too.\n"
	     "More: man cpa, cpa help WORD.");
}

/* The lines of the examples that use a command. */
static void print_examples(const char *command)
{
	size_t n = strlen(command);

	for (const char *line = examples; *line; line += strcspn(line, "\n") + 1) {
		const char *at = strstr(line, "cpa ");
		size_t len = strcspn(line, "\n");

		if (!starts_with(line, "  ") || !at || at > line + len)
			continue;
		at += strlen("cpa ");
		at += *at == '-';
		if (strncmp(at, command, n) == 0 && at[n] == ' ')
			printf("%.*s\n", (int)len, line);
	}
}

/* The options that a report alone has. */
static void print_own(const struct report_type *t)
{
	if (t->options == GROUP_REPORT)
		return;
	printf("\n%s\n", query_group_title[t->options]);
	for (size_t i = 0; i < query_n_options; i++)
		if (query_options[i].group == (int)t->options)
			print_whole_option(&query_options[i]);
}

static void help_report(const struct report_type *t)
{
	printf("cpa %s %s\n  %s\n", t->name, t->arguments, t->help);
	print_examples(t->name);
	print_own(t);
	if (t->more_help)
		puts(t->more_help);
	printf("%s: cpa --help; all about it: man cpa\n",
	       t->options != GROUP_REPORT ? "\nOptions of all reports" : "Options");
}

static void help_command(const struct command *c)
{
	printf("cpa %s %s\n  %s\n", c->name, c->arguments, c->help);
	print_examples(c->name);
	puts("Options: cpa --help; all about it: man cpa");
}

/* An option of cpa run, or of cpa record alone. Gives false when it is none. */
static bool help_run_option(const char *word)
{
	for (int which = COMMAND_RUN; which <= COMMAND_RECORD; which++) {
		const struct opt *o = cmd_run_option((enum run_command)which, word, strlen(word));
		const char *command = cmd_run_command_name((enum run_command)which);

		if (!o)
			continue;
		printf("An option of cpa %s\n", command);
		print_option(o);
		printf("All of them: cpa %s --help\n", command);
		return true;
	}
	return false;
}

static int help_word(const char *word)
{
	size_t n;
	const struct report_type *t;
	const struct command *c;
	const struct opt *o;
	const char *near;

	word += strspn(word, "-");
	n = strlen(word);
	t = reports_find(word, n);
	c = args_command(word, n);
	o = opt_find(query_options, query_n_options, word, n);
	if (t)
		help_report(t);
	if (c)
		help_command(c);
	if (o) {
		print_option(o);
		for (const char *more = strchr(o->help, '\n'); more; more = strchr(more + 1, '\n'))
			printf("  %-24s %.*s\n", "", (int)strcspn(more + 1, "\n"), more + 1);
		if (o->preset && *o->preset && !opt_is_flag(o))
			printf("  %-24s default: %s\n", "", o->preset);
	}
	if (t || c || o || help_run_option(word))
		return STATUS_FINE;
	near = args_suggest(word, true, true);
	return *near ? say_error("no help on \"%s\"; did you mean %s?", word, near)
		     : say_error("no help on \"%s\"", word);
}

int cmd_help(const struct args *a)
{
	int status = STATUS_FINE;

	for (size_t i = 0; i < a->n_words; i++)
		if (help_word(a->word[i]) != STATUS_FINE)
			status = STATUS_TROUBLE;
	if (a->n_words)
		return status;
	if (a->report && a->report->options != GROUP_REPORT) /* cpa gate --help */
		return help_word(a->report->name);
	fputs(examples, stdout);
	print_commands();
	print_options();
	return STATUS_FINE;
}

int cmd_version(const struct args *a)
{
	(void)a;
	puts(PACKAGE_STRING);
	return STATUS_FINE;
}
