/*
 * jsonr.h - read JSON from memory, event by event
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There is no tree. After the first error all functions do nothing and return false or JSONR_ERROR, so a reader checks
 * jsonr.rc once, at its end:
 *
 *	if (jsonr_open(&r, JSONR_OBJECT))
 *		while (jsonr_key(&r))
 *			if (!jsonr_is(&r, "weights"))
 *				jsonr_skip(&r);
 *			else if (jsonr_open(&r, JSONR_ARRAY))
 *				while (jsonr_item(&r))
 *					if (jsonr_int(&r, &v))
 *						sum = num_add_capped(sum, v);
 *
 * Messages begin with the position, "byte 17: ...".
 */
#ifndef FORMATS_JSON_JSONR_H
#define FORMATS_JSON_JSONR_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jsonr_event {
	JSONR_ERROR, /* see rc */
	JSONR_END,   /* of the input, between values */
	JSONR_OBJECT,
	JSONR_OBJECT_END,
	JSONR_ARRAY,
	JSONR_ARRAY_END,
	JSONR_KEY,
	JSONR_STRING,
	JSONR_NUMBER,
	JSONR_TRUE,
	JSONR_FALSE,
	JSONR_NULL
};

enum { JSONR_DEPTH = 64 }; /* the usual limit of nesting */

/* A reader. Callers may read the first part. */
struct jsonr {
	int rc;         /* 0, or the code of the first error, whose message is in err */
	bool is_cut;    /* the error is that the input ends within a value */
	size_t start;   /* position of the last event */
	size_t at;      /* position after it */
	unsigned depth; /* open objects and arrays */

	/*
	 * The last key or string with its escapes decoded, or number as written: n bytes without NUL after it, valid until
	 * the next event. Other bytes are kept as they are, also if they are not valid UTF-8. Half of a surrogate pair is
	 * U+FFFD.
	 */
	const char *text;
	size_t len;

	const char *data;
	size_t n;
	struct err *err;
	unsigned max_depth;
	uint64_t *is_object; /* a bit per open object or array */
	bool is_first;       /* nothing is in the open object or array yet */
	bool is_after_key;
	bool is_after_comma; /* jsonr_item has passed it */
	struct buf decoded;
};

/*
 * data       [n] borrowed; a byte order mark at its beginning is skipped
 * max_depth  of objects and arrays in each other; JSONR_DEPTH unless the format nests deeply
 * err        borrowed
 */
void jsonr_init(struct jsonr *r, const void *data, size_t n, unsigned max_depth, struct err *err);
void jsonr_release(struct jsonr *r);

/* Continue with the value at a position, at depth 0. It may be an `at` of a reader after jsonr_key or jsonr_item. */
void jsonr_seek(struct jsonr *r, size_t at);

/*
 * The next event. A string is either JSONR_KEY or JSONR_STRING. At depth 0 one value may follow another, as in lines of
 * JSON.
 */
enum jsonr_event jsonr_next(struct jsonr *r);

/* Read the beginning of an object or array. Returns false, without an error, for null, which is skipped. */
bool jsonr_open(struct jsonr *r, enum jsonr_event kind);

/* In an object: read the next key; its value is next. Returns false at the end of the object, which is then closed. */
bool jsonr_key(struct jsonr *r);

/* In an array: is there a value next? Returns false at the end of the array, which is then closed. */
bool jsonr_item(struct jsonr *r);

/* The first byte of the value that is next, such as '"' or '['; NUL at the end of the input. Reads nothing. */
char jsonr_peek(struct jsonr *r);

/* Is the last key or string this text? */
bool jsonr_is(const struct jsonr *r, const char *text);

/*
 * Read a value of this type. Return false for null, which is skipped, and leave *out unchanged; another type is an error.
 * A number may be a string of its digits, as Protobuf writes it. Numbers out of range are the nearest one in range;
 * fractions are rounded to the nearest integer.
 */
bool jsonr_string(struct jsonr *r);
bool jsonr_int(struct jsonr *r, int64_t *out);
bool jsonr_double(struct jsonr *r, double *out);
bool jsonr_bool(struct jsonr *r, bool *out);

/* Read a number and multiply it by a factor before it is rounded: seconds with 1000000000 are nanoseconds. */
bool jsonr_scaled(struct jsonr *r, int64_t factor, int64_t *out);

/* Skip a value of any type. */
void jsonr_skip(struct jsonr *r);

/* Check that only blanks follow the last value. */
void jsonr_end(struct jsonr *r);

/* Set an error at the last event, unless there is one. Returns the code of the first error. */
int jsonr_fail(struct jsonr *r, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
