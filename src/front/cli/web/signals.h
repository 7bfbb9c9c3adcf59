/*
 * signals.h - end the web UI on signals
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_WEB_SIGNALS_H
#define FRONT_CLI_WEB_SIGNALS_H

#include <stdbool.h>

/* Value that cmd_web_signals_wake makes cmd_web_signals_wait return. */
enum { WEB_WOKEN = 0, WEB_TIMEOUT = -1 };

/* Catch SIGINT, SIGTERM and SIGHUP, unless they are ignored. Returns false, with errno set, without descriptors. */
bool cmd_web_signals_catch(void);

/* Make the next cmd_web_signals_wait return; callable from any thread. */
void cmd_web_signals_wake(void);

/* Wait for a signal, at most ms unless it is negative. Returns its number, WEB_WOKEN or WEB_TIMEOUT. */
int cmd_web_signals_wait(int ms);

/* End the process with a signal, so that the shell sees its status. */
_Noreturn void cmd_web_signals_raise(int number);

#endif
