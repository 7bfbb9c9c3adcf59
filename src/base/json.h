/*
 * json.h - write JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

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

void json_open(struct json *j, char bracket);  /* '{' or '[' */
void json_close(struct json *j, char bracket); /* '}' or ']' */
void json_key(struct json *j, const char *key);

/* Bytes that are not UTF-8 become U+FFFD; controls, quotes, < > & and U+2028/9 are escaped. */
void json_text(struct json *j, const char *s, size_t n);
void json_textz(struct json *j, const char *s);
void json_int(struct json *j, int64_t v);

/* A key and its value. */
void json_add_text(struct json *j, const char *key, const char *text);
void json_add_int(struct json *j, const char *key, int64_t v);

/* A value that is JSON already; what a caller appends to out right behind it belongs to it. */
void json_raw(struct json *j, const char *s, size_t n);
void json_bool(struct json *j, bool v);

/* A number with at most four decimals; what is not finite is null. */
void json_real(struct json *j, double v);

/* A number in the fewest digits that read back as the same double; what is not finite is null. */
void json_number(struct json *j, double v);
void json_add_number(struct json *j, const char *key, double v);

#endif
