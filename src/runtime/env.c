/*
 * env.c - what the environment says, without getenv, which programs replace
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "runtime/target.h"

#include <string.h>
#include <unistd.h>

static const char segment[] = "CPA_SEGMENT=", preload[] = "LD_PRELOAD=", library[] = "libcpaprof.so";

static char **find(const char *name)
{
	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, strlen(name)) == 0)
			return e;
	return NULL;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* PATH:NONCE, the latter two times 16 digits */
bool cpi_env_read(struct env *e)
{
	char **at = find(segment);
	const char *text = at ? *at + strlen(segment) : NULL, *colon = text ? strchr(text, ':') : NULL;
	size_t n = colon ? (size_t)(colon - text) : 0;

	if (!colon || n == 0 || n >= sizeof(e->path) || strlen(colon + 1) != 32)
		return false;
	memcpy(e->path, text, n);
	e->path[n] = '\0';
	for (int i = 0; i < 32; i++) {
		int d = digit(colon[1 + i]);

		if (d < 0)
			return false;
		e->nonce[i / 16] = e->nonce[i / 16] << 4 | (uint64_t)d;
	}
	return true;
}

static void drop(char **at)
{
	for (; at && *at; at++)
		at[0] = at[1];
}

/* Does this element of LD_PRELOAD name our library? */
static bool is_library(const char *name, size_t n)
{
	size_t len = sizeof(library) - 1;

	return n >= len && memcmp(name + n - len, library, len) == 0 && (n == len || name[n - len - 1] == '/');
}

void cpi_env_remove(void)
{
	char **at = find(preload), *to, *from;

	drop(find(segment));
	if (!at)
		return;
	to = from = *at + sizeof(preload) - 1;
	while (*from) {
		size_t n = strcspn(from, ": ");

		if (n && !is_library(from, n)) {
			if (to != *at + sizeof(preload) - 1)
				*to++ = ':';
			memmove(to, from, n);
			to += n;
		}
		from += n + (from[n] != '\0');
	}
	*to = '\0';
	if (to == *at + sizeof(preload) - 1)
		drop(at);
}
