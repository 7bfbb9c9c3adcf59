/*
 * requests.c - requests of processes to sample a program that cannot load our library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A request is checked, since a program may write any value: a process that is about to execute a program has mapped
 * the segment, and one that does already is the child of such a process.
 */
#include "config.h"

#include "libcpaprof/collector/requests.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/read/task.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STAT_MAX = 512, PID_MAX = 1 << 22 };

void collect_requests_answer(struct collect *c, bool yes)
{
	atomic_store(&c->head->answers, yes);
}

void collect_requests_wait(struct collect *c, uint32_t *seen, int ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	syscall(SYS_futex, &c->head->n_requests, FUTEX_WAIT, *seen, &time, NULL, 0);
	*seen = atomic_load(&c->head->n_requests);
}

bool collect_has_segment(const struct collect *c, pid_t pid)
{
	return maps_has_file(pid, c->dev, c->ino) == MAPS_YES;
}

/* The parent of a process; 0 if not known. */
static pid_t parent_pid(pid_t pid)
{
	char path[32], text[STAT_MAX + 1];
	const char *name_end;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	task_read_file(AT_FDCWD, path, text, sizeof(text));
	name_end = strrchr(text, ')'); /* the name may contain anything */
	return name_end && sscanf(name_end, ") %*c %d", &parent) == 1 && parent > 0 ? parent : 0;
}

static bool collector_requests_is_valid(const struct collect *c, pid_t pid, enum request_state state)
{
	if (pid <= 0 || pid > PID_MAX)
		return false;
	return collect_has_segment(c, state == REQUEST_SPAWNED ? parent_pid(pid) : pid);
}

/* Free an answered request whose process ended before it did so. */
static void sweep_request(struct collect *c, _Atomic uint32_t *at, uint32_t request)
{
	if (!collect_has_segment(c, (pid_t)(request >> REQUEST_BITS)))
		atomic_compare_exchange_strong(at, &request, 0);
}

void collect_requests_each(struct collect *c, collect_request_fn *fn, void *arg)
{
	for (int i = 0; i < N_REQUESTS; i++) {
		_Atomic uint32_t *at = &c->head->request[i];
		uint32_t request = atomic_load(at);
		enum request_state state = (enum request_state)(request & ((1U << REQUEST_BITS) - 1));
		pid_t pid = (pid_t)(request >> REQUEST_BITS);

		if (state == REQUEST_DONE)
			sweep_request(c, at, request);
		if (state != REQUEST_EXEC && state != REQUEST_SPAWNED)
			continue;
		if (collector_requests_is_valid(c, pid, state))
			fn(arg, pid, state == REQUEST_SPAWNED);
		atomic_compare_exchange_strong(
			at, &request, state == REQUEST_SPAWNED ? 0 : segment_request((uint32_t)pid, REQUEST_DONE));
		syscall(SYS_futex, at, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}
