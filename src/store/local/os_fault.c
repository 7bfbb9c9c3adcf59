/*
 * os_fault.c - faults at changes of files, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/os_fault.h"

#include "store/local/os_undo.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum fault { FAULT_NONE, FAULT_KILL, FAULT_HALF, FAULT_DISCARD, FAULT_FULL, FAULT_FULL_ONCE, FAULT_SYNC };

/* Set once per process from the environment, or by a test before it writes. */
static enum fault fault;
static uint64_t fault_at;
static ino_t fault_file; /* with FAULT_SYNC: the file whose syncs fail */
static atomic_uint_fast64_t n_changes;

static enum fault find_fault(const char *what)
{
	static const char *const name[] = {
		[FAULT_KILL] = "kill", [FAULT_HALF] = "half",       [FAULT_DISCARD] = "discard",
		[FAULT_FULL] = "full", [FAULT_FULL_ONCE] = "full1", [FAULT_SYNC] = "sync",
	};

	for (int i = FAULT_KILL; i <= FAULT_SYNC; i++)
		if (what && strcmp(what, name[i]) == 0)
			return (enum fault)i;
	return what ? FAULT_KILL : FAULT_NONE;
}

void os_set_fault(uint64_t at, const char *what)
{
	fault = find_fault(what);
	fault_at = at;
	fault_file = 0;
	n_changes = 0;
	os_undo_enable(fault == FAULT_DISCARD);
}

static void read_environment(void)
{
	const char *at = getenv("CPA_STORE_DIE_AT"), *what = getenv("CPA_STORE_DIE");

	if (at)
		os_set_fault(strtoull(at, NULL, 10), what ? what : "kill");
}

uint64_t os_changes(void)
{
	return n_changes;
}

_Noreturn void os_die(void)
{
	os_undo_all();
	for (;;)
		raise(SIGKILL);
}

int os_count_change(enum os_need need, int fd)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t n;
	struct stat st;

	pthread_once(&once, read_environment);
	n = ++n_changes;
	if (fault == FAULT_NONE || n < fault_at)
		return 0;
	if (fault == FAULT_SYNC && (need & NEEDS_SYNC) && (fd < 0 || fstat(fd, &st) == 0)) {
		if (n == fault_at && fd >= 0)
			fault_file = st.st_ino;
		errno = EIO;
		return n == fault_at || (fd >= 0 && st.st_ino == fault_file) ? -1 : 0;
	}
	if ((fault == FAULT_FULL || (fault == FAULT_FULL_ONCE && n == fault_at)) && (need & NEEDS_SPACE)) {
		errno = ENOSPC;
		return -1;
	}
	if (fault == FAULT_HALF && n == fault_at && need == NEEDS_SPACE)
		return 1;
	if ((fault == FAULT_KILL || fault == FAULT_HALF || fault == FAULT_DISCARD) && n == fault_at)
		os_die();
	return 0;
}
