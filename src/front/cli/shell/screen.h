/*
 * screen.h - the full-screen shell on a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_SHELL_SCREEN_H
#define FRONT_CLI_SHELL_SCREEN_H

#include "front/cli/args.h"
#include "sources/load.h"

/*
 * Run the full screen until the user quits, or play --keys.
 *
 * loaded  its profiles are now owned by the full screen
 * Returns the exit status
 */
int cmd_shell_screen(const struct args *a, struct load_result *loaded);

#endif
