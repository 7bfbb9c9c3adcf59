/*
 * hints.c - suggestions for commands and options that do not exist
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/hints.h"

#include "base/str.h"
#include "base/utf8.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "session/settings.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A word of another program or of everyday language, and its equivalent here. */
struct hints_alias {
	const char *word, *name;
};

static const char web_ui[] = "-http=:";                                  /* an option, not a command */
static const char count_events[] = "record --event=cycles,instructions"; /* perf stat PROGRAM */

/* clang-format off */
/* The equivalent "" is the shell, which has no command name. */
static const struct hints_alias foreign_commands[] = {
	{ "flamegraph", "flame" }, { "flame-graph", "flame" }, { "flamegraphs", "flame" }, { "icicle", "flame" },
	{ "stat", "top" }, { "stats", "top" }, { "summary", "top" }, { "hot", "top" },
	{ "functions", "top" }, { "flat", "top" }, { "cum", "top -cum" }, { "compare", "diff" }, { "cmp", "diff" },
	{ "delta", "diff" }, { "graph", "svg" }, { "callgraph", "svg" }, { "call-graph", "svg" }, { "graphviz", "dot" },
	{ "calls", "tree" }, { "calltree", "tree" }, { "callers", "peek" }, { "callees", "peek" }, { "source", "list" },
	{ "asm", "disasm" }, { "assembly", "disasm" }, { "disassemble", "disasm" }, { "annotate", "disasm" },
	{ "stacks", "traces" }, { "samples", "traces" }, { "labels", "tags" },
	{ "libraries", "binaries" }, { "dump", "raw" }, { "print", "raw" }, { "combine", "merge" },
	{ "export", "proto" }, { "check", "gate" }, { "regress", "gate" }, { "profile", "record" },
	{ "capture", "snapshot" }, { "collapsed", "folded" }, { "collapse", "folded" },
	{ "import", "store import" }, { "hotspots", "top" }, { "hotspot", "top" }, { "completions", "completion" },
	{ "pprof", "" }, { "shell", "" }, { "tui", "" }, { "interactive", "" }, { "explore", "" }, { "view", "" },
	{ "show", "" }, { "open", "" },
	{ "http", web_ui }, { "serve", web_ui }, { "server", web_ui },
	{ "webui", web_ui }, { "web-ui", web_ui }, { "ui", web_ui }, { "browse", web_ui },
};

/* Options, with dashes as in the help. If the equivalent ends with =, the given value is appended. */
static const struct hints_alias foreign_options[] = {
	{ "V", "--version" }, { "c", "-cum" }, { "cumulative", "-cum" }, { "j", "--json" }, { "n", "-nodecount=" },
	{ "N", "-nodecount=" }, { "count", "-nodecount=" }, { "rows", "-nodecount=" }, { "head", "-nodecount=" },
	{ "filter", "-focus=" }, { "include", "-focus=" }, { "exclude", "-ignore=" }, { "baseline", "-base=" },
	{ "out", "-output=" }, { "type", "-sample_index=" },
};
/* clang-format on */

static const char *find_alias(const struct hints_alias *table, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(table[i].word, word) == 0)
			return table[i].name;
	return NULL;
}

static const char *find_command(const char *word)
{
	return find_alias(foreign_commands, sizeof(foreign_commands) / sizeof(foreign_commands[0]), word);
}

static const char *hints_find_option(const char *word)
{
	return find_alias(foreign_options, sizeof(foreign_options) / sizeof(foreign_options[0]), word);
}

const char *hint_word(const char *word, bool with_commands, bool with_options)
{
	const char *found = NULL, *foreign = with_commands ? find_command(word) : NULL;

	if (foreign && foreign != web_ui && *foreign)
		return foreign;
	for (size_t i = 0; with_commands && i < n_reports; i++)
		utf8_keep_similar(word, reports[i].name, &found);
	for (size_t i = 0; with_commands && i < n_commands; i++)
		utf8_keep_similar(word, commands[i].name, &found);
	for (size_t i = 0; with_options && i < query_n_options; i++)
		utf8_keep_similar(word, query_options[i].name, &found);
	return found ? found : "";
}

static int fail_web_ui(const char *dash, const char *word, struct err *err)
{
	return err_set(err, ERR_USAGE, "unknown %s %s%s; for the web UI use: cpa -http=: FILE",
		       *dash ? "option" : "command", dash, word);
}

/* ---- commands ---- */

static bool hints_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Is the word a number, and not a file? */
static bool is_number(const char *word)
{
	return *word && !word[strspn(word, "0123456789")] && !hints_is_file(word);
}

/* Append arguments. With has_rows, numbers are numbers of rows. */
static void add_hint_words(char *const *argv, int n, bool has_rows, struct buf *out)
{
	for (int i = 0; i < n; i++) {
		buf_addz(out, has_rows && is_number(argv[i]) ? " -nodecount=" : " ");
		settings_add_word(argv[i], out);
	}
}

/* Append "cpa COMMAND", the arguments after word, and those before it. If word is NULL, append all arguments. */
static void hints_add_line(const struct args *a, const char *word, const char *command, struct buf *out)
{
	bool has_rows = !*command || reports_find(command, strlen(command));
	int at = 0;

	while (word && at < a->argc && a->argv[at] != word)
		at++;
	assert(at < a->argc);
	buf_addf(out, "cpa%s%s", *command ? " " : "", command);
	add_hint_words(a->argv + at + 1, a->argc - at - 1, has_rows, out);
	add_hint_words(a->argv + 1, at - 1, has_rows, out);
}

/* Could the word be the name of a command, and neither a file nor an address? */
static bool hints_is_name(const char *word)
{
	for (const char *c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
			return false;
	return *word && !hints_is_file(word);
}

/* Split a word such as "top10" into a report and -nodecount; "" if the word does not have this form. */
static void hints_find_rows(const char *word, struct buf *out)
{
	size_t n = strcspn(word, "0123456789");

	buf_addz(out, "");
	if (n > 0 && word[n] && !word[n + strspn(word + n, "0123456789")] && reports_find(word, n))
		buf_addf(out, "%.*s -nodecount=%s", (int)n, word, word + n);
}

/* The command that the first word probably means; NULL: unknown. The word is not a file. */
static const char *find_meaning(const struct args *a, const char *word, struct buf *rows)
{
	const char *name = find_command(word);

	if (a->report)
		return strcmp(word, "pprof") == 0 ? name : NULL;
	if (strcmp(word, "stat") == 0 && a->n_words > 1 &&
	    (!hints_is_file(a->word[1]) || access(a->word[1], X_OK) == 0))
		return count_events;
	if (name)
		return name;
	hints_find_rows(word, rows);
	name = rows->len ? rows->data : hint_word(word, true, false);
	return *name ? name : NULL;
}

/* Check the first word. Returns 0 if it may be a source. */
static int fail_first_word(const struct args *a, struct err *err)
{
	const char *word = a->word[0], *name;
	struct buf rows = { 0 }, line = { 0 };
	int rc = 0;

	name = find_meaning(a, word, &rows);
	if (name == web_ui) {
		rc = fail_web_ui("", word, err);
	} else if (name) {
		hints_add_line(a, word, name, &line);
		rc = err_set(err, ERR_USAGE, "unknown command \"%s\"; did you mean: %s", word, line.data);
	} else if (!a->report && a->n_words > 1) {
		rc = err_set(err, ERR_USAGE,
			     "unknown command \"%s\", and no file of that name; cpa --help lists the commands", word);
	} else if (!a->report && *word != '-' && access(word, F_OK) != 0) {
		rc = err_set(err, ERR_USAGE, "%s: no such command or file; cpa --help lists the commands", word);
	}
	buf_release(&rows);
	buf_release(&line);
	return rc;
}

/* Fail if a later word is a command, as in cpa FILE top. */
static int fail_later_word(const struct args *a, struct err *err)
{
	struct buf line = { 0 };
	int rc = 0;

	for (size_t i = 1; rc == 0 && i < a->n_words; i++) {
		const char *word = a->word[i], *foreign = find_command(word);
		bool is_ours = reports_find(word, strlen(word)) || args_command(word, strlen(word));

		if (!hints_is_name(word) || (!is_ours && (!foreign || foreign == web_ui)))
			continue;
		hints_add_line(a, word, is_ours ? word : foreign, &line);
		rc = err_set(err, ERR_USAGE, "the command comes first: %s", line.data);
	}
	buf_release(&line);
	return rc;
}

/* Fail for a number, as in cpa top 20 FILE or cpa top PID. */
static int fail_number(const struct args *a, const char *word, struct err *err)
{
	struct buf line = { 0 };
	int rc;

	if (a->n_words == 1)
		return err_set(err, ERR_USAGE, "%s: no such file; to profile a running process use: cpa record -p %s",
			       word, word);
	hints_add_line(a, NULL, "", &line);
	rc = err_set(err, ERR_USAGE, "%s: no such file; for %s rows use: %s", word, word, buf_text(&line));
	buf_release(&line);
	return rc;
}

/* Fail for a file that does not exist beside one with or without the suffix of a compressed profile. */
static int fail_neighbour(const char *word, struct err *err)
{
	static const char *const suffix[] = { ".gz", ".pb.gz", ".pb", ".zst" };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(suffix) / sizeof(suffix[0]); i++) {
		bool has_it = ends_with(word, suffix[i]);
		struct buf path = { 0 };

		buf_add(&path, word, strlen(word) - (has_it ? strlen(suffix[i]) : 0));
		buf_addz(&path, has_it ? "" : suffix[i]);
		if (hints_is_file(buf_text(&path)))
			rc = err_set(err, ERR_USAGE, "%s: no such file; did you mean %s?", word, buf_text(&path));
		buf_release(&path);
	}
	return rc;
}

/* Check sources that do not exist. Of several sources of one profile, others are read without those that fail. */
static int fail_source(const struct args *a, struct err *err)
{
	bool is_needed = a->n_words == 1 || (a->report && a->report->input != INPUT_PROFILE);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < a->n_words; i++) {
		const char *word = a->word[i];

		if (!is_needed && !is_number(word))
			continue;
		if (!*word || access(word, F_OK) == 0 || strpbrk(word, ":*?[") || strcmp(word, "-") == 0)
			continue;
		if (is_number(word))
			rc = fail_number(a, word, err);
		else if (strcmp(word, "localhost") == 0 || !word[strspn(word, "0123456789.")])
			rc = err_set(err, ERR_USAGE, "%s: no such file; for a server add its port: %s:6060", word,
				     word);
		else
			rc = fail_neighbour(word, err);
	}
	return rc;
}

/* Fail for cpa list FILE REGEX. */
static int fail_swapped(const struct args *a, struct err *err)
{
	const char *file = a->q.pattern, *pattern = a->word[0];
	struct buf line = { 0 };
	int rc;

	if (!a->report || !reports_takes_pattern(a->report) || a->n_words != 1 || !hints_is_file(file) ||
	    (strpbrk(pattern, ":/") && !strpbrk(pattern, "\\(")) || access(pattern, F_OK) == 0)
		return 0;
	buf_addf(&line, "cpa %s ", a->report->name);
	settings_add_word(pattern, &line);
	buf_addz(&line, " ");
	settings_add_word(file, &line);
	rc = err_set(err, ERR_USAGE, "the expression comes first: %s", buf_text(&line));
	buf_release(&line);
	return rc;
}

/* Can the report be written to a file with this suffix, without further arguments? */
static bool can_write(const struct report_type *t, const char *path)
{
	size_t n = strlen(path), name = strlen(t->name);

	if (reports_takes_pattern(t) || !reports_is_in_shell(t))
		return false;
	for (size_t i = 0; i < REPORT_FILES_MAX && t->file[i].ending; i++)
		if (ends_with(path, t->file[i].ending))
			return true;
	return n > name && path[n - name - 1] == '.' && strcmp(path + n - name, t->name) == 0;
}

/* Does standard input contain commands? As in pprof, -output=FILE (but not -o) is then their output file. */
static bool has_lines(const struct args *a)
{
	struct stat in;

	for (int i = 1; i < a->argc; i++) {
		const char *word = a->argv[i] + strspn(a->argv[i], "-");

		if (word > a->argv[i] && *word == 'o' && (word[1] == 0 || word[1] == '='))
			return false;
	}
	return fstat(STDIN_FILENO, &in) == 0 && (S_ISFIFO(in.st_mode) || S_ISREG(in.st_mode) || S_ISSOCK(in.st_mode));
}

/* Fail for -o FILE without a report, suggesting reports. */
static int fail_output(const struct args *a, struct err *err)
{
	static const struct hints_alias formats[] = {
		{ ".json", "top --json" }, { ".csv", "top --csv" }, { ".md", "top --markdown" }, { "", "top" }
	};
	struct buf lines = { 0 };
	size_t format = 0;
	int rc;

	if (*a->q.http)
		return err_set(err, ERR_USAGE, "-o %s: -http writes no file; use its menu Export, or omit -http",
			       a->q.output);
	for (size_t i = 0; i < n_reports; i++) {
		if (!can_write(&reports[i], a->q.output))
			continue;
		buf_addz(&lines, lines.len ? ", or: " : "");
		hints_add_line(a, NULL, reports[i].name, &lines);
	}
	while (!ends_with(a->q.output, formats[format].word))
		format++;
	if (!lines.len)
		hints_add_line(a, NULL, formats[format].name, &lines);
	rc = err_set(err, ERR_USAGE, "-o %s: no report given; did you mean: %s", a->q.output, lines.data);
	buf_release(&lines);
	return rc;
}

int hint_check(const struct args *a, struct err *err)
{
	int rc = 0;

	if (a->n_words == 0 || a->command)
		return 0;
	if (hints_is_name(a->word[0]) && !is_number(a->word[0]))
		rc = fail_first_word(a, err);
	if (rc == 0)
		rc = fail_swapped(a, err);
	if (rc == 0 && !a->report)
		rc = fail_later_word(a, err);
	if (rc == 0 && !a->report && *a->q.output && !has_lines(a))
		rc = fail_output(a, err);
	return rc == 0 ? fail_source(a, err) : rc;
}

/* ---- options ---- */

/* Fail for an option such as --sort=cum, and list the options of that choice. Returns 0 if the name is not a choice. */
static int fail_choice(const char *name, const char *value, struct err *err)
{
	const char *choice = strcmp(name, "s") == 0 || starts_with(name, "sort") ? "sort" : name;
	struct buf all = { 0 };
	int rc = 0;

	for (size_t c = 0; c < query_n_choices; c++) {
		for (size_t i = 0; i < query_n_options && strcmp(query_choices[c].name, choice) == 0; i++) {
			const struct opt *o = &query_options[i];
			const char *dash = o->is_ours ? "--" : "-";

			if (o->kind != OPT_CHOICE || o->at != query_choices[c].offset)
				continue;
			if (value && strcmp(o->name, value) == 0)
				rc = err_set(err, ERR_USAGE, "unknown option -%s; use %s%s", name, dash, value);
			buf_addf(&all, "%s%s%s", all.len ? ", " : "", dash, o->name);
		}
	}
	if (rc == 0 && all.len)
		rc = err_set(err, ERR_USAGE, "unknown option -%s; choose one of %s", name, all.data);
	buf_release(&all);
	return rc;
}

/* Fail for an option of a command that is not a report, such as -p of record. Returns 0 if there is none. */
static int fail_other_command(const char *name, const char *value, struct err *err)
{
	const char *dash = name[1] ? "--" : "-";

	for (size_t c = 0; c < n_commands; c++) {
		const struct opt *o = NULL;

		for (size_t i = 0; commands[c].option && (o = commands[c].option(i)); i++)
			if (opt_find(o, 1, name, strlen(name)))
				break;
		if (o && opt_is_flag(o))
			return err_set(err, ERR_USAGE, "%s%s applies to: cpa %s %s%s", dash, name, commands[c].name,
				       dash, name);
		if (o)
			return err_set(err, ERR_USAGE, "%s%s applies to: cpa %s %s%s %s", dash, name, commands[c].name,
				       dash, name, value ? value : o->arg);
	}
	return 0;
}

int hint_option(const char *name, const char *value, const char *next, struct err *err)
{
	size_t letters = strcspn(name, "0123456789");
	bool is_rows = name[letters] && !name[letters + strspn(name + letters, "0123456789")] &&
		       (letters == 0 || (letters == 1 && *name == 'n')); /* -10, -n10 */
	const char *write = hints_find_option(name), *near = hint_word(name, true, true);
	const char *given = value || (next && *next == '-') ? value : next;
	int rc = fail_choice(name, given, err);

	if (rc < 0)
		return rc;
	if (find_command(name) == web_ui)
		return fail_web_ui("-", name, err);
	if (is_rows)
		return err_set(err, ERR_USAGE, "unknown option -%s; use -nodecount=%s", name, name + letters);
	if (write && ends_with(write, "="))
		return err_set(err, ERR_USAGE, "unknown option -%s; use %s%s", name, write, given ? given : "VALUE");
	if (write)
		return err_set(err, ERR_USAGE, "unknown option -%s; use %s", name, write);
	if (fail_other_command(name, given, err) < 0)
		return ERR_USAGE;
	if (*near)
		return err_set(err, ERR_USAGE, "unknown option -%s; did you mean -%s?", name, near);
	return err_set(err, ERR_USAGE, "unknown option -%s; cpa help all lists the options", name);
}

/* Append the names of the first commands to which the option applies. */
static void add_takers(const struct opt *o, struct buf *out)
{
	enum { NAMED_MAX = 3 };
	size_t n = 0, n_named;

	for (size_t i = 0; i < n_reports; i++)
		n += reports_takes_option(&reports[i], o);
	n_named = n <= NAMED_MAX + 1 ? n : NAMED_MAX;
	for (size_t i = 0, k = 0; i < n_reports && k < n_named; i++)
		if (reports_takes_option(&reports[i], o))
			buf_addf(out, "%s%s", k++ == 0 ? "" : k < n ? ", " : " and ", reports[i].name);
	buf_addz(out, n > n_named ? " and others" : "");
}

int hint_foreign_option(const struct args *a, struct err *err)
{
	const struct opt *o = a->foreign;
	const char *here = a->command   ? a->command->name
			   : *a->q.http ? "-http"
			   : a->report  ? a->report->name
					: "the shell";
	struct buf takers = { 0 };
	char name[OPT_NAME_MAX];
	int rc;

	if (!o)
		return 0;
	if (o->group == GROUP_SHELL || o->group == GROUP_WEB)
		buf_addz(&takers, o->group == GROUP_WEB ? "-http" : "the shell (cpa FILE)");
	else
		add_takers(o, &takers);
	rc = err_set(err, ERR_USAGE, "%s%s applies to %s, not to %s", o->is_ours ? "--" : "-",
		     opt_display_name(o, name), buf_text(&takers), here);
	buf_release(&takers);
	return rc;
}

int hint_help(const char *word, struct err *err)
{
	const char *write = hints_find_option(word), *near = write ? write : hint_word(word, true, true);

	if (find_command(word) == web_ui)
		return fail_web_ui("", word, err);
	return *near ? err_set(err, ERR_USAGE, "no help on \"%s\"; did you mean %s?", word, near)
		     : err_set(err, ERR_USAGE, "no help on \"%s\"; cpa help all lists commands and options", word);
}

void hint_next(const char *path)
{
	struct buf word = { 0 };
	bool is_found = strcmp(path, cmd_record_file) == 0; /* without a source, cpa reads it */

	settings_add_word(path, &word);
	say("next: cpa%s%s (full screen), cpa -http=: %s (browser), cpa flame -o cpu.svg %s", is_found ? "" : " ",
	    is_found ? "" : buf_text(&word), buf_text(&word), buf_text(&word));
	buf_release(&word);
}
