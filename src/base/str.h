/*
 * str.h - string prefixes and suffixes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <string.h>

static inline bool starts_with(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0;
}

/* Like starts_with, for n bytes of s. */
static inline bool starts_with_n(const char *s, size_t n, const char *start)
{
	size_t m = strlen(start);

	return n >= m && memcmp(s, start, m) == 0;
}

static inline bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && memcmp(s + n - m, end, m) == 0;
}

#endif
