/*
 * screen.h - the full-screen shell on a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include "cli/args.h"
#include "profile/profile.h"
#include "report/side.h"

/*
 * Run it until the user ends it, or play --keys.
 *
 * p       sealed; both taken over
 * sides   the same with the samples of the base kept apart; p itself without a base
 * Gives   the exit status
 */
int screen_session(const struct args *a, struct profile *p, struct profile *sides,
		   const struct side_sources from[N_SIDES]);

#endif
