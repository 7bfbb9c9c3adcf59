/*
 * interrupt.h - handle Ctrl-C while fetching or sampling
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_INTERRUPT_H
#define FRONT_CLI_INTERRUPT_H

#include "base/stop.h"

#include <stdbool.h>

/*
 * Make Ctrl-C set a stop flag; a second Ctrl-C terminates cpa. If SIGINT is ignored, it stays ignored.
 *
 * Returns the stop flag, not set yet; within another catch that one's, which may be set
 */
struct stop *cmd_interrupt_catch(void);

/* The same for Ctrl-C and SIGTERM. */
struct stop *cmd_interrupt_catch_with_term(void);

/* Restore the previous handling of the signals. Returns true if the stop flag was set. */
bool cmd_interrupt_release(void);

#endif
