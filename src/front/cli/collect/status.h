/*
 * status.h - print the state of a running collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_COLLECT_STATUS_H
#define FRONT_CLI_COLLECT_STATUS_H

#include <stdbool.h>

/* Ask the collector that holds the store ("" for the default) over its socket. Returns the exit status. */
int cmd_collect_status(const char *store, bool json);

#endif
