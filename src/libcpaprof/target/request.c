/*
 * request.c - ask the collector to sample a program that cannot load our library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All of this may run in children of fork and vfork: it takes no lock and writes only to the segment.
 */
#include "config.h"

#include "libcpaprof/target/request.h"

#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <linux/futex.h>
#include <stdbool.h>

#define NS_PER_S UINT64_C(1000000000)
#define WAIT_MAX_NS UINT64_C(200000000)

bool cpi_request_is_answered_sig(const struct segment_head *head)
{
	return head && atomic_load(&head->active) & ACTIVE_MASK && !cpi.is_self && atomic_load(&head->answers) &&
	       !atomic_load(&cpi.is_sandboxed);
}

/* Write a request, and wake the collector. Returns its place; NULL: there is no room. */
static _Atomic uint32_t *post_sig(struct segment_head *head, uint32_t request)
{
	for (int i = 0; i < N_REQUESTS; i++) {
		uint32_t free = 0;

		if (!atomic_compare_exchange_strong(&head->request[i], &free, request))
			continue;
		atomic_fetch_add(&head->n_requests, 1);
		sys_call(SYS_futex, (long)&head->n_requests, FUTEX_WAKE, 1, 0);
		return &head->request[i];
	}
	return NULL;
}

void cpi_request_exec_sig(struct segment_head *head)
{
	uint32_t request = segment_request(sys_getpid(), REQUEST_EXEC), now = request;
	_Atomic uint32_t *at = cpi_request_is_answered_sig(head) ? post_sig(head, request) : NULL;
	uint64_t end = sys_now(CLOCK_MONOTONIC) + WAIT_MAX_NS, time = 0;

	while (at && (now = atomic_load(at)) == request && (time = sys_now(CLOCK_MONOTONIC)) < end) {
		const struct timespec left = { .tv_sec = (time_t)((end - time) / NS_PER_S),
					       .tv_nsec = (long)((end - time) % NS_PER_S) };

		sys_call(SYS_futex, (long)at, FUTEX_WAIT, (long)request, (long)&left);
	}
	if (at)
		atomic_compare_exchange_strong(at, &now, 0);
}

void cpi_request_spawned_sig(uint32_t pid)
{
	if (cpi_request_is_answered_sig(cpi.head))
		post_sig(cpi.head, segment_request(pid, REQUEST_SPAWNED));
}
