/*
 * names.c - names that callgrind writes once, with a number
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/callgrind/names.h"

#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NAMES_EXPECTED = 64 };

void callcosts_names_init(struct callcosts_names *t)
{
	*t = (struct callcosts_names){ 0 };
	idtab_init(&t->at, NAMES_EXPECTED);
}

void callcosts_names_release(struct callcosts_names *t)
{
	idtab_release(&t->at);
	free(t->number);
	free(t->name);
}

/* The place of a number; NULL if it is not defined. */
static str_id *callcosts_names_place(struct callcosts_names *t, uint64_t number)
{
	uint64_t hash = hash_u64(number);
	uint32_t i;

	for (size_t at = idtab_start(&t->at, hash); idtab_next(&t->at, hash, &at, &i);)
		if (t->number[i] == number)
			return &t->name[i];
	return NULL;
}

static void callcosts_names_add(struct callcosts_names *t, uint64_t number, str_id name)
{
	t->number = mem_grow(t->number, &t->cap_numbers, t->n + 1, sizeof(*t->number));
	t->name = mem_grow(t->name, &t->cap_names, t->n + 1, sizeof(*t->name));
	t->number[t->n] = number;
	t->name[t->n] = name;
	idtab_put(&t->at, hash_u64(number), (uint32_t)t->n++);
}

/* The bytes of the number in parentheses at the start; 0 if there is none: "(below main)" is a name. */
static size_t callcosts_names_number(const char *s, size_t n, uint64_t *number)
{
	size_t at = 1;

	*number = 0;
	if (n < 3 || *s != '(')
		return 0;
	for (; at < n && s[at] >= '0' && s[at] <= '9'; at++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(s[at] - '0'), number))
			return 0;
	return at > 1 && at < n && s[at] == ')' ? at + 1 : 0;
}

int callcosts_names_find(struct callcosts_names *t, struct strtab *str, const char *s, size_t n, str_id *out,
			 struct err *err)
{
	uint64_t number;
	size_t n_number = callcosts_names_number(s, n, &number), at = n_number;
	str_id *place = n_number ? callcosts_names_place(t, number) : NULL;

	while (at < n && (s[at] == ' ' || s[at] == '\t'))
		at++;
	if (n_number && at == n && !place)
		return err_set(err, ERR_FORMAT, "the name (%" PRIu64 ") is not defined", number);
	if (n_number && at == n) {
		*out = *place;
		return 0;
	}
	*out = strtab_add(str, s + at, n - at);
	if (place)
		*place = *out;
	else if (n_number)
		callcosts_names_add(t, number, *out);
	return 0;
}
