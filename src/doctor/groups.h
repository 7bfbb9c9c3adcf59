/*
 * groups.h - threads or goroutines with the same stack, over several captures
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCTOR_GROUPS_H
#define DOCTOR_GROUPS_H

#include "doctor/growth.h"
#include "formats/dump/stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The event that a thread waits for. */
enum wait_kind {
	WAIT_LOCK,    /* a mutex or another lock */
	WAIT_DISK,    /* writes to a file, or waits until its data is on the disk */
	WAIT_SEND,    /* a receiver of a channel */
	WAIT_RECEIVE, /* a sender on a channel */
	WAIT_NEVER,   /* nothing: a nil channel, or a select without cases */
	WAIT_SELECT,  /* one of several channels */
	WAIT_COND,    /* a signal of a condition variable */
	WAIT_GROUP,   /* the end of other goroutines or threads */
	WAIT_SLEEP,
	WAIT_IO,    /* the network, a pipe, a terminal */
	WAIT_OTHER, /* in the kernel or the runtime */
	WAIT_NONE,  /* running, or ready to run */
	N_WAIT_KINDS
};

struct wait_group {
	enum wait_kind kind;
	const struct stacks *dump;          /* of the thread */
	const struct stacks_thread *thread; /* one of the group */
	uint64_t hash;
	uint32_t n[GROWTH_CAPTURES_MAX]; /* threads per capture */
	uint32_t n_always;               /* threads with this stack in all captures */
	uint64_t longest_s;              /* longest wait that the dump reports; 0: unknown */
};

struct wait_groups {
	struct wait_group *group; /* [n] most threads in the last capture first */
	size_t n, cap;
	size_t n_captures;
	uint32_t total[GROWTH_CAPTURES_MAX]; /* threads per capture, without those that make profiles */
	bool are_threads;
};

/*
 * Group the threads of dumps by state and functions. Threads that serve or make profiles are left out, also goroutines
 * that have just begun to serve a connection, as those of our requests.
 *
 * dump    [n] oldest first, 1 to GROWTH_CAPTURES_MAX
 * out     released with wait_groups_release
 */
void wait_groups_make(const struct stacks *const *dump, size_t n, struct wait_groups *out);
void wait_groups_release(struct wait_groups *w);

enum wait_kind wait_kind_of(const struct stacks *s, const struct stacks_thread *t);

/* The frame of the program nearest to the leaf; the first one if there is none; NULL without frames. */
const struct stacks_frame *wait_frame(const struct stacks *s, const struct stacks_thread *t);

/* Threads per capture whose kind is this. */
uint32_t wait_count(const struct wait_groups *w, enum wait_kind kind, size_t capture);

/* The group of a kind with the most threads over all captures; NULL if there is none. */
const struct wait_group *wait_largest(const struct wait_groups *w, enum wait_kind kind);

#endif
