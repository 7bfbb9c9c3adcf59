/*
 * fetching.h - get what is on servers, and tell about it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_FETCHING_H
#define CLI_REPORT_FETCHING_H

#include "answer/remote.h"
#include "answer/sources.h"
#include "engine/query.h"

#include <stddef.h>

/*
 * Fetch all that these n lists name on servers, side by side. Ctrl-C ends it, and what has arrived
 * stays; a second one ends us.
 *
 * s       [n] their names may change: see remote_add
 * out     NULL when all are files; freed with remote_free, longer alive than s is used
 * Gives   the exit status; what could not be fetched is told when it is loaded
 */
int cmd_report_fetch(struct sources *s, size_t n, const struct query *q, struct remote **out);

#endif
