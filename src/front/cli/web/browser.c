/*
 * browser.c - open the web UI in a browser
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/web/browser.h"

#include "base/buf.h"
#include "base/mem.h"
#include "front/cli/messages.h"
#include "front/cli/report/open.h"

#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 16 };

static bool browser_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* A browser started by root would run with the rights of root, and some refuse to start; so root must choose one. */
bool cmd_web_has_display(void)
{
	if (browser_is_set("SSH_CONNECTION") || (geteuid() == 0 && !browser_is_set("BROWSER")))
		return false;
	return browser_is_set("BROWSER") || browser_is_set("DISPLAY") || browser_is_set("WAYLAND_DISPLAY");
}

/* Start a program with its own session, without standard streams. Returns false if it does not exist. */
static bool browser_start(char *const *argv)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawnp(&pid, argv[0], &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return rc == 0;
}

/* Start a command, split at blanks; the URL replaces %s, or is the last argument. */
static bool browser_start_command(const char *command, const char *url)
{
	char *words = mem_strndup(command, strlen(command)), *rest = words, *word;
	char *argv[WORDS_MAX + 2];
	char *address = mem_strndup(url, strlen(url));
	bool has_url = false, rc;
	size_t n = 0;

	while ((word = strsep(&rest, " "))) {
		bool is_url = strcmp(word, "%s") == 0;

		has_url |= is_url;
		if (*word && n < WORDS_MAX)
			argv[n++] = is_url ? address : word;
	}
	if (!has_url)
		argv[n++] = address;
	argv[n] = NULL;
	rc = n > 1 && argv[0] != address && browser_start(argv);
	free(words);
	free(address);
	return rc;
}

bool cmd_web_open_browser(const char *url)
{
	const char *browsers[CMD_REPORT_BROWSERS_MAX];
	size_t n = cmd_report_list_browsers(browsers);

	for (size_t i = 0; i < n; i++)
		if (browser_start_command(browsers[i], url))
			return true;
	return false;
}

void cmd_web_say_ssh(const char *url, unsigned port)
{
	char machine[HOST_NAME_MAX + 1] = "HOST";
	const struct passwd *user = getpwuid(geteuid());
	const char *name = user ? user->pw_name : "USER";

	gethostname(machine, sizeof(machine) - 1);
	if (port)
		say("no browser opened; on your machine run: ssh -L %u:localhost:%u %s@%s, then open "
		    "http://localhost:%u",
		    port, port, name, machine, port);
	else
		say("no browser opened; on your machine run: ssh -L 8080:%s %s@%s, then open http://localhost:8080",
		    url + strlen("unix:"), name, machine);
}
