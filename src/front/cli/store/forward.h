/*
 * forward.h - send a command line to the collector that holds the store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_STORE_FORWARD_H
#define FRONT_CLI_STORE_FORWARD_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Let the collector that holds a store run a command line of cpa store.
 *
 * socket  of the collector
 * argv    [argc] arguments after "store"
 * out     the output of the command is appended, also if it fails
 * Returns its exit status, 0 or 1
 * Fails   as the command, with its message
 */
int cmd_store_forward(const char *socket, int argc, char **argv, struct buf *out, struct err *err);

#endif
