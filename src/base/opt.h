/*
 * opt.h - table of options: find an option, set its field from text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Type of an option, which decides the type of its field:
 *
 * OPT_SIZE     int64_t: bytes, such as 50MB, or -1
 * OPT_BOOL, OPT_INT, OPT_REAL, OPT_TEXT   bool, int64_t, double, const char *
 * OPT_CHOICE   int: several flags share the field, each with its own value
 * OPT_MODE     const char *: a flag with an optional "=value"; "true" without
 * OPT_LIST     struct opt_list: each use appends
 */
enum opt_kind { OPT_BOOL, OPT_INT, OPT_SIZE, OPT_REAL, OPT_TEXT, OPT_CHOICE, OPT_MODE, OPT_LIST };

struct opt_list {
	const char **item; /* [n] borrowed strings; opt_list_release frees the array */
	size_t n, cap;
};

/* An option. A table of options describes a struct: at is the offset of the field in it. */
struct opt {
	const char *name; /* words joined by _; the command line accepts - too */
	enum opt_kind kind;
	size_t at;
	int choice;               /* OPT_CHOICE: the value that the flag sets */
	const char *default_text; /* default value; NULL for OPT_CHOICE */
	const char *arg;          /* name of the value in help; NULL for flags */
	int group;
	bool is_ours;     /* not an option of pprof: displayed with - instead of _ */
	const char *help; /* one line; further lines after \n contain details */
};

/* The option with this name of n bytes, or NULL. */
const struct opt *opt_find(const struct opt *table, size_t n_opts, const char *name, size_t n);

/* Is this a flag? The value of a flag must follow "=". */
bool opt_is_flag(const struct opt *o);

/*
 * Set the option's field in target from text, by the rules of Go's flag package.
 *
 * value   borrowed, not copied, by OPT_TEXT, OPT_MODE and OPT_LIST; NULL sets a flag
 * Fails   ERR_USAGE, naming option and value; the field is untouched
 */
int opt_set(const struct opt *o, void *target, const char *value, struct err *err);

/* Set every field to its default: OPT_CHOICE fields to 0, lists to empty. */
void opt_set_defaults(const struct opt *table, size_t n_opts, void *target);

/* Options of a command, and the struct that they set. */
struct opt_table {
	const struct opt *opt; /* [n] */
	size_t n;
	void *target;
};

/*
 * Read the option in argv[0], "--name", "--name=value" or "--name" and a value in argv[1], into the target of the first
 * table that has it.
 *
 * command  for the advice on an unknown option: "store" in "cpa store --help lists the options"
 * left     number of arguments in argv
 * Returns  the number of arguments used, 1 or 2
 * Fails    ERR_USAGE
 */
int opt_read(const char *command, const struct opt_table *table, size_t n_tables, int left, char **argv,
	     struct err *err);

/* Take an argument that is no option. Returns 0, or ERR_* to end. */
typedef int opt_word_fn(void *arg, const char *word, struct err *err);

/* Read options with opt_read, and pass other arguments to fn: "-", and all after "--". argv: [argc] Fails like opt_read, and as fn. */
int opt_read_all(const char *command, const struct opt_table *table, size_t n_tables, int argc, char **argv,
		 opt_word_fn *fn, void *arg, struct err *err);

/* Fail for the unknown option in argument, naming a similar one of the tables if there is one. Returns ERR_USAGE. */
int opt_fail_unknown(const char *command, const struct opt_table *table, size_t n_tables, const char *argument,
		     struct err *err);

/* Fail for an option without its argument. option: as typed. arg: the name of the argument. Returns ERR_USAGE. */
int opt_fail_argument(const char *option, const char *arg, struct err *err);

void opt_list_release(struct opt_list *l);

/* The name of the option as displayed; stored in buf. */
enum { OPT_NAME_MAX = 40 };
const char *opt_display_name(const struct opt *o, char buf[OPT_NAME_MAX]);

#endif
