/*
 * watchers.h - the processes of the watch lines of collect.cpa
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each line is a process cpa watch of its own, so a gate takes no memory or time of the collector. It ends with the collector.
 */
#ifndef FRONT_CLI_COLLECT_WATCHERS_H
#define FRONT_CLI_COLLECT_WATCHERS_H

#include "base/err.h"
#include "scrape/scrape_config.h"

#include <stddef.h>
#include <sys/types.h>

struct watchers {
	pid_t *pid; /* [n] */
	size_t n;
};

/* Check the options of all watch lines. Fails with ERR_USAGE "FILE:LINE: watch: problem". */
int watchers_check(const struct scrape_config *config, struct err *err);

/*
 * End the processes that run, and start those of a configuration.
 *
 * store   directory
 * Fails   ERR_IO: a process could not be started; the others run
 */
int watchers_start(struct watchers *w, const struct scrape_config *config, const char *store, struct err *err);
void watchers_stop(struct watchers *w);

#endif
