/*
 * err.h - errors as values: a code and one sentence for a person
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_code {
	ERR_IO = -1,      /* the operating system said no */
	ERR_FORMAT = -2,  /* the input is not what it should be */
	ERR_LIMIT = -3,   /* a limit was met; the sentence names the flag that lifts it */
	ERR_USAGE = -4,   /* the command line or an option value is wrong */
	ERR_RANGE = -5,   /* a number leaves its type */
	ERR_UNKNOWN = -6, /* not this format: the next reader may try */
	ERR_STOPPED = -7, /* somebody asked to: see stop.h */
};

/* An error; msg reads outside in ("reading a.pb.gz: sample 3: ..."). Text in it may be hostile. */
struct err {
	int code;
	char msg[1024];
};

/*
 * Write the sentence of an error.
 *
 * err     filled; may be NULL when the caller only wants the code
 * code    one of ERR_*
 * Gives   code, so that a caller can return it
 */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Put one clause and ": " in front of the sentence.
 *
 * Gives   the code that err holds
 */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
