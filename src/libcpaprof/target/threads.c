/*
 * threads.c - the table of profiled threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A hash table by thread id, of fixed size, read without locks: an entry is free when its tid is 0, and is claimed by
 * compare-and-swap. Threads are added by the wrapper of pthread_create, by a scan when profiling begins, or when the
 * collector found an unknown thread using CPU time and signalled it. They are removed by the destructor of a key,
 * which runs on return, pthread_exit and cancellation, or by a sweep.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/latch.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/objects.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_THREADS = 16384, THREAD_PROBES = 64 };
enum { N_GROUPS = N_THREADS / THREAD_PROBES, KEYS_INLINE = 32, STACK_SIZE_MAX = 512 << 20, NAMES_SIZE = 1024 };

extern void *__libc_stack_end; /* defined by ld.so: the start of the main thread's stack */

__thread struct local cpi_local __attribute__((tls_model("initial-exec")));

static struct thread table[N_THREADS];
static _Atomic uint8_t group_used[N_GROUPS]; /* has any entry of this part of the table been used? */
static pthread_key_t end_key;
static bool has_key;
static const struct local *main_local; /* cpi_local of the main thread */

bool cpi_threads_are_in(uintptr_t lo, uintptr_t hi)
{
	return (uintptr_t)table >= lo && (uintptr_t)(table + N_THREADS) <= hi;
}

struct thread *cpi_thread_find_sig(uint32_t tid)
{
	for (uint32_t i = 0; i < THREAD_PROBES; i++) {
		struct thread *t = &table[(tid + i) % N_THREADS];

		if (atomic_load_explicit(&t->tid, memory_order_acquire) == tid)
			return t;
	}
	return NULL;
}

/* Claim an entry. */
static struct thread *target_threads_claim_sig(uint32_t tid)
{
	for (uint32_t i = 0; i < THREAD_PROBES; i++) {
		uint32_t at = (tid + i) % N_THREADS, expected = 0;
		struct thread *t = &table[at];

		if (atomic_load_explicit(&t->tid, memory_order_relaxed) == 0 &&
		    atomic_compare_exchange_strong(&t->tid, &expected, tid)) {
			atomic_store(&t->timer, NO_TIMER);
			atomic_store(&group_used[at / THREAD_PROBES], 1);
			return t;
		}
	}
	return NULL;
}

static struct latch latch; /* held while threads are added or removed; handlers only try to take it */

/* The caller holds the latch. */
static struct thread *target_threads_add(uint32_t tid, uintptr_t lo, uintptr_t top, bool is_stale)
{
	struct thread *t = cpi_thread_find_sig(tid);

	if (t && is_stale) {
		cpi_clock_disarm_sig(t);
		cpi_ring_retire(t);
		t->ignored = false;
	} else if (t && (t->ignored || t->recording == cpi.recording)) {
		return t;
	} else if (!t) {
		t = target_threads_claim_sig(tid);
		if (!t)
			return NULL;
		t->ignored = false;
		t->ring = NULL;
		is_stale = true;
	}
	if (is_stale) {
		t->lo = lo;
		t->top = t->used_lo = top;
		t->start = 0;
	}
	if (cpi_recording_is_on_sig())
		cpi_clock_arm_sig(t, tid);
	return t;
}

struct thread *cpi_thread_add(uint32_t tid, uintptr_t lo, uintptr_t top, bool is_stale)
{
	struct thread *t;

	latch_acquire(&latch);
	if (cpi.head)
		cpi_recording_sync_locked_sig();
	t = target_threads_add(tid, lo, top, is_stale);
	latch_release(&latch);
	return t;
}

struct thread *cpi_thread_add_sig(uint32_t tid)
{
	struct thread *t = NULL;

	if (latch_try_sig(&latch)) {
		t = target_threads_add(tid, 0, 0, false);
		latch_release(&latch);
	}
	return t;
}

bool cpi_threads_try_lock_sig(void)
{
	return latch_try_sig(&latch);
}

void cpi_threads_unlock_sig(void)
{
	latch_release(&latch);
}

bool cpi_thread_arm_sig(uint32_t tid)
{
	struct thread *t = cpi_thread_find_sig(tid);

	if (t && t->recording == cpi.recording)
		return true;
	if (t && !cpi_thread_try_lock_sig(t))
		return false;
	target_threads_add(tid, 0, 0, false);
	if (t)
		cpi_thread_unlock_sig(t);
	return true;
}

/* The caller holds the latch. */
static void target_threads_drop(struct thread *t)
{
	cpi_clock_disarm_sig(t);
	cpi_ring_retire(t);
	t->recording = 0;
	atomic_store_explicit(&t->tid, 0, memory_order_release);
}

/*
 * The thread ends. Its signal stays blocked, because its record is removed. Little of its code runs after this.
 */
static void target_threads_end_thread(void *arg)
{
	uint64_t bit = sys_bit(cpi.sig), before = 0;
	struct thread *t;

	atomic_store(&cpi_local.ended, 1);
	cpi_local_unregister();
	if (arg && arg == main_local && cpi.callbacks && cpi.callbacks->main_ended)
		cpi.callbacks->main_ended();
	if (!cpi.head)
		return;
	sys_mask(SIG_BLOCK, &bit, &before);
	atomic_store(&cpi_local.thread, NULL);
	latch_acquire(&latch);
	t = cpi_thread_find_sig(sys_gettid());
	if (t) {
		if (cpi_recording_is_on_sig() && t->recording == cpi.recording)
			cpi_sample_charge_rest(t, (before & bit) != 0);
		target_threads_drop(t);
	}
	latch_release(&latch);
}

void cpi_thread_finish(void)
{
	if (cpi.head && !atomic_load(&cpi.is_sandboxed) && cpi_thread_find_sig(sys_gettid()))
		target_threads_end_thread(NULL);
}

/* Sample this thread. */
static void start_sampling(uintptr_t start, bool is_stale)
{
	uint64_t bit = sys_bit(cpi.sig);
	struct thread *t = cpi_thread_add(sys_gettid(), cpi_local.lo, cpi_local.top, is_stale);

	/* our own threads keep the signal blocked, and one of them may be the thread that starts sampling */
	if (!t || t->ignored)
		return;
	/* another thread made the entry without stack bounds; top is set last, because handlers read it first */
	if (!t->top) {
		t->lo = cpi_local.lo;
		t->used_lo = cpi_local.top;
		t->top = cpi_local.top;
	}
	if (start)
		t->start = start;
	atomic_store(&cpi_local.thread, t);
	sys_mask(SIG_UNBLOCK, &bit, NULL);
}

void cpi_thread_begin(uintptr_t lo, uintptr_t top, uintptr_t start)
{
	cpi_local.lo = lo;
	cpi_local.top = top;
	if (has_key)
		pthread_setspecific(end_key, &cpi_local);
	if (cpi_cpu_is_on_sig())
		start_sampling(start, true);
}

void cpi_thread_start_sampling(void)
{
	if (!atomic_load(&cpi_local.ended))
		start_sampling(0, false);
}

void cpi_thread_add_missed(void)
{
	if (has_key && !pthread_getspecific(end_key))
		pthread_setspecific(end_key, &cpi_local);
	if (cpi_cpu_is_on_sig())
		cpi_thread_start_sampling();
}

void cpi_thread_ignore(bool on)
{
	uint32_t tid = sys_gettid();
	struct thread *t;

	latch_acquire(&latch);
	t = cpi_thread_find_sig(tid);
	if (!t && on) {
		t = target_threads_claim_sig(tid);
		if (t) {
			t->ring = NULL;
			t->lo = t->top = t->used_lo = 0;
			t->start = 0;
		}
	}
	if (t && t->ignored != on) {
		if (on)
			cpi_clock_disarm_sig(t);
		t->ignored = on;
		t->recording = 0;
	}
	latch_release(&latch);
	if (t && !on && cpi_cpu_is_on_sig())
		cpi_thread_start_sampling();
}

void cpi_thread_find_main_stack(uintptr_t *lo, uintptr_t *top)
{
	static uintptr_t size; /* set before there are other threads */
	struct rlimit limit;

	if (!size) {
		size = STACK_SIZE_MAX;
		if (sys_call(SYS_getrlimit, RLIMIT_STACK, (long)&limit, 0, 0) == 0 && limit.rlim_cur < size)
			size = limit.rlim_cur;
	}
	*top = ((uintptr_t)__libc_stack_end + 64) & ~(uintptr_t)15;
	*lo = *top - size;
}

void cpi_thread_begin_main(void)
{
	uintptr_t lo, top;

	cpi_thread_find_main_stack(&lo, &top);
	main_local = &cpi_local;
	cpi_thread_begin(lo, top, 0);
}

void cpi_threads_init(void)
{
	/* for the 33rd and later keys the C library would allocate memory in every thread */
	has_key = pthread_key_create(&end_key, target_threads_end_thread) == 0;
	if (has_key && end_key >= KEYS_INLINE) {
		pthread_key_delete(end_key);
		has_key = false;
	}
}

struct dirent64_head {
	uint64_t ino, off;
	uint16_t size;
	uint8_t type;
	char name[];
};

static uint32_t number_sig(const char *digits)
{
	uint32_t n = 0;

	for (; *digits >= '0' && *digits <= '9'; digits++)
		n = n * 10 + (uint32_t)(*digits - '0');
	return n;
}

bool cpi_threads_each_tid_sig(uint64_t *at, uint32_t max, void (*fn)(uint32_t tid))
{
	_Alignas(8) char names[NAMES_SIZE];
	long n = 0, fd = sys_call(SYS_openat, AT_FDCWD, (long)"/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	if (*at)
		sys_call(SYS_lseek, fd, (long)*at, SEEK_SET, 0);
	for (uint32_t done = 0; done < max; done++) {
		n = sys_call(SYS_getdents64, fd, (long)names, sizeof(names), 0);
		for (long i = 0; i < n;) {
			const struct dirent64_head *d = (const struct dirent64_head *)(names + i);
			uint32_t tid = number_sig(d->name);

			if (tid) {
				fn(tid);
				done++;
			}
			*at = d->off;
			i += d->size;
		}
		if (n <= 0)
			break;
	}
	sys_call(SYS_close, fd, 0, 0, 0);
	if (n <= 0)
		*at = 0;
	return n >= 0;
}

static void target_threads_add_running(uint32_t tid)
{
	cpi_thread_add(tid, 0, 0, false);
}

void cpi_threads_scan(void)
{
	struct stat folder;
	uint64_t at = 0;

	/* /proc/self/task has three links if the process has a single thread */
	if (stat("/proc/self/task", &folder) == 0 && folder.st_nlink == 3)
		return;
	cpi_threads_each_tid_sig(&at, UINT32_MAX, target_threads_add_running);
}

void cpi_threads_each_locked_sig(void (*fn)(struct thread *t))
{
	for (uint32_t g = 0; g < N_GROUPS; g++)
		for (uint32_t i = 0; i < THREAD_PROBES && atomic_load(&group_used[g]); i++)
			if (atomic_load(&table[g * THREAD_PROBES + i].tid))
				fn(&table[g * THREAD_PROBES + i]);
}

void cpi_threads_each(void (*fn)(struct thread *t))
{
	for (uint32_t g = 0; g < N_GROUPS; g++) {
		if (!atomic_load(&group_used[g]))
			continue;
		latch_acquire(&latch);
		for (uint32_t i = 0; i < THREAD_PROBES; i++)
			if (atomic_load(&table[g * THREAD_PROBES + i].tid))
				fn(&table[g * THREAD_PROBES + i]);
		latch_release(&latch);
	}
}

void cpi_thread_drop_sig(struct thread *t)
{
	if (sys_call(SYS_tgkill, cpi.pid, atomic_load(&t->tid), 0, 0) == -ESRCH)
		target_threads_drop(t);
}

void cpi_threads_sweep(void)
{
	cpi_threads_each(cpi_thread_drop_sig);
}

static void settle(struct thread *t)
{
	/* a thread whose handler is still running keeps its ring */
	if (t->recording != cpi.recording || !cpi_thread_wait_idle(t, 0))
		return;
	cpi_sample_charge_rest(t, false);
	cpi_ring_retire(t);
	t->recording = 0;
}

void cpi_threads_finish(uint64_t until_ns)
{
	for (uint32_t i = 0; i < N_THREADS; i++)
		if (atomic_load(&group_used[i / THREAD_PROBES]) && !cpi_thread_wait_idle(&table[i], until_ns))
			break;
	cpi_threads_each(settle);
}

void cpi_threads_forget(void)
{
	cpi_objects_forget();
	main_local = &cpi_local;
	for (uint32_t g = 0; g < N_GROUPS; g++) {
		if (!atomic_load(&group_used[g]))
			continue;
		for (uint32_t i = 0; i < THREAD_PROBES; i++) {
			struct thread *t = &table[g * THREAD_PROBES + i];

			/* the rings and the timers belong to the parent; the descriptors of events are copies */
			cpi_perf_close_sig(t);
			*t = (struct thread){ .timer = NO_TIMER };
		}
		atomic_store(&group_used[g], 0);
	}
	latch = (struct latch){ 0 };
	atomic_store(&cpi_local.thread, NULL);
	atomic_store(&cpi_local.busy, 0);
}
