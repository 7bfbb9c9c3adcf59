/*
 * env.c - reads the environment without getenv, which programs replace
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/env.h"
#include "libcpaprof/target/target.h"

#include <string.h>
#include <unistd.h>

static const char segment[] = "CPA_SEGMENT=", preload[] = "LD_PRELOAD=", library[] = "libcpaprof.so";

char **cpi_env_find_sig(const char *name)
{
	size_t n = strlen(name);

	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return e;
	return NULL;
}

const char *cpi_env_value_sig(const char *name)
{
	char **at = cpi_env_find_sig(name);

	return at ? *at + strlen(name) + 1 : NULL;
}

static int env_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* PATH:NONCE, where NONCE is 32 hexadecimal digits */
static bool read_segment(const char *text, struct env *e)
{
	const char *colon = text ? strchr(text, ':') : NULL;
	size_t n = colon ? (size_t)(colon - text) : 0;

	if (!colon || n == 0 || n >= sizeof(e->path) || strlen(colon + 1) != 32)
		return false;
	memcpy(e->path, text, n);
	e->path[n] = '\0';
	for (int i = 0; i < 32; i++) {
		int d = env_digit(colon[1 + i]);

		if (d < 0)
			return false;
		e->nonce[i / 16] = e->nonce[i / 16] << 4 | (uint64_t)d;
	}
	return true;
}

bool cpi_env_read(struct env *e)
{
	return read_segment(cpi_env_value_sig("CPA_SEGMENT"), e);
}

void cpi_env_remove_variable(char **at)
{
	for (; at && *at; at++)
		at[0] = at[1];
}

/* Is this element of LD_PRELOAD our library, in any version? */
static bool is_library(const char *name, size_t n)
{
	size_t len = sizeof(library) - 1;
	const char *slash = memrchr(name, '/', n);
	size_t folder = slash ? (size_t)(slash + 1 - name) : 0;

	return n - folder >= len && memcmp(name + folder, library, len) == 0 &&
	       (n - folder == len || name[folder + len] == '.');
}

/* Copy the elements of LD_PRELOAD except our library. to may be the same as from. Returns the length. */
static size_t strip_library(const char *from, char *to)
{
	const char *separator = NULL;
	size_t at = 0;

	for (size_t n; *from; from += n + (from[n] != '\0')) {
		n = strcspn(from, ": ");
		if (!n || is_library(from, n))
			continue;
		if (at)
			to[at++] = *separator;
		memmove(to + at, from, n);
		at += n;
		separator = from + n;
	}
	to[at] = '\0';
	return at;
}

void cpi_env_remove(void)
{
	char **at;

	cpi_env_remove_variable(cpi_env_find_sig("CPA_SEGMENT"));
	at = cpi_env_find_sig("LD_PRELOAD"); /* only now, because its entry may have been moved */
	if (at && strip_library(*at + strlen(preload), *at + strlen(preload)) == 0)
		cpi_env_remove_variable(at);
}

static bool env_starts_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Find our library in an LD_PRELOAD= entry. Returns the length of its path, 0 if it is not there. */
static size_t env_find_library(const char *text, const char **path)
{
	text += strlen(preload);
	for (size_t n; *text; text += n + (text[n] != '\0')) {
		n = strcspn(text, ": ");
		*path = text;
		if (is_library(text, n))
			return n;
	}
	return 0;
}

static bool has_library(const char *text)
{
	const char *path;

	return env_find_library(text, &path) > 0;
}

size_t cpi_env_library_sig(char *const env[], const char **path)
{
	for (; env && *env; env++) {
		size_t n = env_starts_with(*env, preload) ? env_find_library(*env, path) : 0;

		if (n)
			return n;
	}
	return 0;
}

size_t cpi_env_stripped_size_sig(char *const env[])
{
	size_t room = sizeof(*env);
	bool any = false;

	for (; env && *env; env++) {
		bool loads = env_starts_with(*env, preload) && has_library(*env);

		any |= loads || env_starts_with(*env, segment);
		room += sizeof(*env) + (loads ? strlen(*env) + 1 : 0);
	}
	return any ? room : 0;
}

char **cpi_env_strip_sig(char *const env[], void *room)
{
	char **to = room, *text;
	size_t n = 0;

	while (env[n])
		n++;
	text = (char *)(to + n + 1);
	for (; *env; env++) {
		if (env_starts_with(*env, preload) && has_library(*env)) {
			size_t name = strlen(preload), len;

			memcpy(text, preload, name);
			len = strip_library(*env + name, text + name);
			if (len)
				*to++ = text;
			text += name + len + 1;
		} else if (!env_starts_with(*env, segment)) {
			*to++ = *env;
		}
	}
	*to = NULL;
	return room;
}

bool cpi_env_is_ours_sig(char *const env[])
{
	for (; env && *env; env++) {
		struct env e = { 0 };

		if (env_starts_with(*env, segment))
			return read_segment(*env + strlen(segment), &e) && (e.nonce[0] ^ e.nonce[1]) == cpi.cookie;
	}
	return false;
}
