/*
 * import.h - read tar files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_STORE_IMPORT_H
#define FRONT_CLI_STORE_IMPORT_H

#include "base/err.h"
#include "base/io.h"

#include <stdbool.h>
#include <stdint.h>

/* Is it a tar file (POSIX or GNU), not compressed? */
bool cmd_store_tar_is(const struct bytes *data);

/* Called for each regular file of a tar file; data is owned by the callee. Returns 0, or ERR_* to end. */
typedef int cmd_store_tar_fn(void *arg, const char *name, struct bytes *data, int64_t time_ns, struct err *err);

/* Call fn for all regular files whose names do not end in .json or .txt. Fails with ERR_FORMAT, naming the offset. */
int cmd_store_tar_each(const struct bytes *tar, cmd_store_tar_fn *fn, void *arg, struct err *err);

#endif
