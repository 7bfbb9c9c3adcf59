/*
 * interrupt.h - Ctrl-C while servers are asked
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include "base/stop.h"

#include <stdbool.h>

/*
 * From now on Ctrl-C sets a stop, and a second one ends cpa. Where it is ignored it stays ignored.
 *
 * Gives   the stop, not set
 */
struct stop *cmd_interrupt_catch(void);

/* Ctrl-C does what it did before. Gives whether the stop was set. */
bool cmd_interrupt_release(void);

#endif
