/*
 * screen.h - the full-screen shell on a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SHELL_SCREEN_H
#define CLI_SHELL_SCREEN_H

#include "cli/args.h"
#include "cli/report/loaded.h"

/*
 * Run it until the user ends it, or play --keys.
 *
 * subject  loaded; its profiles are taken over
 * Gives    the exit status
 */
int cmd_shell_screen(const struct args *a, struct subject *subject);

#endif
