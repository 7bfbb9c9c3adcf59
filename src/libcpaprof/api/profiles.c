/*
 * profiles.c - profiles by name: built-in ones, and those of the program
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All values of custom profiles are in one hash table with open addressing and linear probing. When a value is
 * removed, the values after it that are not at their preferred slot move up. So no slot ever has to be marked as
 * deleted.
 *
 * Its memory comes from mmap, because callers may hold locks of their allocator. The functions of the table need the
 * lock of this file.
 *
 * A profile is built in memory with the collector lock held, and written after releasing it: the program's write
 * function may call us.
 *
 * Values are counted by stack in the tables of the process, as added and as removed, with the id of the profile's name
 * as part of the key. A stack with that id and no frames marks that the process has the profile.
 *
 * A child of fork has tables of its own. It knows the values that were added before fork, but they are counted only
 * in the parent.
 *
 * There is one lock for all profiles. It is held during fork, so that the child finds a consistent state. The thread
 * that forks is let through, because fork handlers of the program may add and remove values.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/out.h"

#include "libcpaprof/api/cpa/pprof.h"

#include "libcpaprof/collector/elfnames.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/collector/write/body.h"
#include "libcpaprof/collector/write/write.h"

#include "libcpaprof/target/caller_stack.h"
#include "libcpaprof/target/labels.h"
#include "libcpaprof/target/latch.h"
#include "libcpaprof/target/stacks.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct value {
	uint64_t value;
	uint32_t profile;    /* 0: the slot is free */
	uint32_t stack;      /* id of a stack: libcpaprof/target/stacks.h */
	uint32_t generation; /* generation of the tables that contain the stack */
	bool is_counted;     /* is the value counted in that stack? */
};

enum { SLOTS_INITIAL = 1024 };

static struct value *slot; /* [n_slots] */
static uint64_t n_slots, n_used;

static uint64_t preferred_slot(const struct value *v, uint64_t n)
{
	uint64_t h = (v->value ^ (uint64_t)v->profile << 48) * 0x9e3779b97f4a7c15ULL;

	return (h ^ h >> 32) & (n - 1);
}

/* Slot of a value, or the free slot where it would be stored. */
static uint64_t api_profiles_find_slot(const struct value *in, uint64_t n, const struct value *v)
{
	uint64_t i = preferred_slot(v, n);

	while (in[i].profile && (in[i].profile != v->profile || in[i].value != v->value))
		i = (i + 1) & (n - 1);
	return i;
}

static bool api_profiles_grow(void)
{
	uint64_t want = n_slots ? n_slots * 2 : SLOTS_INITIAL;
	struct value *to = mmap(NULL, want * sizeof(*to), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (to == MAP_FAILED)
		return false;
	for (uint64_t i = 0; i < n_slots; i++)
		if (slot[i].profile)
			to[api_profiles_find_slot(to, want, &slot[i])] = slot[i];
	if (slot)
		munmap(slot, n_slots * sizeof(*slot));
	slot = to;
	n_slots = want;
	return true;
}

/* Add a value. Returns 0, -EEXIST if its profile has it already, or -ENOMEM. */
static int values_add(const struct value *v)
{
	uint64_t at;

	/* if the table cannot grow, fill it up to one free slot, at which searches end */
	if (n_used >= n_slots / 4 * 3 && !api_profiles_grow() && n_used + 1 >= n_slots)
		return -ENOMEM;
	at = api_profiles_find_slot(slot, n_slots, v);
	if (slot[at].profile)
		return -EEXIST;
	slot[at] = *v;
	n_used++;
	return 0;
}

/* Remove a value; false if its profile does not have it. */
static bool values_remove(uint64_t value, uint32_t profile, struct value *out)
{
	struct value key = { .value = value, .profile = profile };
	uint64_t at = n_slots ? api_profiles_find_slot(slot, n_slots, &key) : 0, hole = at;

	if (!n_slots || !slot[at].profile)
		return false;
	*out = slot[at];
	for (uint64_t i = (at + 1) & (n_slots - 1); slot[i].profile; i = (i + 1) & (n_slots - 1)) {
		/* the value may move to the hole unless the hole is before its preferred slot */
		if (((i - preferred_slot(&slot[i], n_slots)) & (n_slots - 1)) >= ((i - hole) & (n_slots - 1))) {
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
	/* custom profiles only; guarded by the lock */
	uint32_t number;     /* id of its name in the segment; 0: no segment yet, or no room */
	uint32_t generation; /* generation of the tables that count it, + 1; 0: none */
	int64_t count;       /* number of its values that were added in that generation */
};

/*
 * Take a snap of a profile. The caller holds the collector lock. Returns 0 or -errno: -EBUSY if cpa run receives all
 * profiles.
 */
static int take_snap(cpa_profile *p, struct snap **out)
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

/* Current size of a built-in profile; 0 if it is unknown. */
static int64_t profiles_count(cpa_profile *p)
{
	struct snap *s = NULL;
	int64_t n = 0;

	if (!collector_lock(0))
		return 0;
	if (take_snap(p, &s) == 0) {
		const struct snap_row *row = s->row.data;

		/* as in Go: the number of threads; for sampled profiles, the number of stacks */
		n = (int64_t)s->row.n;
		if (p->kind == SNAP_THREADS || p->kind == SNAP_CREATE) {
			n = 0;
			for (size_t i = 0; i < s->row.n; i++)
				n += row[i].value[0];
		}
		snap_free(s);
	}
	collector_unlock();
	return n;
}

/*
 * Write a snap to b. The caller holds the collector lock. Texts contain function names; readers of profile.proto look
 * them up themselves.
 */
static int append_snap(struct body *b, const cpa_profile *p, struct snap *s, int debug)
{
	struct elfnames *names = debug > 0 ? elfnames_open() : NULL;
	int rc;

	memcpy(s->name, p->name, sizeof(s->name));
	rc = write_snap(s, debug, names ? elfnames_at : NULL, names, body_append, b);
	elfnames_close(names);
	return rc;
}

/* Append the profile as it is now to b. */
static int append_profile(struct body *b, cpa_profile *p, int debug)
{
	struct snap *s = NULL;
	int rc;

	if (!collector_lock(0))
		return -EDEADLK;
	rc = take_snap(p, &s);
	if (rc == 0)
		rc = append_snap(b, p, s, debug);
	snap_free(s);
	collector_unlock();
	return rc;
}

CPA_EXPORT int cpa_profile_write(cpa_profile *p, int debug, cpa_write_fn write, void *arg)
{
	struct body b = { 0 };
	int rc;

	if (!p || !write || debug < 0)
		return -EINVAL;
	rc = append_profile(&b, p, debug);
	if (rc == 0)
		rc = body_send(&b, write, arg);
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
		rc = append_profile(&b, p, debug);
	if (rc == 0)
		rc = out_write(&o, b.v.data, b.v.n);
	body_release(&b);
	return rc;
}

static void sleep_s(int seconds)
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
	if (!collector_lock(0))
		return -EDEADLK;
	rc = take_snap(p, &before);
	collector_unlock();
	if (rc == 0) {
		sleep_s(seconds);
		collector_lock(0);
		rc = take_snap(p, &after);
		if (rc == 0)
			rc = snap_subtract(after, before, flags & CPA_DELTA_ALLOC);
		if (rc == 0)
			rc = append_snap(&b, p, after, 0);
		collector_unlock();
	}
	snap_free(before);
	snap_free(after);
	if (rc == 0)
		rc = body_send(&b, write, arg);
	body_release(&b);
	return rc;
}

CPA_EXPORT int cpa_heap_write(cpa_write_fn write, void *arg)
{
	return cpa_profile_write(cpa_profile_lookup("heap"), 0, write, arg);
}

enum { N_BUILT_IN = 7, N_LISTED = 6, CUSTOM_MAX = 256 };

/* cpa_profiles_list returns the first N_LISTED. */
static struct cpa_profile built_in[N_BUILT_IN] = {
	{ .name = "allocs", .kind = SNAP_ALLOCS },       { .name = "block", .kind = SNAP_BLOCK },
	{ .name = "heap", .kind = SNAP_HEAP },           { .name = "mutex", .kind = SNAP_MUTEX },
	{ .name = "threadcreate", .kind = SNAP_CREATE }, { .name = "threads", .kind = SNAP_THREADS },
	{ .name = "goroutine", .kind = SNAP_THREADS },
};

static struct latch latch;
static _Atomic uint32_t forking; /* tid of the thread that forks, which holds the lock */

/* guarded by the lock */
static struct cpa_profile custom[CUSTOM_MAX];
static uint32_t n_custom;

static void lock_profiles(void)
{
	if (!atomic_load(&forking) || atomic_load(&forking) != sys_gettid())
		latch_acquire(&latch);
}

static void unlock_profiles(void)
{
	if (!atomic_load(&forking) || atomic_load(&forking) != sys_gettid())
		latch_release(&latch);
}

static void api_profiles_before_fork(void)
{
	lock_profiles();
	atomic_store(&forking, sys_gettid());
}

static void api_profiles_in_parent(void)
{
	atomic_store(&forking, 0);
	unlock_profiles();
}

static void api_profiles_in_child(void)
{
	atomic_store(&forking, 0);
	latch = (struct latch){ 0 };
}

static bool is_valid_name(const char *name)
{
	size_t n = 0;

	for (; name && name[n]; n++)
		if ((unsigned char)name[n] <= ' ' || name[n] == 0x7f || n == SNAP_NAME_MAX - 1)
			return false;
	return n > 0;
}

static struct cpa_profile *api_profiles_find(const char *name)
{
	for (uint32_t i = 0; i < N_BUILT_IN; i++)
		if (strcmp(built_in[i].name, name) == 0)
			return &built_in[i];
	for (uint32_t i = 0; i < n_custom; i++)
		if (strcmp(custom[i].name, name) == 0)
			return &custom[i];
	return NULL;
}

/*
 * Register a profile in the tables, if there are any (before the lock is taken: the segment has its own). Returns its
 * id, 0 if it could not be registered.
 */
static uint32_t api_profiles_publish(struct cpa_profile *p)
{
	struct labels_pair name = { "", p->name, { 0, (uint16_t)strlen(p->name) } };
	uint32_t generation = cpi_tables_generation() + 1;
	uint64_t no_frame = 0;

	if (p->generation == generation && p->number)
		return p->number;
	if (p->generation && p->generation != generation)
		p->count = 0;
	p->generation = generation;
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
	static bool has_fork_handlers;
	struct cpa_profile *p = NULL;
	int error = EEXIST;

	if (!is_valid_name(name)) {
		errno = EINVAL;
		return NULL;
	}
	collector_ensure_segment();
	lock_profiles();
	if (!api_profiles_find(name)) {
		error = ENOMEM;
		if (n_custom < CUSTOM_MAX &&
		    (has_fork_handlers ||
		     pthread_atfork(api_profiles_before_fork, api_profiles_in_parent, api_profiles_in_child) == 0)) {
			has_fork_handlers = true;
			p = &custom[n_custom];
			p->kind = SNAP_CUSTOM;
			memcpy(p->name, name, strlen(name) + 1);
			api_profiles_publish(p);
			n_custom++;
		}
	}
	unlock_profiles();
	if (!p)
		errno = error;
	return p;
}

CPA_EXPORT cpa_profile *cpa_profile_lookup(const char *name)
{
	struct cpa_profile *p;

	if (!name)
		return NULL;
	lock_profiles();
	p = api_profiles_find(name);
	unlock_profiles();
	return p;
}

CPA_EXPORT size_t cpa_profile_list(cpa_profile **out, size_t n)
{
	struct cpa_profile *all[N_LISTED + CUSTOM_MAX];
	size_t n_all = 0;

	lock_profiles();
	for (uint32_t i = 0; i < N_LISTED + n_custom; i++) {
		struct cpa_profile *p = i < N_LISTED ? &built_in[i] : &custom[i - N_LISTED];
		size_t at = n_all++;

		for (; at > 0 && strcmp(all[at - 1]->name, p->name) > 0; at--)
			all[at] = all[at - 1];
		all[at] = p;
	}
	unlock_profiles();
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
	lock_profiles();
	api_profiles_publish(p);
	n = p->count;
	unlock_profiles();
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
	n = cpi_caller_stack_sig(pc, FRAMES_MAX, skip > 0 ? (uint32_t)skip + 1 : 1);
	lock_profiles();
	v.profile = index_of(p);
	v.is_counted = api_profiles_publish(p) != 0;
	v.generation = p->generation;
	if (v.is_counted)
		v.stack = cpi_stack_find_sig(STACK_CUSTOM, p->number, LABELS_NONE, pc, n);
	rc = values_add(&v);
	if (rc == 0) {
		p->count++;
		if (v.is_counted)
			cpi_stack_add_sig(STACK_CUSTOM, v.stack, CUSTOM_ADDED, 1);
	}
	unlock_profiles();
	return rc;
}

CPA_EXPORT int cpa_profile_remove(cpa_profile *p, const void *value)
{
	struct value v;
	bool had_value;

	if (!p || p->kind != SNAP_CUSTOM)
		return -EPERM;
	lock_profiles();
	api_profiles_publish(p);
	had_value = values_remove((uintptr_t)value, index_of(p), &v);
	if (had_value && v.generation == p->generation) {
		p->count--;
		if (v.is_counted)
			cpi_stack_add_sig(STACK_CUSTOM, v.stack, CUSTOM_REMOVED, 1);
	}
	unlock_profiles();
	return had_value ? 0 : -ENOENT;
}
