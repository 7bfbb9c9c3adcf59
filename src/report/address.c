/*
 * address.c - parse a pattern as an address
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/address.h"

#include <stddef.h>

static unsigned report_address_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (unsigned)((c | 0x20) - 'a' + 10);
	return 16;
}

/* The base of a number, from its prefix; skip is set to the length of the prefix. */
static unsigned report_address_base_of(const char *text, size_t *skip)
{
	static const struct {
		char letter;
		unsigned base;
	} bases[] = { { 'x', 16 }, { 'b', 2 }, { 'o', 8 } };

	*skip = 0;
	if (*text != '0' || !text[1])
		return 10;
	*skip = 2;
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if ((text[1] | 0x20) == bases[i].letter)
			return bases[i].base;
	*skip = 1;
	return 8;
}

bool address_parse(const char *text, uint64_t *out)
{
	size_t i;
	unsigned base = report_address_base_of(text, &i);
	bool parted = i > 0, any = i == 1; /* is '_' allowed next? Was a digit read since the last '_'? */
	uint64_t v = 0;

	for (; text[i]; i++) {
		unsigned d = report_address_digit(text[i]);

		if (text[i] == '_' && parted) {
			parted = false;
			any = false;
			continue;
		}
		if (d >= base || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return false;
		parted = any = true;
	}
	if (any)
		*out = v;
	return any;
}
