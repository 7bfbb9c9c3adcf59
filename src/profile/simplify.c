/*
 * simplify.c - the part of a function's name that pruning looks at
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/simplify.h"

#include <string.h>

const char *simplify_name(const char *name, size_t *n)
{
	static const char *const kept[] = { "(anonymous namespace)", "operator()" };
	const char *s = name;
	size_t i = 0, end = *n;

	if (end > 0 && s[0] == '.') { /* code, not descriptor, of a function on PowerPC */
		s++;
		end--;
	}
	while (i < end) {
		size_t skip = 0;

		for (int k = 0; k < 2 && skip == 0; k++)
			if (end - i >= strlen(kept[k]) && memcmp(s + i, kept[k], strlen(kept[k])) == 0)
				skip = strlen(kept[k]);
		if (skip == 0 && s[i] == '(')
			break;
		i += skip ? skip : 1;
	}
	*n = i;
	return s;
}
