/*
 * browser.h - open the web UI in a browser
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_WEB_BROWSER_H
#define FRONT_CLI_WEB_BROWSER_H

#include <stdbool.h>

/* Is there a display of this user to open a browser on? */
bool cmd_web_has_display(void);

/*
 * Start the first browser that exists, in the background: $BROWSER, then known ones. Its output is discarded.
 *
 * Returns false if there is none
 * Like    pprof internal/driver/webui.go, openBrowser, and commands.go, browsers
 */
bool cmd_web_open_browser(const char *url);

/* Print how to open the web UI on another machine, with ssh. port: 0 for the Unix socket url. */
void cmd_web_say_ssh(const char *url, unsigned port);

#endif
