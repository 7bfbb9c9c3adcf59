/*
 * signals.c - end the web UI on signals
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The handler writes the number of the signal into a pipe. A second signal ends the process at once.
 */
#include "config.h"

#include "front/cli/web/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int pipe_fds[2] = { -1, -1 };

static void write_byte(int value)
{
	unsigned char byte = (unsigned char)value;
	int before = errno;

	if (write(pipe_fds[1], &byte, 1) < 0) /* the pipe is full, so the reader will wake up */
		errno = before;
}

bool cmd_web_signals_catch(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction ours = { .sa_handler = write_byte, .sa_flags = (int)(SA_RESETHAND | SA_RESTART) };
	struct sigaction before;

	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &ours, NULL);
	return true;
}

void cmd_web_signals_wake(void)
{
	write_byte(WEB_WOKEN);
}

int cmd_web_signals_wait(int ms)
{
	struct pollfd fd = { .fd = pipe_fds[0], .events = POLLIN };
	unsigned char byte;

	while (poll(&fd, 1, ms) < 0 && errno == EINTR)
		;
	return read(pipe_fds[0], &byte, 1) == 1 ? byte : WEB_TIMEOUT;
}

_Noreturn void cmd_web_signals_raise(int number)
{
	signal(number, SIG_DFL);
	raise(number);
	_exit(128 + number); /* blocked by the parent */
}
