/*
 * names.h - names that callgrind writes once, with a number: "(3) main", later "(3)"
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_CALLGRIND_NAMES_H
#define FORMATS_CALLGRIND_NAMES_H

#include "base/err.h"
#include "base/idtab.h"
#include "base/strtab.h"

#include <stddef.h>

/* Files, functions and objects have one table each. */
struct callcosts_names {
	struct idtab at;
	uint64_t *number; /* [n] */
	str_id *name;     /* [n] */
	size_t n, cap_numbers, cap_names;
};

void callcosts_names_init(struct callcosts_names *t);
void callcosts_names_release(struct callcosts_names *t);

/*
 * The name that a text means. A text with a number and a name defines the number; a later definition replaces it.
 *
 * Fails   ERR_FORMAT if the text is a number that is not defined
 */
int callcosts_names_find(struct callcosts_names *t, struct strtab *str, const char *s, size_t n, str_id *out,
			 struct err *err);

#endif
