/*
 * secrets.h - secret header lines, sent only to the server that the user named
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
 * notes   a warning is appended for a file that other users can read
 * out     must be zero-initialised; released with secrets_release, even after a failure
 * Fails   ERR_IO, ERR_USAGE; the message names the option and the file, but quotes nothing from the file
 */
int secrets_read(const struct fetch_options *options, struct secrets *out, struct buf *notes, struct err *err);

/* Overwrite and free the secrets. */
void secrets_release(struct secrets *s);

#endif
