/*
 * forward.h - send a command line to the collector that holds the store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_STORE_FORWARD_H
#define CLI_STORE_FORWARD_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/*
 * Let the collector that holds a store run a command line of cpa store.
 *
 * argv       [argc] arguments after "store"
 * has_files  are the words after the subcommand names of files?
 * out        the output of the command is appended
 * Returns its exit status, 0 or 1
 * Fails   ERR_UNKNOWN when no collector holds the store; as the command
 */
int cmd_store_forward(const char *directory, bool has_files, int argc, char **argv, struct buf *out, struct err *err);

#endif
