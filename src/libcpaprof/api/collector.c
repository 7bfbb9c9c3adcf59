/*
 * collector.c - the collector in the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector thread never waits for other threads: if another one holds the collector lock, it tries again 100 ms
 * later. So a caller may join it while holding that lock. The thread ends with the recording. During a recording it
 * ends when it is the last thread, so that a program whose main thread has ended still ends with its last thread.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"

#include "libcpaprof/target/latch.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STACK_SIZE = 256 << 10, SCAN_EVERY = 5, SWEEP_EVERY = 10, DRAIN_NS = COLLECT_DRAIN_MS * 1000000 };

static struct latch latch;
static _Atomic uint32_t owner; /* thread that holds the latch */
static int cancel_before;      /* cancel state of that thread, which must not be cancelled while it holds the latch */

/* Guarded by the latch. */
static struct collect *collect;
static pthread_t thread;
static bool has_thread, has_fork_handlers;
static uint32_t owner_pid;                    /* process that owns the collector */
static void (*forget)(void), (*resume)(void); /* callbacks for the child of fork */

static _Atomic uint32_t quit;      /* not 0: our thread must end */
static _Atomic uint32_t n_threads; /* number of our threads */

static void api_collector_wait_for(_Atomic uint32_t *word, uint32_t expected, const struct timespec *timeout)
{
	sys_call6(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, expected, (long)timeout, 0, 0);
}

static void api_collector_wake(_Atomic uint32_t *word)
{
	atomic_store(word, 1);
	sys_call6(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/*
 * In the child of fork: our thread and the holder of the latch do not exist. Fork handlers of the program may call this
 * before ours do.
 */
static void api_collector_reset_in_child(void)
{
	cpi_fork_check();
	owner_pid = cpi.pid;
	latch = (struct latch){ .state = 1 };
	atomic_store(&owner, sys_gettid());
	has_thread = false;
	atomic_store(&n_threads, 0);
	if (collect)
		collect_after_fork(collect, (pid_t)cpi.pid);
	if (forget)
		forget();
}

static bool is_held_for_fork; /* does the thread that forks hold the latch? */

static void set_owner(void)
{
	atomic_store(&owner, sys_gettid());
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_before);
}

bool collector_lock(uint32_t wait_ms)
{
	if (collect && owner_pid != sys_getpid()) {
		api_collector_reset_in_child();
		if (!is_held_for_fork) /* otherwise the owner was set before fork */
			set_owner();
		is_held_for_fork = false;
		return true;
	}
	if (atomic_load(&owner) == sys_gettid() || !latch_acquire_within(&latch, wait_ms * 1000000ULL))
		return false;
	set_owner();
	return true;
}

void collector_unlock(void)
{
	int before = cancel_before;

	atomic_store(&owner, 0);
	latch_release(&latch);
	pthread_setcancelstate(before, NULL);
}

static void api_collector_before_fork(void)
{
	is_held_for_fork = collector_lock(COLLECTOR_WAIT_MS);
}

static void api_collector_in_parent(void)
{
	if (is_held_for_fork)
		collector_unlock();
	is_held_for_fork = false;
}

static void api_collector_in_child(void)
{
	if (owner_pid != sys_getpid()) {
		api_collector_reset_in_child();
		if (!is_held_for_fork)
			set_owner();
		is_held_for_fork = false;
		collector_unlock();
	}
	if (resume)
		resume();
}

bool collector_is_parent(void)
{
	return cpi.head && !cpi.is_self;
}

int collector_open(void)
{
	const struct collector_options options = { .is_self = true, .n_tables = 1 };
	int rc;

	if (collect || collector_is_parent())
		return 0;
	rc = collect_open(&options, NULL, NULL, &collect);
	if (rc < 0)
		return rc;
	if (!cpi_attach(collect_segment(collect), true)) {
		collect_close(collect);
		collect = NULL;
		return -EAGAIN;
	}
	owner_pid = cpi.pid;
	if (!has_fork_handlers)
		pthread_atfork(api_collector_before_fork, api_collector_in_parent, api_collector_in_child);
	has_fork_handlers = true;
	return 0;
}

int collector_ensure_segment(void)
{
	int rc;

	if (cpi.head)
		return 0;
	if (!collector_lock(0))
		return -EDEADLK;
	rc = collector_open();
	collector_unlock();
	return rc;
}

struct process *collector_process(void)
{
	if (!collect)
		return NULL;
	collect_drain(collect);
	return collect_process(collect, (pid_t)cpi.pid);
}

bool collector_others_ended(void)
{
	char name[64], text[64], *at;
	struct stat folder;
	ssize_t got;
	int fd;

	if (stat("/proc/self/task", &folder) != 0 || folder.st_nlink != 3 + atomic_load(&n_threads))
		return false;
	snprintf(name, sizeof(name), "/proc/self/task/%u/stat", (unsigned)cpi.pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	at = strrchr(text, ')');
	return at && at[1] == ' ' && at[2] == 'Z';
}

static void *drain_loop(void *arg)
{
	const struct timespec time = { .tv_nsec = DRAIN_NS };

	(void)arg;
	for (unsigned n = 1; !atomic_load(&quit); n++) {
		api_collector_wait_for(&quit, 0, &time);
		if (atomic_load(&quit))
			break;
		if (latch_try_sig(&latch)) {
			set_owner();
			collect_drain(collect);
			if (n % SCAN_EVERY == 0)
				cpi_threads_scan();
			if (n % SWEEP_EVERY == 0)
				cpi_threads_sweep();
			collector_unlock();
		}
		if (collector_others_ended())
			break;
	}
	return NULL;
}

struct thread_start {
	void *(*fn)(void *);
	_Atomic uint32_t ready;
};

static void *api_collector_run_thread(void *arg)
{
	struct thread_start *b = arg;
	void *(*fn)(void *) = b->fn;

	prctl(PR_SET_NAME, "cpa");
	cpi_thread_ignore(true);
	atomic_store(&cpi_local.hook, 1);
	atomic_fetch_add(&n_threads, 1);
	api_collector_wake(&b->ready); /* b is invalid from here on */
	fn(NULL);
	atomic_fetch_sub(&n_threads, 1);
	return NULL;
}

/*
 * Size of a stack for our threads. The C library places static TLS on it, which can be larger than the stack that we
 * need: in programs with ThreadSanitizer, for example.
 */
static size_t api_collector_stack_size(const pthread_attr_t *attr)
{
	size_t (*minimum)(const pthread_attr_t *);

	/* only glibc has this function, and only glibc needs it */
	*(void **)&minimum = dlsym(RTLD_DEFAULT, "__pthread_get_minstack");
	return STACK_SIZE + (minimum ? minimum(attr) : 0);
}

int collector_thread(pthread_t *out, void *(*fn)(void *))
{
	struct thread_start b = { .fn = fn };
	uint64_t all = ~0ULL, before;
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	sys_mask(SIG_SETMASK, &all, &before);
	atomic_fetch_add(&cpi_local.hook, 1); /* do not count the memory of our thread as the program's */
	pthread_attr_setstacksize(&attr, api_collector_stack_size(&attr));
	rc = cpi_next()->pthread_create(out, &attr, api_collector_run_thread, &b);
	atomic_fetch_sub(&cpi_local.hook, 1);
	sys_mask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	while (rc == 0 && !atomic_load(&b.ready))
		api_collector_wait_for(&b.ready, 0, NULL);
	return -rc;
}

static void join_thread(void)
{
	if (!has_thread)
		return;
	api_collector_wake(&quit);
	if (!pthread_equal(pthread_self(), thread))
		cpi_next()->pthread_join(thread, NULL);
	has_thread = false;
}

int collector_cpu_begin(uint32_t hz, uint32_t max_depth, uint32_t engine)
{
	int rc;

	atomic_store(&quit, 0);
	rc = collector_thread(&thread, drain_loop);
	if (rc < 0)
		return rc;
	has_thread = true;
	cpi.max_depth = max_depth && max_depth < FRAMES_MAX ? max_depth : FRAMES_MAX;
	atomic_store(&cpi.head->engine, engine);
	collect_self_cpu_start(collect, hz);
	cpi_cpu_start(hz);
	return 0;
}

struct process *collector_cpu_end(void)
{
	cpi_cpu_stop();
	join_thread();
	collect_drain(collect);
	collect_self_cpu_stop(collect);
	return collect_process(collect, (pid_t)cpi.pid);
}

void collector_on_fork(void (*first)(void), void (*second)(void))
{
	forget = first;
	resume = second;
}

bool collector_has_stacks(void)
{
	return collect && collect_has_stacks(collect);
}
