/*
 * check.h - the checks of cpa watch on a source
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_WATCH_CHECK_H
#define FRONT_CLI_WATCH_CHECK_H

#include "base/err.h"
#include "base/stop.h"
#include "front/cli/watch/watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of checks. */
struct cmd_watch_count {
	size_t n[WATCH_INCONCLUSIVE + 1]; /* compared, by outcome */
	size_t without_profiles;          /* the window has none */
	size_t without_base;              /* fewer than WATCH_BASE_MIN earlier windows have some */
};

struct cmd_watch_round {
	const struct cmd_watch_args *args;
	struct stop *stop;
	/* checks as of watch_plan; a WINDOW of the source replaces them */
	int64_t from, deploys_from, until;
	bool prints_all; /* also regular checks that do not fail */
	struct cmd_watch_count count;
};

/*
 * Check all series of a source: print, send and mark new alarms. With a WINDOW in the source, all checks of
 * the window are printed, and nothing is sent.
 *
 * Fails   as the store and the gate; what was sent before is marked
 */
int cmd_watch_check(struct cmd_watch_round *round, const char *source, struct err *err);

#endif
