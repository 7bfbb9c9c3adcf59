/*
 * interrupt.c - handle Ctrl-C while fetching or sampling
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/interrupt.h"

#include <signal.h>

/* Set by the signal handler. */
static struct stop interrupted;
static const int signals[] = { SIGINT, SIGTERM };
enum { N_SIGNALS = sizeof(signals) / sizeof(signals[0]) };
static struct sigaction before[N_SIGNALS]; /* [n_caught] */
static int n_caught;
static int depth; /* of catches; the outermost one decides the signals */

static void interrupt(int number)
{
	(void)number;
	stop_set(&interrupted);
}

/* Catch the first n signals. */
static struct stop *interrupt_catch_signals(int n)
{
	struct sigaction ours = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND };

	if (depth++ > 0)
		return &interrupted;
	interrupted = (struct stop){ 0 };
	n_caught = n;
	for (int i = 0; i < n_caught; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &ours, NULL);
	}
	return &interrupted;
}

struct stop *cmd_interrupt_catch(void)
{
	return interrupt_catch_signals(1);
}

struct stop *cmd_interrupt_catch_with_term(void)
{
	return interrupt_catch_signals(N_SIGNALS);
}

bool cmd_interrupt_release(void)
{
	if (--depth == 0)
		for (int i = 0; i < n_caught; i++)
			sigaction(signals[i], &before[i], NULL);
	return stop_is_set(&interrupted);
}
