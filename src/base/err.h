/*
 * err.h - errors as values: a code and a message
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_code {
	ERR_IO = -1,      /* a system call failed */
	ERR_FORMAT = -2,  /* malformed input */
	ERR_LIMIT = -3,   /* a limit was exceeded; the message names the option that raises it */
	ERR_USAGE = -4,   /* invalid command line or option value */
	ERR_RANGE = -5,   /* a number overflows its type */
	ERR_UNKNOWN = -6, /* not this format; another reader may accept it */
	ERR_STOPPED = -7, /* cancelled by the user: see stop.h */
	ERR_MEMORY = -8,  /* a request needs more memory than the server may use */
};

/* An error. msg goes from the outermost context to the innermost ("reading a.pb.gz: sample 3: ..."). It may quote
   hostile input. */
struct err {
	int code;
	char msg[1024];
};

/*
 * Set the code and the message of an error.
 *
 * err     may be NULL when the caller only needs the code
 * code    one of ERR_*
 * Returns code, so that a caller can return it directly
 */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Prepend context and ": " to the message.
 *
 * Returns the code of err
 */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
