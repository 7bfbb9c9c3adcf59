/*
 * threads.c - the table of profiled threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table by thread id, of fixed size, without locks: an entry is free when its tid is 0, and is taken
 * by compare-and-swap. Threads come by the wrapper of pthread_create, by a scan when profiling begins,
 * or because the collector found one at work that is not here and sent it our signal. They go by the
 * destructor of a key, which return, pthread_exit and cancellation all call, or by a sweep.
 */
#include "config.h"

#include "runtime/sys.h"
#include "runtime/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_GROUPS = N_THREADS / THREAD_PROBES, KEYS_INLINE = 32, STACK_MOST = 512 << 20, NAMES_SIZE = 4096 };

extern void *__libc_stack_end; /* of ld.so: where the stack of the main thread begins */

__thread struct local cpi_local __attribute__((tls_model("initial-exec")));

static struct thread table[N_THREADS];
static _Atomic uint8_t group_used[N_GROUPS]; /* an entry of the group was ever taken */
static pthread_key_t end_key;
static bool has_key;

const struct thread *cpi_threads_table_sig(void)
{
	return table;
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

/* Take an entry. */
static struct thread *claim_sig(uint32_t tid)
{
	for (uint32_t i = 0; i < THREAD_PROBES; i++) {
		uint32_t at = (tid + i) % N_THREADS, is = 0;
		struct thread *t = &table[at];

		if (atomic_load_explicit(&t->tid, memory_order_relaxed) == 0 &&
		    atomic_compare_exchange_strong(&t->tid, &is, tid)) {
			atomic_store(&group_used[at / THREAD_PROBES], 1);
			return t;
		}
	}
	return NULL;
}

struct thread *cpi_thread_add_sig(uint32_t tid, uintptr_t lo, uintptr_t top)
{
	struct thread *t = cpi_thread_find_sig(tid);

	/* an entry of the same id that has a stack is of a thread that ended unseen */
	if (t) {
		cpi_clock_disarm_sig(t);
		cpi_ring_retire(t);
	} else {
		t = claim_sig(tid);
		if (!t)
			return NULL;
	}
	t->lo = lo;
	t->top = t->low = top;
	t->start = 0;
	t->local = NULL;
	t->ring = NULL;
	cpi_clock_arm_sig(t, tid);
	return t;
}

static void forget(struct thread *t)
{
	cpi_clock_disarm_sig(t);
	cpi_ring_retire(t);
	atomic_store_explicit(&t->tid, 0, memory_order_release);
}

/* The thread ends. Its signal is held back from here on, for its record goes (and what runs later is short). */
static void end_thread(void *arg)
{
	uint64_t bit = sys_bit(cpi.sig);
	struct thread *t = arg;

	sys_mask(SIG_BLOCK, &bit, NULL);
	atomic_store(&cpi_local.ended, 1);
	atomic_store(&cpi_local.thread, NULL);
	if (!cpi.head || atomic_load(&t->tid) != sys_gettid())
		return;
	cpi_sample_end(t);
	forget(t);
}

void cpi_thread_leave(void)
{
	struct thread *t = atomic_load(&cpi_local.thread);

	if (t && cpi.head && atomic_load(&t->tid) == sys_gettid())
		end_thread(t);
}

void cpi_thread_enter(uintptr_t lo, uintptr_t top, uintptr_t start)
{
	uint64_t bit = sys_bit(cpi.sig);
	struct thread *t = cpi_thread_add_sig(sys_gettid(), lo, top);

	if (!t)
		return;
	t->start = start;
	t->local = &cpi_local;
	atomic_store(&cpi_local.thread, t);
	if (has_key)
		pthread_setspecific(end_key, t);
	sys_mask(SIG_UNBLOCK, &bit, NULL);
}

void cpi_thread_enter_main(void)
{
	uintptr_t top = ((uintptr_t)__libc_stack_end + 64) & ~(uintptr_t)15, size = STACK_MOST;
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < size)
		size = limit.rlim_cur;
	cpi_thread_enter(top - size, top, 0);
}

void cpi_threads_init(void)
{
	/* keys behind the first 32 would make the C library allocate for every thread */
	has_key = pthread_key_create(&end_key, end_thread) == 0;
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

static void scan_names(const char *names, long n)
{
	uint32_t me = sys_gettid();

	for (long at = 0; at < n;) {
		const struct dirent64_head *d = (const struct dirent64_head *)(names + at);
		uint32_t tid = 0;

		for (const char *c = d->name; *c >= '0' && *c <= '9'; c++)
			tid = tid * 10 + (uint32_t)(*c - '0');
		if (tid && tid != me && !cpi_thread_find_sig(tid))
			cpi_thread_add_sig(tid, 0, 0);
		at += d->size;
	}
}

void cpi_threads_scan(void)
{
	_Alignas(8) char names[NAMES_SIZE];
	struct stat folder;
	int fd;

	/* three links: itself, its parent, one thread */
	if (stat("/proc/self/task", &folder) == 0 && folder.st_nlink == 3)
		return;
	fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	for (;;) {
		long n = sys_call(SYS_getdents64, fd, (long)names, sizeof(names), 0);

		if (n <= 0)
			break;
		scan_names(names, n);
	}
	close(fd);
}

void cpi_threads_sweep(void)
{
	for (uint32_t g = 0; g < N_GROUPS; g++) {
		if (!atomic_load(&group_used[g]))
			continue;
		for (uint32_t i = 0; i < THREAD_PROBES; i++) {
			struct thread *t = &table[g * THREAD_PROBES + i];
			uint32_t tid = atomic_load(&t->tid);

			if (tid && sys_call(SYS_tgkill, cpi.pid, tid, 0, 0) == -ESRCH)
				forget(t);
		}
	}
}

void cpi_threads_forget(void)
{
	for (uint32_t g = 0; g < N_GROUPS; g++) {
		if (!atomic_load(&group_used[g]))
			continue;
		for (uint32_t i = 0; i < THREAD_PROBES; i++) {
			struct thread *t = &table[g * THREAD_PROBES + i];

			/* the rings are the parent's, and so are the timers; the files of events are copies */
			cpi_perf_close_sig(t);
			*t = (struct thread){ .timer = NO_TIMER };
		}
		atomic_store(&group_used[g], 0);
	}
	atomic_store(&cpi_local.thread, NULL);
	atomic_store(&cpi_local.busy, 0);
}
