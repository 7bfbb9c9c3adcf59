/*
 * screen.h - the full-screen shell on a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SHELL_SCREEN_H
#define CLI_SHELL_SCREEN_H

#include "answer/loaded.h"
#include "cli/args.h"

/*
 * Run it until the user ends it, or play --keys.
 *
 * loaded  its profiles are taken over
 * Gives   the exit status
 */
int cmd_shell_screen(const struct args *a, struct loaded *loaded);

#endif
