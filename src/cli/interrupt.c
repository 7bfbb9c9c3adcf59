/*
 * interrupt.c - handle Ctrl-C while fetching
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/interrupt.h"

#include <signal.h>

/* Set by the signal handler. */
static struct stop interrupted;
static struct sigaction before;

static void interrupt(int number)
{
	(void)number;
	stop_set(&interrupted);
}

struct stop *cmd_interrupt_catch(void)
{
	struct sigaction ours = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND };

	interrupted = (struct stop){ 0 };
	sigaction(SIGINT, NULL, &before);
	if (before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &ours, NULL);
	return &interrupted;
}

bool cmd_interrupt_release(void)
{
	sigaction(SIGINT, &before, NULL);
	return stop_is_set(&interrupted);
}
