/*
 * args.c - the command line, understood
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/args.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/cmd.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR_SHORT = 1, NEAR_LONG = 2, LONG_WORD = 5 };

const struct command *args_command(const char *name, size_t n)
{
	for (size_t i = 0; i < n_commands; i++)
		if (strlen(commands[i].name) == n && memcmp(commands[i].name, name, n) == 0)
			return &commands[i];
	return NULL;
}

static void nearer(const char *word, const char *name, size_t *best, const char **found)
{
	size_t d = utf8_distance(word, name);

	if (d < *best) {
		*best = d;
		*found = name;
	}
}

const char *args_suggest(const char *word, bool with_commands, bool with_options)
{
	size_t best = (strlen(word) >= LONG_WORD ? NEAR_LONG : NEAR_SHORT) + 1;
	const char *found = "";

	for (size_t i = 0; with_commands && i < n_reports; i++)
		nearer(word, reports[i].name, &best, &found);
	for (size_t i = 0; with_commands && i < n_commands; i++)
		nearer(word, commands[i].name, &best, &found);
	for (size_t i = 0; with_options && i < query_n_options; i++)
		nearer(word, query_options[i].name, &best, &found);
	return found;
}

/* A flag being read: its name without dashes, and what stands behind =. */
struct flag {
	const char *name;
	size_t n;
	const char *value; /* NULL without = */
};

/* clang-format off */
/* What pprof has and this version does not. */
static const char *const not_yet[] = { "http", "no_browser",
};
/* clang-format on */

bool args_not_yet(const char *word)
{
	for (size_t i = 0; i < sizeof(not_yet) / sizeof(not_yet[0]); i++)
		if (strcmp(not_yet[i], word) == 0)
			return true;
	return false;
}

static int unknown_flag(const struct flag *f, struct err *err)
{
	char *word = mem_strndup(f->name, f->n);
	const char *near = args_suggest(word, true, true);
	int rc = args_not_yet(word) ? err_set(err, ERR_USAGE, "pprof's -%s is not in this version of cpa", word)
		 : *near            ? err_set(err, ERR_USAGE, "unknown option -%s; did you mean -%s?", word, near)
				    : err_set(err, ERR_USAGE, "unknown option -%s; cpa --help lists them", word);

	free(word);
	return rc;
}

static bool is_gate(const struct report_type *t)
{
	return t && t->input == INPUT_RUNS;
}

static const char *const file_name[] = {
	[ARGS_TEXT] = "text", [ARGS_JSON] = "json", [ARGS_MARKDOWN] = "markdown", [ARGS_FLAME] = "flame"
};

/* Which file of a gate --json=FILE and its like name; N_ARGS_FILES for none. */
static enum args_file find_file(const struct flag *f)
{
	const struct opt flag = { .name = "", .kind = OPT_BOOL };
	enum args_file i = 0;
	bool yes;

	while (i < N_ARGS_FILES && (strlen(file_name[i]) != f->n || memcmp(file_name[i], f->name, f->n) != 0))
		i++;
	return i < N_ARGS_FILES && f->value && opt_set(&flag, &yes, f->value, NULL) < 0 ? i : N_ARGS_FILES;
}

/* Files are a gate's: others have -o. And --flame with a gate needs one. */
static int check_files(const struct args *a, struct err *err)
{
	for (int i = 0; i < N_ARGS_FILES && !is_gate(a->report); i++)
		if (a->file[i])
			return err_set(err, ERR_USAGE, "-%s=%s: a flag is true or false; a file is named with -o",
				       file_name[i], a->file[i]);
	return 0;
}

/* cpa gate --text: its own text, and not another report. Gives 1 when that is not it. */
static int set_with_gate(struct args *a, const struct report_type *t, struct err *err)
{
	const char *other = is_gate(a->report) ? t->name : a->report->name;

	if (!is_gate(a->report) && !is_gate(t))
		return 1;
	if (strcmp(other, file_name[ARGS_FLAME]) == 0)
		return err_set(err, ERR_USAGE, "with gate --flame takes a file: --flame=diff.svg");
	if (strcmp(other, file_name[ARGS_TEXT]) != 0)
		return 1;
	a->report = is_gate(a->report) ? a->report : t;
	return 0;
}

static int fail_two_commands(const char *one, const char *other, struct err *err)
{
	return err_set(err, ERR_USAGE, "%s and %s: must set at most one output format", one, other);
}

static int set_report(struct args *a, const struct report_type *t, struct err *err)
{
	if (a->report && a->report != t) {
		int rc = set_with_gate(a, t, err);

		return rc <= 0 ? rc : fail_two_commands(a->report->name, t->name, err);
	}
	if (a->command)
		return fail_two_commands(a->command->name, t->name, err);
	a->report = t;
	return 0;
}

static int set_command(struct args *a, const struct command *c, struct err *err)
{
	if (a->report || (a->command && a->command != c))
		return fail_two_commands(a->report ? a->report->name : a->command->name, c->name, err);
	a->command = c;
	return 0;
}

/* -peek=REGEX; an empty one is as if it had not been given, as in pprof. */
static int set_pattern(struct args *a, const struct report_type *t, const char *value, char **next, int *used,
		       struct err *err)
{
	if (!value && !*next)
		return err_set(err, ERR_USAGE, "flag needs an argument: -%s", t->name);
	if (!value) {
		value = *next;
		*used = 1;
	}
	if (!*value)
		return 0;
	a->q.pattern = value;
	return set_report(a, t, err);
}

/* Two flags of one choice cannot both hold. */
static int check_pick(const struct opt *o, const struct opt **picked, struct err *err)
{
	for (size_t i = 0; i < query_n_options; i++)
		if (picked[i] && picked[i]->at == o->at && picked[i] != o)
			return err_set(err, ERR_USAGE, "conflicting options set: -%s and -%s", picked[i]->name,
				       o->name);
	picked[o - query_options] = o;
	return 0;
}

static int pick(struct args *a, const struct opt *o, const struct opt **picked, struct err *err)
{
	if (check_pick(o, picked, err) < 0)
		return ERR_USAGE;
	return opt_set(o, &a->q, NULL, err);
}

/* -lines=false behind -lines, or -top=false behind -top: as if neither had been given. */
static int take_back(struct args *a, const struct opt *o, const struct report_type *t, const struct opt **picked)
{
	if (!o && a->report == t)
		a->report = NULL;
	if (!o && !t)
		a->command = NULL;
	if (o && picked[o - query_options]) {
		picked[o - query_options] = NULL;
		*(int *)((char *)&a->q + o->at) = 0;
	}
	return 0;
}

/* The options that have a name of one letter. */
static const struct opt *short_option(char letter)
{
	const char *name = letter == 'o' ? "output" : letter == 'h' ? "help" : letter == 'v' ? "verbose" : NULL;

	return name ? opt_find(query_options, query_n_options, name, strlen(name)) : NULL;
}

static int set_flag(struct args *a, const struct flag *f, char **next, int *used, const struct opt **picked,
		    struct err *err)
{
	const struct opt *o = opt_find(query_options, query_n_options, f->name, f->n);
	const struct report_type *t = o ? NULL : reports_find(f->name, f->n);
	const struct command *c = o || t ? NULL : args_command(f->name, f->n);
	const char *value = f->value;
	enum args_file file = find_file(f);
	bool yes = true;
	int rc;

	if (file < N_ARGS_FILES) {
		a->file[file] = value;
		return 0;
	}
	if (!o && f->n == 1)
		o = short_option(*f->name);
	if (!o && !t && !c)
		return unknown_flag(f, err);
	if (t && reports_takes_pattern(t))
		return set_pattern(a, t, value, next, used, err);
	if (!o || o->kind == OPT_PICK) {
		const struct opt flag = { .name = o ? o->name : t ? t->name : c->name, .kind = OPT_BOOL };

		rc = opt_set(&flag, &yes, value, err);
		if (rc < 0)
			return rc;
		if (!yes)
			return take_back(a, o, t, picked);
		return o ? pick(a, o, picked, err) : t ? set_report(a, t, err) : set_command(a, c, err);
	}
	if (!value && !opt_is_flag(o)) {
		if (!*next)
			return err_set(err, ERR_USAGE, "flag needs an argument: -%s", o->name);
		value = *next;
		*used = 1;
	}
	return query_set(&a->q, o, value, err);
}

static int add_word(struct args *a, const char *word, struct err *err)
{
	bool is_first = a->n_words == 0 && !a->report && !a->command;
	const struct report_type *t = is_first ? reports_find(word, strlen(word)) : NULL;
	const struct command *c = is_first && !t ? args_command(word, strlen(word)) : NULL;

	if (t || c)
		return t ? set_report(a, t, err) : set_command(a, c, err);
	if (a->report && reports_takes_pattern(a->report) && !*a->q.pattern) {
		a->q.pattern = word;
		return 0;
	}
	a->word[a->n_words++] = word;
	return 0;
}

/* "cpa help -lines" asks about -lines. */
static bool is_help(const struct args *a)
{
	return a->command && strcmp(a->command->name, "help") == 0;
}

static int parse_words(int argc, char **argv, struct args *a, const struct opt **picked, struct err *err)
{
	bool flags = true;
	int rc = 0;

	for (int i = 1; rc == 0 && i < argc; i++) {
		const char *word = argv[i];
		struct flag f;
		int used = 0;

		if (!flags || word[0] != '-' || word[1] == 0 || is_help(a)) {
			rc = add_word(a, word, err);
			continue;
		}
		f.name = word + 1 + (word[1] == '-');
		if (*f.name == 0) {
			flags = false;
			a->n_left = a->n_words;
			continue;
		}
		f.n = strcspn(f.name, "=");
		f.value = f.name[f.n] ? f.name + f.n + 1 : NULL;
		rc = set_flag(a, &f, argv + i + 1, &used, picked, err);
		i += used;
	}
	return rc;
}

int args_parse(int argc, char **argv, struct args *out, struct err *err)
{
	struct args a = { .word = mem_alloc((size_t)argc, sizeof(*a.word)) };
	const struct opt **picked = mem_zalloc(query_n_options, sizeof(*picked));
	int rc;

	query_init(&a.q);
	rc = parse_words(argc, argv, &a, picked, err);
	free(picked);
	a.q.for_gate = is_gate(a.report);
	if (rc == 0)
		rc = check_files(&a, err);
	if (rc == 0)
		rc = query_finish(&a.q, &a.ignored, err);
	a.q.keep_base = a.report && a.report->flags & REPORT_KEEPS_BASE;
	if (rc < 0)
		args_release(&a);
	else
		*out = a;
	return rc;
}

void args_release(struct args *a)
{
	free(a->word);
	a->word = NULL;
	query_release(&a->q);
}
