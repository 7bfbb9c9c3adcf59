/*
 * jsonw.h - write JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_JSONW_H
#define BASE_JSONW_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A writer over a buffer; it sets commas, line ends and indentation. Start with { .out = &buf }. */
struct json {
	struct buf *out;
	unsigned depth;
	bool tight; /* everything on one line */
	bool more;  /* something stands before on this level */
	bool keyed; /* a key was just written */
};

void jsonw_open(struct json *j, char bracket);  /* '{' or '[' */
void jsonw_close(struct json *j, char bracket); /* '}' or ']' */
void jsonw_key(struct json *j, const char *key);

/* Bytes that are not UTF-8 become U+FFFD; controls, quotes, < > & and U+2028/9 are escaped. */
void jsonw_text(struct json *j, const char *s, size_t n);
void jsonw_textz(struct json *j, const char *s);
void jsonw_int(struct json *j, int64_t v);

/* A key and its value. */
void jsonw_add_text(struct json *j, const char *key, const char *text);
void jsonw_add_int(struct json *j, const char *key, int64_t v);

/* A value that is JSON already; what a caller appends to out right behind it belongs to it. */
void jsonw_raw(struct json *j, const char *s, size_t n);
void jsonw_bool(struct json *j, bool v);

/* A number with at most four decimals; what is not finite is null. */
void jsonw_real(struct json *j, double v);

/* A number in the fewest digits that read back as the same double; what is not finite is null. */
void jsonw_number(struct json *j, double v);
void jsonw_add_number(struct json *j, const char *key, double v);

#endif
