/*
 * complete.c - complete the last word of a command line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/complete.h"

#include "answer/reports.h"
#include "base/str.h"
#include "base/utf8.h"
#include "front/cli/args.h"
#include "front/cli/cmd.h"
#include "front/cli/help_text.h"
#include "formats/formats.h"
#include "sources/read.h"
#include "sources/stored_browse.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A command line, parsed for completion. */
struct complete_line {
	const char *const *word; /* [n] */
	size_t n;
	const char *last;                 /* word[n - 1] */
	const struct report_type *report; /* the report before the last word; NULL: none */
	const struct command *command;    /* the command before the last word; NULL: none */
	const char *subcommand;           /* the first word that n_arguments counts; NULL: none */
	size_t n_arguments;     /* number of words before the last, without options, their values and the command */
	const struct opt *open; /* option whose value is the last word; NULL: none */
	bool is_after_dashes;   /* the last word is after -- */
	struct buf *out;
};

/* Append the candidate before + word + after if the last word is a prefix of it; - and _ are equal in names. */
static void cli_complete_add(struct complete_line *l, const char *before, const char *word, const char *after,
			     const char *help)
{
	struct buf text = { 0 };
	size_t n = strlen(l->last);

	buf_addf(&text, "%s%s%s", before, word, after);
	if (n > text.len || (n == text.len && *after)) {
		buf_release(&text);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		char a = text.data[i], b = l->last[i];

		if (a != b && !((a == '-' || a == '_') && (b == '-' || b == '_') && i > 1)) {
			buf_release(&text);
			return;
		}
	}
	memcpy(text.data, l->last, n);
	buf_addf(l->out, "%s\t%.*s\n", text.data, (int)strcspn(help, "\n"), help);
	buf_release(&text);
}

/* ---- values of options ---- */

/* Add the words of a list separated by this character, such as "auto|light|dark". */
static void add_choices(struct complete_line *l, const char *before, const char *choices, char separator)
{
	const char *const end = choices + strlen(choices);

	while (choices < end) {
		const char *next = memchr(choices, separator, (size_t)(end - choices));
		char word[64];

		next = next ? next : end;
		snprintf(word, sizeof(word), "%.*s", (int)(next - choices), choices);
		/* words in capitals in opt.arg are placeholders */
		if (separator != '|' || word[strcspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ[")] == '\0')
			cli_complete_add(l, before, word, "", "");
		else if (starts_with(word, "label:"))
			cli_complete_add(l, before, "label:", "", "");
		choices = next + 1;
	}
}

/* Is this label key or sample type readable, and a word without quotes? */
static bool cli_complete_is_plain(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !memchr("_-./:@%+", name[i], 8))
			return false;
	return n > 0;
}

/* Is this name of a function readable, and not an option or a line with a meaning for the scripts? */
static bool cli_complete_is_readable(const char *name, size_t n)
{
	struct buf safe = { 0 };
	bool is_safe;

	utf8_add_safe(&safe, name, n);
	is_safe = n > 0 && safe.len == n && memcmp(safe.data, name, n) == 0 && !memchr("-:", *name, 2) &&
		  !memchr(name, '\t', n);
	buf_release(&safe);
	return is_safe;
}

/*
 * Add a function as a regular expression, in which . remains, as it is easier to read. The scripts quote it for their
 * shell. The last word may be the start of the expression or of the name.
 */
static void cli_complete_add_function(struct complete_line *l, const char *before, const char *name, size_t n)
{
	const char *typed = starts_with(l->last, before) ? l->last + strlen(before) : "";
	struct buf word = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (strchr("\\()[]{}*+?|^$", name[i]))
			buf_addz(&word, "\\");
		buf_add(&word, &name[i], 1);
	}
	if (strlen(typed) <= n && memcmp(typed, name, strlen(typed)) == 0)
		buf_addf(l->out, "%s%s\t\n", before, buf_text(&word));
	else
		cli_complete_add(l, before, buf_text(&word), "", "");
	buf_release(&word);
}

/* Names of a profile. */
enum complete_names { NAMES_TYPES, NAMES_KEYS, NAMES_FUNCTIONS };

/* Add the names of the first profile on the command line. */
static void add_profile_names(struct complete_line *l, const char *before, const char *after, enum complete_names which)
{
	struct string_list list = { 0 };

	sources_add_names(l->word, l->n - 1, which == NAMES_TYPES ? &list : NULL, which == NAMES_KEYS ? &list : NULL,
			  which == NAMES_FUNCTIONS ? &list : NULL);
	for (size_t i = 0; i < list.n; i++) {
		size_t n;
		const char *name = string_list_get(&list, i, &n);
		char word[256];

		snprintf(word, sizeof(word), "%.*s", (int)n, name);
		if (which == NAMES_FUNCTIONS && cli_complete_is_readable(name, n))
			cli_complete_add_function(l, before, name, n);
		else if (which != NAMES_FUNCTIONS && cli_complete_is_plain(name, n) && n < sizeof(word))
			cli_complete_add(l, before, word, after, "");
	}
	if (which == NAMES_TYPES && list.n == 0)
		add_choices(l, before,
			    "cpu samples inuse_space inuse_objects alloc_space alloc_objects delay contentions", ' ');
	string_list_release(&list);
}

/* Append the last word up to its last separator: the complete items of a list. */
static void add_list_start(const char *last, size_t from, char separator, struct buf *out)
{
	const char *end = strrchr(last + from, separator);

	buf_add(out, last, end ? (size_t)(end - last) + 1 : from);
}

/* Read the name of a process that the user can sample. Returns false for others, kernel threads, and cpa itself. */
static bool cli_complete_read_process(const char *pid, char *name, size_t size)
{
	char path[300];
	struct stat st;
	FILE *f;
	bool has_program;

	snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
	f = fopen(path, "re");
	has_program = f && fgetc(f) != EOF;
	if (!f || fstat(fileno(f), &st) != 0)
		has_program = false;
	if (f)
		fclose(f);
	if (!has_program || (geteuid() != 0 && st.st_uid != geteuid()) || atoi(pid) == getpid())
		return false;
	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "re");
	*name = '\0';
	if (f && fgets(name, (int)size, f))
		name[strcspn(name, "\n")] = '\0';
	for (char *c = name; *c; c++) /* a process may choose any name */
		*c = (unsigned char)*c < ' ' || *c == '\177' ? '?' : *c;
	if (f)
		fclose(f);
	return true;
}

/* Add the processes of the user; before is the complete part of a list of processes. */
static void cli_complete_add_processes(struct complete_line *l, const char *before)
{
	DIR *proc = opendir("/proc");
	const struct dirent *e;

	while (proc && (e = readdir(proc))) {
		char name[64];

		if (e->d_name[strspn(e->d_name, "0123456789")] == '\0' &&
		    cli_complete_read_process(e->d_name, name, sizeof(name)))
			cli_complete_add(l, before, e->d_name, "", name);
	}
	if (proc)
		closedir(proc);
}

/* Add the processes of the user after the last comma of a list that begins at from in the last word. */
static void add_process_list(struct complete_line *l, size_t from)
{
	struct buf start = { 0 };

	add_list_start(l->last, from, ',', &start);
	cli_complete_add_processes(l, buf_text(&start));
	buf_release(&start);
}

static bool cli_complete_is_any(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(name, *words) == 0)
			return true;
	return false;
}

/* Add the formats that are read. */
static void add_formats(struct complete_line *l, const char *before)
{
	for (size_t i = 0; i < n_formats; i++)
		if (formats[i].name && formats[i].read)
			cli_complete_add(l, before, formats[i].name, "", formats[i].help);
}

/* Add values of the option. before is the text before the value in the last word: "" or "--name=". */
static void cli_complete_add_values(struct complete_line *l, const struct opt *o, const char *before)
{
	static const char *const paths[] = { "DIR", "PATH", NULL }, *const files[] = { "FILE", "SOURCE", NULL };
	const char *arg = o->arg ? o->arg : "";
	struct buf start = { 0 };

	if (strcmp(o->name, "symbolize") == 0 && !opt_is_flag(o)) {
		add_list_start(l->last, strlen(before), ':', &start);
		add_choices(l, buf_text(&start),
			    "local fastlocal remote none force demangle=full demangle=templates "
			    "demangle=none",
			    ' ');
	} else if (strcmp(o->name, "kinds") == 0) {
		add_list_start(l->last, strlen(before), ',', &start);
		add_choices(l, buf_text(&start),
			    "cpu,heap,allocs,goroutine,block,mutex,threadcreate,threads,goroutineleak", ',');
	} else if (strcmp(arg, "PID|NAME,...") == 0) {
		add_process_list(l, strlen(before));
	} else if (strcmp(arg, "KEY,...") == 0) {
		add_list_start(l->last, strlen(before), ',', &start);
		add_profile_names(l, buf_text(&start), "", NAMES_KEYS);
	} else if (strcmp(arg, "[KEY=]EXPR") == 0)
		add_profile_names(l, before, "=", NAMES_KEYS);
	else if (strcmp(arg, "label:KEY") == 0) {
		buf_addf(&start, "%slabel:", before);
		add_profile_names(l, buf_text(&start), "", NAMES_KEYS);
	} else if (strcmp(arg, "TYPE") == 0)
		add_profile_names(l, before, "", NAMES_TYPES);
	else if (strcmp(arg, "FORMAT") == 0)
		add_formats(l, before);
	else if (strcmp(arg, "REGEX") == 0)
		add_profile_names(l, before, "", NAMES_FUNCTIONS);
	else if (strcmp(o->name, "unit") == 0)
		add_choices(l, before, "minimum auto ns us ms s hrs B kB MB GB TB PB", ' ');
	else if (strcmp(o->name, "signal") == 0)
		add_choices(l, before, "PROF VTALRM STKFLT PWR", ' ');
	else if (cli_complete_is_any(arg, paths))
		buf_addz(l->out, ":folders\n");
	else if (cli_complete_is_any(arg, files))
		buf_addz(l->out, ":files\n");
	else if (o->kind == OPT_BOOL)
		add_choices(l, before, "true false", ' ');
	else
		add_choices(l, before, arg, '|');
	buf_release(&start);
}

/* ---- options ---- */

/* Does the command line accept this report option? */
static bool cli_complete_takes(const struct complete_line *l, const struct opt *o)
{
	if (l->report)
		return reports_takes_option(l->report, o);
	return !l->command && !reports_owns_group(o->group);
}

static void cli_complete_add_option(struct complete_line *l, const struct opt *o)
{
	char name[OPT_NAME_MAX];
	const char *equals = opt_is_flag(o) ? "" : "=";
	bool two = starts_with(l->last, "--") || (o->is_ours && o->name[1] && !l->last[1]);

	cli_complete_add(l, two ? "--" : "-", opt_display_name(o, name), o->name[1] ? equals : "", o->help);
}

static void cli_complete_add_options(struct complete_line *l)
{
	const struct opt *o;

	for (size_t i = 0; l->command && l->command->option && (o = l->command->option(i)); i++)
		cli_complete_add_option(l, o);
	for (size_t i = 0; i < query_n_options; i++)
		if (cli_complete_takes(l, &query_options[i]))
			cli_complete_add_option(l, l->report ? help_text_option(l->report, &query_options[i])
							     : &query_options[i]);
	for (size_t i = 0; l->report && (o = help_text_own_option(l->report, i)); i++)
		cli_complete_add_option(l, o);
	/* reports as options: cpa -top cpu.pb.gz */
	for (size_t i = 0; !l->report && !l->command && i < n_reports; i++)
		cli_complete_add(l, starts_with(l->last, "--") ? "--" : "-", reports[i].name,
				 reports_takes_pattern(&reports[i]) ? "=" : "", reports[i].help);
}

/* The option in "-name" or "--name=value"; NULL if it does not exist. */
static const struct opt *cli_complete_find_option(const struct complete_line *l, const char *word)
{
	const char *name = word + strspn(word, "-");
	size_t n = strcspn(name, "=");
	const struct opt *o;

	if (*word != '-' || n == 0)
		return NULL;
	for (size_t i = 0; l->command && l->command->option && (o = l->command->option(i)); i++)
		if (opt_find(o, 1, name, n))
			return o;
	for (size_t i = 0; l->report && (o = help_text_own_option(l->report, i)); i++)
		if (opt_find(o, 1, name, n))
			return o;
	if (n == 1 && *name == 'o')
		return opt_find(query_options, query_n_options, "output", strlen("output"));
	o = opt_find(query_options, query_n_options, name, n);
	return o && l->report ? help_text_option(l->report, o) : o;
}

/* ---- commands and arguments ---- */

static void cli_complete_add_commands(struct complete_line *l)
{
	for (size_t i = 0; i < n_reports; i++)
		cli_complete_add(l, "", reports[i].name, "", reports[i].help);
	for (size_t i = 0; i < n_commands; i++)
		cli_complete_add(l, "", commands[i].name, "", commands[i].help);
}

static void add_help_words(struct complete_line *l)
{
	char name[OPT_NAME_MAX];

	if (*l->last == '-') {
		for (size_t i = 0; i < query_n_options; i++)
			cli_complete_add(l, query_options[i].is_ours ? "--" : "-",
					 opt_display_name(&query_options[i], name), "", query_options[i].help);
		return;
	}
	cli_complete_add_commands(l);
	cli_complete_add(l, "", "shell", "", "cpa without a command");
	cli_complete_add(l, "", "formats", "", "formats of profiles that cpa reads, writes or recognizes");
	cli_complete_add(l, "", "sinks", "", "systems that profiles can be sent to");
	cli_complete_add(l, "", "all", "", "all commands and options");
}

/* The value of an option of the command line in "--name=value" or two words; "" if it is not given. */
static const char *option_value(const struct complete_line *l, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i + 1 < l->n; i++) {
		const char *word = l->word[i] + strspn(l->word[i], "-");

		if (*l->word[i] != '-' || strncmp(word, name, n) != 0)
			continue;
		if (word[n] == '=')
			return word + n + 1;
		if (!word[n] && i + 2 < l->n)
			return l->word[i + 1];
	}
	return "";
}

/* Add each SERVICE/KIND of the store. */
static void add_selectors(struct complete_line *l, const char *before)
{
	struct query q;
	const struct stored_place place = { .where = option_value(l, "store"), .q = &q };
	struct stored_catalogue c;
	struct err err;

	query_init(&q);
	if (stored_catalogue_read(&place, &c, &err) == 0) {
		for (size_t i = 0; i < c.n; i++) {
			const struct stored_service *s = &c.service[i];

			for (size_t k = 0; k < s->n_kinds; k++) {
				char word[256];
				int n = snprintf(word, sizeof(word), "%s/%s", s->name, s->kind[k]);

				if (n > 0 && (size_t)n < sizeof(word) && cli_complete_is_plain(word, (size_t)n))
					cli_complete_add(l, before, word, "", "");
			}
		}
	}
	stored_catalogue_release(&c);
	query_release(&q);
}

/* Add subcommands of cpa store, and arguments of the subcommand that is the word before them. */
static void add_store_arguments(struct complete_line *l)
{
	const char *name, *arguments;

	for (size_t i = 0; (name = cmd_store_subcommand_at(i, &arguments)); i++) {
		bool is_named = l->subcommand && strcmp(l->subcommand, name) == 0;
		size_t at = starts_with(arguments, "NAME ") ? 2 : 1;

		if (l->n_arguments == 0)
			cli_complete_add(l, "", name, "", arguments);
		else if (is_named && strstr(arguments, "SELECTOR") && l->n_arguments == at)
			add_selectors(l, "");
		else if (is_named && starts_with(arguments, "FILE"))
			buf_addz(l->out, ":files\n");
	}
}

static void add_arguments_of_command(struct complete_line *l)
{
	const char *name = l->command->name;

	if (strcmp(name, "help") == 0)
		add_help_words(l);
	else if (strcmp(name, "completion") == 0 && l->n_arguments == 0)
		add_choices(l, "", "bash zsh fish", ' ');
	else if (strcmp(name, "run") == 0 || strcmp(name, "record") == 0)
		buf_addz(l->out, l->n_arguments == 0 ? ":programs\n" : ":files\n");
	else if (strcmp(name, "store") == 0)
		add_store_arguments(l);
	else if (strcmp(name, "doctor") == 0 && l->n_arguments == 0)
		add_choices(l, "", "slow memory threads", ' ');
	else if ((strcmp(name, "threads") == 0 && l->n_arguments == 0) || strcmp(name, "doctor") == 0) {
		cli_complete_add_processes(l, "");
		buf_addz(l->out, ":files\n");
	}
}

static void cli_complete_add_arguments(struct complete_line *l)
{
	if (l->command) {
		add_arguments_of_command(l);
		return;
	}
	if (!l->report && l->n_arguments == 0)
		cli_complete_add_commands(l);
	/* the first word may be a source too; offer files only once something is typed */
	if (!l->report && l->n == 1 && !*l->last)
		return;
	if (l->report && reports_takes_pattern(l->report) && l->n_arguments == 0) {
		if (*l->last) /* a file may come before the expression */
			buf_addz(l->out, ":files\n");
		return;
	}
	if (l->report && reports_takes_pattern(l->report) && l->n_arguments == 1)
		add_profile_names(l, "", "", NAMES_FUNCTIONS);
	if (starts_with(l->last, "store:") && !strpbrk(l->last, "#{@")) {
		add_selectors(l, "store:");
		return;
	}
	if (starts_with(l->last, "pid:") && !strchr(l->last, '?')) {
		add_process_list(l, strlen("pid:"));
		return;
	}
	if (starts_with(l->last, "http:") || starts_with(l->last, "https:") || starts_with(l->last, "unix:"))
		return;
	buf_addz(l->out, ":files\n");
}

/* ---- the command line ---- */

/* Parse a report given as option, such as -peek=REGEX. Returns false if the word is no report. */
static bool read_flag_command(struct complete_line *l, const char *word)
{
	const char *name = word + strspn(word, "-");
	size_t n = strcspn(name, "=");
	const struct report_type *t = cli_complete_find_option(l, word) ? NULL : reports_find(name, n);

	if (!t || l->report || l->command)
		return false;
	l->report = t;
	l->n_arguments += name[n] == '=' && reports_takes_pattern(t);
	return true;
}

static void cli_complete_read_word(struct complete_line *l, const char *word)
{
	if (!l->report && !l->command && l->n_arguments == 0) {
		l->report = reports_find(word, strlen(word));
		l->command = l->report ? NULL : args_command(word, strlen(word));
		if (l->report || l->command)
			return;
	}
	if (l->n_arguments == 0)
		l->subcommand = word;
	l->n_arguments++;
}

/* Is the last word an argument of the program that cpa run starts? */
static bool is_in_program(const struct complete_line *l)
{
	return l->command && l->n_arguments > 0 &&
	       (strcmp(l->command->name, "run") == 0 || strcmp(l->command->name, "record") == 0);
}

static void cli_complete_read_line(struct complete_line *l)
{
	for (size_t i = 0; i + 1 < l->n; i++) {
		const char *word = l->word[i];
		const struct opt *o = NULL;

		if (strcmp(word, "--") == 0 && !is_in_program(l)) {
			l->is_after_dashes = true;
			continue;
		}
		if (word[0] != '-' || !word[1] || l->is_after_dashes || is_in_program(l)) {
			cli_complete_read_word(l, word);
			continue;
		}
		if (read_flag_command(l, word))
			continue;
		o = cli_complete_find_option(l, word);
		if (!o || opt_is_flag(o) || strchr(word, '='))
			continue;
		if (i + 2 == l->n)
			l->open = o;
		i++;
	}
}

void completion_candidates(const char *const *word, size_t n, struct buf *out)
{
	struct complete_line l = { .word = word, .n = n, .out = out };
	const char *equals;

	if (n == 0)
		return;
	l.last = word[n - 1];
	cli_complete_read_line(&l);
	equals = strchr(l.last, '=');
	if (l.open) {
		cli_complete_add_values(&l, l.open, "");
	} else if (*l.last == '-' && !l.is_after_dashes && !is_in_program(&l) &&
		   !(l.command && strcmp(l.command->name, "help") == 0)) {
		const struct opt *o = equals ? cli_complete_find_option(&l, l.last) : NULL;
		struct buf before = { 0 };

		if (o) {
			buf_add(&before, l.last, (size_t)(equals - l.last) + 1);
			cli_complete_add_values(&l, o, buf_text(&before));
			buf_release(&before);
		} else if (!equals) {
			cli_complete_add_options(&l);
		}
	} else {
		cli_complete_add_arguments(&l);
	}
}
