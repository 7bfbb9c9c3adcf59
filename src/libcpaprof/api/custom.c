/*
 * custom.c - profiles that the program makes, and finding those that there always are
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks are counted in the tables of the process, as added and removed, under the number of the name of
 * the profile. The name alone, with no frames, says that the process has the profile.
 *
 * A child of fork has tables of its own: values that were added before it was forked are known
 * in it, but counted in the parent alone.
 *
 * One lock is for all of it. Fork takes it, so that the child finds everything whole, and lets in who forks:
 * its own handlers of fork may add and remove.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/profiles.h"
#include "libcpaprof/api/values.h"

#include "libcpaprof/target/here.h"
#include "libcpaprof/target/labels.h"
#include "libcpaprof/target/stacks.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>

enum { N_BUILT_IN = 7, N_LISTED = 6, CUSTOM_MOST = 256 };
enum { UNLOCKED, LOCKED, WAITED_FOR };

/* The first ones are listed. */
static struct cpa_profile built_in[N_BUILT_IN] = {
	{ .name = "allocs", .kind = SNAP_ALLOCS },       { .name = "block", .kind = SNAP_BLOCK },
	{ .name = "heap", .kind = SNAP_HEAP },           { .name = "mutex", .kind = SNAP_MUTEX },
	{ .name = "threadcreate", .kind = SNAP_CREATE }, { .name = "threads", .kind = SNAP_THREADS },
	{ .name = "goroutine", .kind = SNAP_THREADS },
};

static _Atomic uint32_t lock, forking; /* the latter: the thread that forks, which has the lock */

/* guarded by the lock */
static struct cpa_profile custom[CUSTOM_MOST];
static uint32_t n_custom;

static void take_lock(void)
{
	uint32_t is = UNLOCKED;

	if (atomic_load(&forking) && atomic_load(&forking) == sys_gettid())
		return;
	if (atomic_compare_exchange_strong(&lock, &is, LOCKED))
		return;
	while (atomic_exchange(&lock, WAITED_FOR) != UNLOCKED)
		sys_call(SYS_futex, (long)&lock, FUTEX_WAIT_PRIVATE, WAITED_FOR, 0);
}

static void leave_lock(void)
{
	if (atomic_load(&forking) && atomic_load(&forking) == sys_gettid())
		return;
	if (atomic_exchange(&lock, UNLOCKED) == WAITED_FOR)
		sys_call(SYS_futex, (long)&lock, FUTEX_WAKE_PRIVATE, 1, 0);
}

static void before_fork(void)
{
	take_lock();
	atomic_store(&forking, sys_gettid());
}

static void in_parent(void)
{
	atomic_store(&forking, 0);
	leave_lock();
}

static void in_child(void)
{
	atomic_store(&forking, 0);
	atomic_store(&lock, UNLOCKED);
}

static bool is_name(const char *name)
{
	size_t n = 0;

	for (; name && name[n]; n++)
		if ((unsigned char)name[n] <= ' ' || name[n] == 0x7f || n == SNAP_NAME_MAX - 1)
			return false;
	return n > 0;
}

static struct cpa_profile *find(const char *name)
{
	for (uint32_t i = 0; i < N_BUILT_IN; i++)
		if (strcmp(built_in[i].name, name) == 0)
			return &built_in[i];
	for (uint32_t i = 0; i < n_custom; i++)
		if (strcmp(custom[i].name, name) == 0)
			return &custom[i];
	return NULL;
}

/* Tell the collector of a profile, if there is one (before the lock is taken: it has its own). Gives its number, 0 when it cannot be told. */
static uint32_t publish(struct cpa_profile *p)
{
	struct labels_pair name = { "", p->name, { 0, (uint16_t)strlen(p->name) } };
	uint32_t life = cpi_tables_life() + 1;
	uint64_t no_frame = 0;

	if (p->life == life && p->number)
		return p->number;
	if (p->life && p->life != life)
		p->count = 0;
	p->life = life;
	if (!p->number && cpi.labels)
		p->number = cpi_labels_add_sig(&name, 1);
	if (p->number == LABELS_OVERFLOW)
		p->number = 0;
	if (p->number)
		cpi_stack_find_sig(STACK_CUSTOM, p->number, LABELS_NONE, &no_frame, 0);
	return p->number;
}

CPA_EXPORT cpa_profile *cpa_profile_new(const char *name)
{
	static bool prepared;
	struct cpa_profile *p = NULL;
	int error = EEXIST;

	if (!is_name(name)) {
		errno = EINVAL;
		return NULL;
	}
	collector_ensure_segment();
	take_lock();
	if (!find(name)) {
		error = ENOMEM;
		if (n_custom < CUSTOM_MOST && (prepared || pthread_atfork(before_fork, in_parent, in_child) == 0)) {
			prepared = true;
			p = &custom[n_custom];
			p->kind = SNAP_CUSTOM;
			memcpy(p->name, name, strlen(name) + 1);
			publish(p);
			n_custom++;
		}
	}
	leave_lock();
	if (!p)
		errno = error;
	return p;
}

CPA_EXPORT cpa_profile *cpa_profile_lookup(const char *name)
{
	struct cpa_profile *p;

	if (!name)
		return NULL;
	take_lock();
	p = find(name);
	leave_lock();
	return p;
}

CPA_EXPORT size_t cpa_profile_list(cpa_profile **out, size_t n)
{
	struct cpa_profile *all[N_LISTED + CUSTOM_MOST];
	size_t n_all = 0;

	take_lock();
	for (uint32_t i = 0; i < N_LISTED + n_custom; i++) {
		struct cpa_profile *p = i < N_LISTED ? &built_in[i] : &custom[i - N_LISTED];
		size_t at = n_all++;

		for (; at > 0 && strcmp(all[at - 1]->name, p->name) > 0; at--)
			all[at] = all[at - 1];
		all[at] = p;
	}
	leave_lock();
	for (size_t i = 0; out && i < n && i < n_all; i++)
		out[i] = all[i];
	return n_all;
}

CPA_EXPORT const char *cpa_profile_name(const cpa_profile *p)
{
	return p ? p->name : NULL;
}

static uint32_t index_of(const struct cpa_profile *p)
{
	return (uint32_t)(p - custom) + 1;
}

CPA_EXPORT int64_t cpa_profile_count(cpa_profile *p)
{
	int64_t n;

	if (!p)
		return 0;
	if (p->kind != SNAP_CUSTOM)
		return profiles_count(p);
	take_lock();
	publish(p);
	n = p->count;
	leave_lock();
	return n;
}

CPA_EXPORT int cpa_profile_add(cpa_profile *p, const void *value, int skip)
{
	struct value v = { .value = (uintptr_t)value };
	uint64_t pc[FRAMES_MAX];
	uint32_t n;
	int rc;

	if (!p || p->kind != SNAP_CUSTOM)
		return -EPERM;
	collector_ensure_segment();
	n = cpi_here_sig(pc, FRAMES_MAX, skip > 0 ? (uint32_t)skip + 1 : 1);
	take_lock();
	v.profile = index_of(p);
	v.told = publish(p) != 0;
	v.life = p->life;
	if (v.told)
		v.stack = cpi_stack_find_sig(STACK_CUSTOM, p->number, LABELS_NONE, pc, n);
	rc = values_add(&v);
	if (rc == 0) {
		p->count++;
		if (v.told)
			cpi_stack_add_sig(STACK_CUSTOM, v.stack, CUSTOM_ADDED, 1);
	}
	leave_lock();
	return rc;
}

CPA_EXPORT int cpa_profile_remove(cpa_profile *p, const void *value)
{
	struct value v;
	bool was;

	if (!p || p->kind != SNAP_CUSTOM)
		return -EPERM;
	take_lock();
	publish(p);
	was = values_take((uintptr_t)value, index_of(p), &v);
	if (was && v.life == p->life) {
		p->count--;
		if (v.told)
			cpi_stack_add_sig(STACK_CUSTOM, v.stack, CUSTOM_REMOVED, 1);
	}
	leave_lock();
	return was ? 0 : -ENOENT;
}
