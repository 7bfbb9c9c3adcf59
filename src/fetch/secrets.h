/*
 * secrets.h - header lines that only the server that was named may see
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_SECRETS_H
#define FETCH_SECRETS_H

#include "base/buf.h"
#include "base/err.h"
#include "fetch/fetch.h"

#include <stddef.h>

struct secrets {
	char **line; /* [n] "Name: value" */
	size_t n, cap;
};

/*
 * Read the header and bearer files.
 *
 * notes   a line is appended for a file that others can read
 * out     zero-initialised; released with secrets_release, also after a failure
 * Fails   ERR_IO, ERR_USAGE, naming option and file, and nothing that is in it
 */
int secrets_read(const struct fetch_how *how, struct secrets *out, struct buf *notes, struct err *err);

/* Overwrites them before they go. */
void secrets_release(struct secrets *s);

#endif
