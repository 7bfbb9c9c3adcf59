/*
 * args.c - parse the command line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/args.h"

#include "base/mem.h"
#include "base/unit.h"
#include "formats/formats.h"
#include "front/cli/cmd.h"
#include "front/cli/hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct command *args_command(const char *name, size_t n)
{
	for (size_t i = 0; i < n_commands; i++)
		if (strlen(commands[i].name) == n && memcmp(commands[i].name, name, n) == 0)
			return &commands[i];
	return NULL;
}

/* A flag: its name without dashes, and the value after =. */
struct flag {
	const char *name;
	size_t n;
	const char *value; /* NULL without = */
};

static int unknown_flag(const struct flag *f, const char *next, struct err *err)
{
	char *word = mem_strndup(f->name, f->n);
	int rc = hint_option(word, f->value, next, err);

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

/* The output file of gate that a flag such as --json=FILE sets; N_ARGS_FILES: none. */
static enum args_file args_find_file(const struct flag *f)
{
	const struct opt flag = { .name = "", .kind = OPT_BOOL };
	enum args_file i = 0;
	bool yes;

	while (i < N_ARGS_FILES && (strlen(file_name[i]) != f->n || memcmp(file_name[i], f->name, f->n) != 0))
		i++;
	return i < N_ARGS_FILES && f->value && opt_set(&flag, &yes, f->value, NULL) < 0 ? i : N_ARGS_FILES;
}

/* Only gate has --json=FILE; other reports have -o. */
static int args_check_files(const struct args *a, struct err *err)
{
	for (int i = 0; i < N_ARGS_FILES && !is_gate(a->report); i++)
		if (a->file[i])
			return err_set(err, ERR_USAGE, "-%s=%s: not true or false; use -o to write a file",
				       file_name[i], a->file[i]);
	return 0;
}

/* Handle cpa gate --text, where text is the format and not another report. Returns 1 for all other reports. */
static int set_with_gate(struct args *a, const struct report_type *t, struct err *err)
{
	const char *other = is_gate(a->report) ? t->name : a->report->name;

	if (!is_gate(a->report) && !is_gate(t))
		return 1;
	if (strcmp(other, file_name[ARGS_FLAME]) == 0)
		return err_set(err, ERR_USAGE, "gate: --flame needs a file: --flame=diff.svg");
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

static int fail_argument(const char *name, const char *arg, struct err *err)
{
	char option[OPT_NAME_MAX + 1];

	snprintf(option, sizeof(option), "-%s", name);
	return opt_fail_argument(option, arg, err);
}

/* Set the pattern of -peek=REGEX. As in pprof, an empty one is ignored. */
static int set_pattern(struct args *a, const struct report_type *t, const char *value, char **next, int *used,
		       struct err *err)
{
	if (!value && !*next)
		return fail_argument(t->name, "REGEX", err);
	if (!value) {
		value = *next;
		*used = 1;
	}
	if (!*value)
		return 0;
	a->q.pattern = value;
	return set_report(a, t, err);
}

/* Set one flag of a choice. Fails if another flag of the same choice was given. */
static int pick_flag(struct args *a, const struct opt *o, const struct opt **given, struct err *err)
{
	for (size_t i = 0; i < query_n_options; i++)
		if (given[i] && given[i]->at == o->at && given[i] != o)
			return err_set(err, ERR_USAGE, "conflicting options set: -%s and -%s", given[i]->name, o->name);
	given[o - query_options] = o;
	return opt_set(o, &a->q, NULL, err);
}

/* Unset -lines for -lines=false, or -top for -top=false. */
static int undo_flag(struct args *a, const struct opt *o, const struct report_type *t, const struct opt **given)
{
	if (!o && a->report == t)
		a->report = NULL;
	if (!o && !t)
		a->command = NULL;
	if (o && given[o - query_options]) {
		given[o - query_options] = NULL;
		*(int *)((char *)&a->q + o->at) = 0;
	}
	return 0;
}

/* The option with this short form. */
static const struct opt *short_option(char letter)
{
	const char *name = letter == 'o' ? "output" : letter == 'h' ? "help" : letter == 'v' ? "verbose" : NULL;

	return name ? opt_find(query_options, query_n_options, name, strlen(name)) : NULL;
}

static int set_option_flag(struct args *a, const struct flag *f, char **next, int *used, const struct opt **given,
			   struct err *err)
{
	const struct opt *o = opt_find(query_options, query_n_options, f->name, f->n);
	const struct report_type *t = o ? NULL : reports_find(f->name, f->n);
	const struct command *c = o || t ? NULL : args_command(f->name, f->n);
	const char *value = f->value;
	enum args_file file = args_find_file(f);
	bool yes = true;
	int rc;

	if (file < N_ARGS_FILES) {
		a->file[file] = value;
		return 0;
	}
	if (!o && f->n == 1)
		o = short_option(*f->name);
	if (!o && !t && !c)
		return unknown_flag(f, *next, err);
	if (t && reports_takes_pattern(t))
		return set_pattern(a, t, value, next, used, err);
	if (!o || o->kind == OPT_CHOICE) {
		const struct opt flag = { .name = o ? o->name : t ? t->name : c->name, .kind = OPT_BOOL };

		rc = opt_set(&flag, &yes, value, err);
		if (rc < 0)
			return rc;
		if (!yes)
			return undo_flag(a, o, t, given);
		return o ? pick_flag(a, o, given, err) : t ? set_report(a, t, err) : set_command(a, c, err);
	}
	if (!value && !opt_is_flag(o)) {
		if (!*next)
			return fail_argument(f->n == 1 ? (const char[]){ *f->name, 0 } : o->name, o->arg, err);
		value = *next;
		*used = 1;
	}
	given[o - query_options] = o;
	return query_set(&a->q, o, value, err);
}

/* Does the option apply to what the command line asks for: a report, the shell, the web UI or another command? */
static bool args_takes(const struct args *a, const struct opt *o)
{
	bool is_web = *a->q.http, is_taken = false;

	if (o->group == GROUP_GENERAL || a->q.help || a->q.version || (a->command && a->command->run))
		return true;
	if (a->command)
		return strcmp(o->name, "verbose") == 0 || strcmp(o->name, "color") == 0;
	if (!o->is_ours && (is_web || !a->report))
		return true;
	if (a->report && !is_web && reports_accepts_option(a->report, o))
		return true;
	if (o->group == GROUP_OUTPUT)
		return true; /* a report that lacks the format has its own message */
	if (o->group == GROUP_WEB || (o->group == GROUP_SHELL && !a->report))
		return (o->group == GROUP_WEB) == is_web;
	if (o->group == GROUP_FLAME && a->file[ARGS_FLAME])
		return true;
	if (a->report && !is_web)
		return false;
	for (size_t i = 0; i < n_reports && !is_taken; i++)
		is_taken = reports_is_in_shell(&reports[i]) && reports_takes_option(&reports[i], o);
	return is_taken;
}

/* The first option of the command line that does not apply to it, or NULL. */
static const struct opt *find_foreign(const struct args *a, const struct opt *const *given)
{
	for (size_t i = 0; i < query_n_options; i++)
		if (given[i] && !args_takes(a, given[i]))
			return given[i];
	return NULL;
}

/* The report that perf calls report or script: top or traces. A file of that name is a source. */
static const struct report_type *find_perf_command(const char *word)
{
	const char *name = strcmp(word, "report") == 0 ? "top" : strcmp(word, "script") == 0 ? "traces" : NULL;

	return name && access(word, F_OK) < 0 ? reports_find(name, strlen(name)) : NULL;
}

static int args_add_word(struct args *a, const char *word, struct err *err)
{
	bool is_first = a->n_words == 0 && !a->report && !a->command;
	const struct report_type *t = is_first ? reports_find(word, strlen(word)) : NULL;
	const struct command *c = is_first && !t ? args_command(word, strlen(word)) : NULL;

	if (is_first && !t && !c)
		t = find_perf_command(word);
	if (t || c)
		return t ? set_report(a, t, err) : set_command(a, c, err);
	if (a->report && reports_takes_pattern(a->report) && !*a->q.pattern) {
		a->q.pattern = word;
		return 0;
	}
	a->word[a->n_words++] = word;
	return 0;
}

/* Commands that take options as words: "cpa help -lines" and "cpa completion words -li". */
static bool takes_any_word(const struct args *a)
{
	return a->command && (strcmp(a->command->name, "help") == 0 || strcmp(a->command->name, "completion") == 0);
}

/* Is it an option after -- between two sides? Only files are allowed there. */
static bool is_late_option(const struct args *a, const char *word)
{
	return a->n_before_dashes > 0 && word[0] == '-' && word[1] && access(word, F_OK) < 0;
}

static int parse_words(int argc, char **argv, struct args *a, const struct opt **given, struct err *err)
{
	bool flags = true;
	int rc = 0;

	for (int i = 1; rc == 0 && i < argc; i++) {
		const char *word = argv[i];
		struct flag f;
		int used = 0;

		if (!flags || word[0] != '-' || word[1] == 0 || takes_any_word(a)) {
			rc = is_late_option(a, word) ? err_set(err, ERR_USAGE, "%s: options must precede --", word)
						     : args_add_word(a, word, err);
			continue;
		}
		f.name = word + 1 + (word[1] == '-');
		if (*f.name == 0) {
			flags = false;
			a->n_before_dashes = a->n_words;
			continue;
		}
		f.n = strcspn(f.name, "=");
		f.value = f.name[f.n] ? f.name + f.n + 1 : NULL;
		rc = set_option_flag(a, &f, argv + i + 1, &used, given, err);
		i += used;
	}
	return rc;
}

/*
 * Read --format=folded as --input-format=folded, except for flame, whose --format is that of the picture. Names that no
 * input has, such as svg, remain an option that does not apply.
 */
static void move_format(struct args *a, const struct opt **given)
{
	const struct opt *from = opt_find(query_options, query_n_options, "format", 6);
	const struct opt *to = opt_find(query_options, query_n_options, "input_format", 12);

	if (!given[from - query_options] || !a->report || a->report->options == GROUP_FLAME || a->file[ARGS_FLAME] ||
	    !formats_find(a->q.format))
		return;
	given[to - query_options] = to;
	given[from - query_options] = NULL;
	a->q.input_format = a->q.format;
	a->q.format = "";
}

static bool args_is_name(const char *word)
{
	return (*word >= 'a' && *word <= 'z') || (*word >= 'A' && *word <= 'Z');
}

static int args_fail_format(const char *option, const char *word, struct err *err)
{
	struct buf names = { 0 };
	int rc;

	for (size_t i = 0; i < n_formats; i++)
		if (formats[i].name && formats[i].report)
			buf_addf(&names, "%s%s", names.len ? ", " : "", formats[i].name);
	rc = err_set(err, ERR_USAGE, "convert: %s%s: no format that cpa writes; add --to=FORMAT: %s", option, word,
		     buf_text(&names));
	buf_release(&names);
	return rc;
}

/* Replace convert by the report that writes the format named by --to, or by the ending of -o. */
static int args_find_writer(struct args *a, const struct opt **given, struct err *err)
{
	const struct opt *from = opt_find(query_options, query_n_options, "from", 4);
	const struct opt *input = opt_find(query_options, query_n_options, "input_format", 12);
	const struct opt *unit = opt_find(query_options, query_n_options, "unit", 4);
	const struct file_format *f;

	if (!a->report || !(a->report->flags & REPORT_BY_ENDING) || a->q.help)
		return 0;
	if (args_is_name(a->q.from)) {
		if (!formats_find(a->q.from))
			return err_set(err, ERR_USAGE, "convert: --from=%s: no such format; see cpa help formats",
				       a->q.from);
		a->q.input_format = a->q.from;
		a->q.from = "";
		given[input - query_options] = input;
		given[from - query_options] = NULL;
	}
	if (args_is_name(a->q.to)) {
		f = formats_find(a->q.to);
		if (!f || !f->report)
			return args_fail_format("--to=", a->q.to, err);
		a->q.to = "";
	} else {
		if (!*a->q.output)
			return err_set(err, ERR_USAGE, "convert: -o FILE is missing; its ending chooses the format");
		f = formats_find_written(a->q.output);
		if (!f)
			return args_fail_format("-o ", a->q.output, err);
	}
	a->report = reports_get(f->report);
	a->q.own_unit = !given[unit - query_options]; /* a larger one, which callgrind would have, is not exact */
	return 0;
}

/* Is this a report with one of these flags, and not a page or a screen on which other reports follow? */
static bool is_single_report(const struct args *a, int flags)
{
	return a->report && a->report->flags & flags && !*a->q.http && !*a->q.keys;
}

/*
 * Does the command print the same if equal stacks have different ids? A page does: what compares stacks finds equal ones itself. A
 * base is merged into the profile by its stacks.
 */
static bool repeats_stacks(const struct args *a)
{
	bool has_base = a->q.base.n || a->q.diff_base.n;

	if (*a->q.http)
		return !has_base;
	return is_single_report(a, REPORT_ADDS_UP | REPORT_REPEATS_STACKS) &&
	       (a->report->input != INPUT_PROFILE || !has_base);
}

/*
 * Return true if the report needs no labels. Of several sources, samples that differ only in their
 * labels would be merged, which can change totals (sources/read.c).
 */
static bool skips_labels(const struct args *a)
{
	const struct query *q = &a->q;
	const char *const option[] = { q->tagfocus, q->tagignore, q->tagshow, q->taghide, q->tagroot,
				       q->tagleaf,  q->normalize, q->from,    q->to };

	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++)
		if (*option[i])
			return false;
	return is_single_report(a, REPORT_NEEDS_NO_LABELS) && !q->base.n && !q->diff_base.n && !q->times &&
	       unit_is_choice(q->unit);
}

bool args_has_other_ending(const struct args *a)
{
	const struct file_format *f = formats_find_written(a->q.output);
	bool writes_profile = a->report->suffix && strcmp(a->report->suffix, "pb.gz") == 0;

	for (size_t i = 0; i < n_formats; i++)
		writes_profile |= formats[i].report && strcmp(formats[i].report, a->report->name) == 0;
	return writes_profile && f && strcmp(f->report, a->report->name) != 0;
}

int args_parse(int argc, char **argv, struct args *out, struct err *err)
{
	struct args a = { .argc = argc, .argv = argv, .word = mem_alloc((size_t)argc, sizeof(*a.word)) };
	const struct opt **given = mem_zalloc(query_n_options, sizeof(*given));
	int rc;

	query_init(&a.q);
	rc = parse_words(argc, argv, &a, given, err);
	a.q.for_gate = is_gate(a.report);
	if (rc == 0)
		rc = args_check_files(&a, err);
	if (rc == 0)
		move_format(&a, given);
	if (rc == 0)
		rc = args_find_writer(&a, given, err);
	a.foreign = rc == 0 ? find_foreign(&a, given) : NULL;
	free(given);
	if (rc == 0)
		rc = query_finish(&a.q, &a.overruled_type, err);
	a.q.keep_base = a.report && a.report->flags & REPORT_KEEPS_BASE;
	a.q.repeats_stacks = repeats_stacks(&a);
	a.q.wants_forest = a.q.repeats_stacks && is_single_report(&a, REPORT_ADDS_UP);
	a.q.skips_labels = rc == 0 && skips_labels(&a);
	a.q.wants_sums = a.q.skips_labels && is_single_report(&a, REPORT_NEEDS_ONLY_SUMS);
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
