/*
 * jsonw.h - JSON writer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_JSONW_H
#define BASE_JSONW_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A writer that appends to a buffer, with commas, newlines and indentation. Initialize with { .out = &buf }. */
struct json {
	struct buf *out;
	unsigned depth;
	bool is_one_line;  /* no newlines and no indentation */
	bool has_previous; /* the open array or object is not empty */
	bool is_after_key; /* a key has been written, its value has not */
};

void jsonw_open(struct json *j, char bracket);  /* '{' or '[' */
void jsonw_close(struct json *j, char bracket); /* '}' or ']' */
void jsonw_key(struct json *j, const char *key);

/* Invalid UTF-8 becomes U+FFFD; control characters, quotes, < > & and U+2028/9 are escaped. */
void jsonw_text(struct json *j, const char *s, size_t n);
void jsonw_textz(struct json *j, const char *s);
void jsonw_int(struct json *j, int64_t v);

/* A key and its value. */
void jsonw_add_text(struct json *j, const char *key, const char *text);
void jsonw_add_int(struct json *j, const char *key, int64_t v);
void jsonw_add_bool(struct json *j, const char *key, bool v);
void jsonw_add_real(struct json *j, const char *key, double v); /* as jsonw_real */
void jsonw_add_texts(struct json *j, const char *key, const char *const *text, size_t n);

/* A key and the start of its object or array, to be closed with jsonw_close. */
void jsonw_open_key(struct json *j, const char *key, char bracket);

/* A value, or the start of a value, that is already JSON; the caller may append the remaining part to out. */
void jsonw_raw(struct json *j, const char *s, size_t n);
void jsonw_bool(struct json *j, bool v);

/* A number with at most four decimals; null when it is not finite. */
void jsonw_real(struct json *j, double v);

/* A number with the fewest digits that parse to the same double; null when it is not finite. */
void jsonw_number(struct json *j, double v);
void jsonw_add_number(struct json *j, const char *key, double v);

#endif
