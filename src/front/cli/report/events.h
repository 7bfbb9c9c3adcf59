/*
 * events.h - show progress and notes while sources are fetched and read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_REPORT_EVENTS_H
#define FRONT_CLI_REPORT_EVENTS_H

#include "sources/load.h"

/* Progress on a terminal, notes on standard error. Ctrl-C stops fetching and continues with the profiles received so
   far; a second Ctrl-C ends cpa. */
extern const struct load_events cmd_report_events;

/* Print the URLs that will be fetched, the processes that will be sampled, and the duration of requests if there is one. */
void cmd_report_say_sources(const struct remote *r, const struct query *q);

#endif
