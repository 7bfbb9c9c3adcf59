/*
 * events.h - what the command line shows while sources are fetched and read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_EVENTS_H
#define CLI_REPORT_EVENTS_H

#include "answer/loaded.h"

/* Progress on a terminal, notes on standard error. Ctrl-C ends fetching, and what has arrived is used; a second one
   ends cpa. */
extern const struct load_events cmd_report_events;

#endif
