/*
 * profiles.c - profiles of this process that the program asks for: built in, and its own
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The values of a profile are in one open table, searched slot by slot. Behind a value that goes, those that were put further than they
 * wanted move up, so that no slot is ever marked as given up.
 *
 * The memory is of this process and by mmap: callers may hold locks of their allocator. All of it is called
 * with the lock of this file held.
 *
 * A profile is made in memory while we have the collector, and given away when we have left it: what the program
 * writes with may call us.
 *
 * Stacks are counted in the tables of the process, as added and removed, under the number of the name of
 * the profile. The name alone, with no frames, says that the process has the profile.
 *
 * A child of fork has tables of its own: values that were added before it was forked are known
 * in it, but counted in the parent alone.
 *
 * One lock is for all of them. Fork takes it, so that the child finds everything whole, and lets in who forks:
 * its own handlers of fork may add and remove.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/out.h"

#include "libcpaprof/api/cpa/pprof.h"

#include "libcpaprof/collector/body.h"
#include "libcpaprof/collector/elfnames.h"
#include "libcpaprof/collector/snap.h"

#include "libcpaprof/target/here.h"
#include "libcpaprof/target/labels.h"
#include "libcpaprof/target/stacks.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct value {
	uint64_t value;
	uint32_t profile; /* 0: the slot is free */
	uint32_t stack;   /* of libcpaprof/target/stacks.h */
	uint32_t life;    /* of the tables that it is in */
	bool told;        /* it is counted there */
};

enum { SLOTS_FIRST = 1024 };

static struct value *slot; /* [n_slots] */
static uint64_t n_slots, n_used;

static uint64_t wanted(const struct value *v, uint64_t n)
{
	uint64_t h = (v->value ^ (uint64_t)v->profile << 48) * 0x9e3779b97f4a7c15ULL;

	return (h ^ h >> 32) & (n - 1);
}

/* Where a value is, or the free slot where it would be. */
static uint64_t look(const struct value *in, uint64_t n, const struct value *v)
{
	uint64_t i = wanted(v, n);

	while (in[i].profile && (in[i].profile != v->profile || in[i].value != v->value))
		i = (i + 1) & (n - 1);
	return i;
}

static bool grow(void)
{
	uint64_t want = n_slots ? n_slots * 2 : SLOTS_FIRST;
	struct value *to = mmap(NULL, want * sizeof(*to), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (to == MAP_FAILED)
		return false;
	for (uint64_t i = 0; i < n_slots; i++)
		if (slot[i].profile)
			to[look(to, want, &slot[i])] = slot[i];
	if (slot)
		munmap(slot, n_slots * sizeof(*slot));
	slot = to;
	n_slots = want;
	return true;
}

/* Keep a value. Gives 0, -EEXIST when its profile has it, -ENOMEM. */
static int values_add(const struct value *v)
{
	uint64_t at;

	/* a table that cannot grow is good until it is full, with one slot free to stop at */
	if (n_used >= n_slots / 4 * 3 && !grow() && n_used + 1 >= n_slots)
		return -ENOMEM;
	at = look(slot, n_slots, v);
	if (slot[at].profile)
		return -EEXIST;
	slot[at] = *v;
	n_used++;
	return 0;
}

/* Give a value back; false when its profile does not have it. */
static bool values_take(uint64_t value, uint32_t profile, struct value *out)
{
	struct value key = { .value = value, .profile = profile };
	uint64_t at = n_slots ? look(slot, n_slots, &key) : 0, hole = at;

	if (!n_slots || !slot[at].profile)
		return false;
	*out = slot[at];
	for (uint64_t i = (at + 1) & (n_slots - 1); slot[i].profile; i = (i + 1) & (n_slots - 1)) {
		/* may it be in the hole, which lies between where it wants to be and where it is? */
		if (((i - wanted(&slot[i], n_slots)) & (n_slots - 1)) >= ((i - hole) & (n_slots - 1))) {
			slot[hole] = slot[i];
			hole = i;
		}
	}
	slot[hole].profile = 0;
	n_used--;
	return true;
}

struct cpa_profile {
	char name[SNAP_NAME_MAX];
	enum snap_kind kind;
	/* custom; guarded by the lock of api/custom.c */
	uint32_t number; /* of its name in the segment; 0: there is no segment yet, or no room */
	uint32_t life;   /* of the tables that it is counted in, + 1; 0: none */
	int64_t count;   /* values that are in it, and were added in that life */
};

/* With the collector taken: take a profile now. Gives 0, or -errno: -EBUSY when cpa run has them all. */
static int take(cpa_profile *p, struct snap **out)
{
	int rc = collector_open();
	struct process *self;

	if (rc < 0)
		return rc;
	if (collector_is_parent())
		return -EBUSY;
	self = collector_process();
	return self ? snap_take(self, p->kind, p->number, out) : -ESRCH;
}

/* What one that is built in counts now; 0 also when it cannot be told. */
static int64_t profiles_count(cpa_profile *p)
{
	struct snap *s = NULL;
	int64_t n = 0;

	if (!collector_take(0))
		return 0;
	if (take(p, &s) == 0) {
		const struct snap_row *row = s->row.data;

		/* as Go: threads, and of what is sampled the stacks */
		n = (int64_t)s->row.n;
		if (p->kind == SNAP_THREADS || p->kind == SNAP_CREATE) {
			n = 0;
			for (size_t i = 0; i < s->row.n; i++)
				n += row[i].value[0];
		}
		snap_free(s);
	}
	collector_leave();
	return n;
}

/* With the collector taken. Texts have names; in profile.proto they are left to who reads it. */
static int put(struct body *b, const cpa_profile *p, struct snap *s, int debug)
{
	struct elfnames *names = debug > 0 ? elfnames_open() : NULL;
	int rc;

	memcpy(s->name, p->name, sizeof(s->name));
	rc = snap_write(s, debug, names ? elfnames_at : NULL, names, body_put, b);
	elfnames_close(names);
	return rc;
}

/* The profile as it is now, to b. */
static int make(struct body *b, cpa_profile *p, int debug)
{
	struct snap *s = NULL;
	int rc;

	if (!collector_take(0))
		return -EDEADLK;
	rc = take(p, &s);
	if (rc == 0)
		rc = put(b, p, s, debug);
	snap_free(s);
	collector_leave();
	return rc;
}

CPA_EXPORT int cpa_profile_write(cpa_profile *p, int debug, cpa_write_fn write, void *arg)
{
	struct body b = { 0 };
	int rc;

	if (!p || !write || debug < 0)
		return -EINVAL;
	rc = make(&b, p, debug);
	if (rc == 0)
		rc = body_give(&b, write, arg);
	body_release(&b);
	return rc;
}

CPA_EXPORT int cpa_profile_write_path(cpa_profile *p, int debug, const char *path, unsigned flags)
{
	struct body b = { 0 };
	struct out o;
	int rc;

	if (!p || debug < 0 || flags & ~(unsigned)CPA_OVERWRITE)
		return -EINVAL;
	rc = out_path(&o, path, flags & CPA_OVERWRITE);
	if (rc == 0)
		rc = make(&b, p, debug);
	if (rc == 0)
		rc = out_write(&o, b.v.data, b.v.n);
	body_release(&b);
	return rc;
}

static void wait_for(int seconds)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
}

CPA_EXPORT int cpa_profile_delta(cpa_profile *p, int seconds, unsigned flags, cpa_write_fn write, void *arg)
{
	struct snap *before = NULL, *after = NULL;
	struct body b = { 0 };
	int rc;

	if (!p || !write || seconds < 1)
		return -EINVAL;
	if (!collector_take(0))
		return -EDEADLK;
	rc = take(p, &before);
	collector_leave();
	if (rc == 0) {
		wait_for(seconds);
		collector_take(0);
		rc = take(p, &after);
		if (rc == 0)
			rc = snap_minus(after, before, flags & CPA_DELTA_ALLOC);
		if (rc == 0)
			rc = put(&b, p, after, 0);
		collector_leave();
	}
	snap_free(before);
	snap_free(after);
	if (rc == 0)
		rc = body_give(&b, write, arg);
	body_release(&b);
	return rc;
}

CPA_EXPORT int cpa_heap_write(cpa_write_fn write, void *arg)
{
	return cpa_profile_write(cpa_profile_lookup("heap"), 0, write, arg);
}

enum { N_BUILT_IN = 7, N_LISTED = 6, CUSTOM_MAX = 256 };
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
static struct cpa_profile custom[CUSTOM_MAX];
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
		if (n_custom < CUSTOM_MAX && (prepared || pthread_atfork(before_fork, in_parent, in_child) == 0)) {
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
	struct cpa_profile *all[N_LISTED + CUSTOM_MAX];
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
