/*
 * opt.h - options from a table: find one, set its field from text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* What a field holds: bool, int64_t, double, const char *, int for a choice, const char * of a flag
   that may have a word behind "=" ("true" when it has none), or a struct opt_list, to which every
   use adds. */
enum opt_kind { OPT_BOOL, OPT_INT, OPT_REAL, OPT_TEXT, OPT_PICK, OPT_MODE, OPT_LIST };

struct opt_list {
	const char **item; /* [n] borrowed texts; opt_list_release frees the array */
	size_t n, cap;
};

/* One option. A table of them describes a struct: at is the offset of the field in it. */
struct opt {
	const char *name; /* words joined by _; - is the same on the command line */
	enum opt_kind kind;
	size_t at;
	int pick;           /* OPT_PICK: the value that the flag gives to the field */
	const char *preset; /* default as text; NULL for OPT_PICK */
	const char *arg;    /* what the value is called in help; NULL for flags */
	int group;
	bool own;         /* not one of pprof's: shown with - instead of _ */
	const char *help; /* one line; further lines of detail behind \n */
};

/* The option of this name (n bytes), NULL when there is none. */
const struct opt *opt_find(const struct opt *table, size_t n_opts, const char *name, size_t n);

/* Is this a flag, which takes its value only from "=value"? */
bool opt_is_flag(const struct opt *o);

/*
 * Set the option's field in target from text, by the rules of Go's flag package.
 *
 * value   kept, not copied, by OPT_TEXT; NULL sets a flag
 * Fails   ERR_USAGE, naming option and value; the field is untouched
 */
int opt_set(const struct opt *o, void *target, const char *value, struct err *err);

/* Set every field to its default; a choice to 0, a list to empty. */
void opt_preset(const struct opt *table, size_t n_opts, void *target);

void opt_list_release(struct opt_list *l);

/* The name as it is shown, in buf of OPT_NAME_MAX bytes. */
enum { OPT_NAME_MAX = 40 };
const char *opt_shown(const struct opt *o, char buf[OPT_NAME_MAX]);

#endif
