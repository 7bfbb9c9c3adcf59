/*
 * bad.h - moves damaged files out of the way
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_WRITE_BAD_H
#define STORE_LOCAL_WRITE_BAD_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * Move a file of a store to bad/, with a text beside it that says why. A file in bad/ is never replaced: the new one gets a number.
 *
 * dir    descriptor of the store, whose name is directory
 * mode   of folders; files get its bits for reading and writing
 * bytes  out: allocated bytes of the file and the text, to be counted under the cap; may be NULL
 * Fails  ERR_IO; a file that is missing is no error
 */
int bad_move(int dir, const char *directory, mode_t mode, const char *file, const char *why, uint64_t *bytes,
	     struct err *err);

#endif
