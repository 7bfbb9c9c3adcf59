/*
 * collector.c - the collector in the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread never waits for others: when somebody has the collector it comes again 100 ms later. So it
 * can be waited for with the collector taken. It ends with the recording, so that a program whose main
 * thread is gone ends when its last thread does; and within one it goes when it is the last.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"

#include "libcpaprof/target/latch.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STACK_SIZE = 256 << 10, SCAN_EVERY = 5, SWEEP_EVERY = 10, DRAIN_NS = COLLECT_DRAIN_MS * 1000000 };

static struct latch latch;
static _Atomic uint32_t owner; /* thread that has it */
static int cancel_before;      /* of that thread: one that was cancelled meanwhile would have it for good */

/* Guarded by the latch. */
static struct collect *collect;
static pthread_t thread;
static bool has_thread, knows_fork;
static uint32_t of;                          /* the process whose it is */
static void (*forget)(void), (*again)(void); /* in the child of fork */

static _Atomic uint32_t quit;   /* the thread is to end */
static _Atomic uint32_t n_ours; /* threads */

static void wait_for(_Atomic uint32_t *word, uint32_t is, const struct timespec *most)
{
	sys_call6(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, is, (long)most, 0, 0);
}

static void tell(_Atomic uint32_t *word)
{
	atomic_store(word, 1);
	sys_call6(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/*
 * In the child of fork: the thread is not there, nor who had the latch. Handlers of fork that the program has may come
 * here before ours.
 */
static void start_again(void)
{
	cpi_fork_check();
	of = cpi.pid;
	latch = (struct latch){ .state = 1 };
	atomic_store(&owner, sys_gettid());
	has_thread = false;
	atomic_store(&n_ours, 0);
	if (collect)
		collect_forked(collect, (pid_t)cpi.pid);
	if (forget)
		forget();
}

static bool held; /* by the thread that forks */

static void own(void)
{
	atomic_store(&owner, sys_gettid());
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_before);
}

bool collector_take(uint32_t wait_ms)
{
	if (collect && of != sys_getpid()) {
		start_again();
		if (!held) /* else that is known since before fork */
			own();
		held = false;
		return true;
	}
	if (atomic_load(&owner) == sys_gettid() || !latch_take_within(&latch, wait_ms * 1000000ULL))
		return false;
	own();
	return true;
}

void collector_leave(void)
{
	int before = cancel_before;

	atomic_store(&owner, 0);
	latch_leave(&latch);
	pthread_setcancelstate(before, NULL);
}

static void before_fork(void)
{
	held = collector_take(COLLECTOR_WAIT_MS);
}

static void in_parent(void)
{
	if (held)
		collector_leave();
	held = false;
}

static void in_child(void)
{
	if (of != sys_getpid()) {
		start_again();
		if (!held)
			own();
		held = false;
		collector_leave();
	}
	if (again)
		again();
}

bool collector_is_parent(void)
{
	return cpi.head && !cpi.self;
}

int collector_open(void)
{
	const struct collector_options options = { .self = true, .n_tables = 1 };
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
	of = cpi.pid;
	if (!knows_fork)
		pthread_atfork(before_fork, in_parent, in_child);
	knows_fork = true;
	return 0;
}

int collector_ensure_segment(void)
{
	int rc;

	if (cpi.head)
		return 0;
	if (!collector_take(0))
		return -EDEADLK;
	rc = collector_open();
	collector_leave();
	return rc;
}

struct process *collector_process(void)
{
	if (!collect)
		return NULL;
	collect_drain(collect);
	return collect_process(collect, (pid_t)cpi.pid);
}

bool collector_is_last(void)
{
	char name[64] = "/proc/self/task/", text[64], *at = name + strlen(name), digits[12];
	struct stat folder;
	uint32_t pid = cpi.pid;
	int fd, n = 0;
	ssize_t got;

	if (stat("/proc/self/task", &folder) != 0 || folder.st_nlink != 3 + atomic_load(&n_ours))
		return false;
	for (; pid; pid /= 10)
		digits[n++] = (char)('0' + pid % 10);
	while (n)
		*at++ = digits[--n];
	memcpy(at, "/stat", sizeof("/stat"));
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	at = strrchr(text, ')');
	return at && at[1] == ' ' && at[2] == 'Z';
}

static void *work(void *arg)
{
	const struct timespec time = { .tv_nsec = DRAIN_NS };

	(void)arg;
	for (unsigned n = 1; !atomic_load(&quit); n++) {
		wait_for(&quit, 0, &time);
		if (atomic_load(&quit))
			break;
		if (latch_try_sig(&latch)) {
			own();
			collect_drain(collect);
			if (n % SCAN_EVERY == 0)
				cpi_threads_scan();
			if (n % SWEEP_EVERY == 0)
				cpi_threads_sweep();
			collector_leave();
		}
		if (collector_is_last())
			break;
	}
	return NULL;
}

struct beginning {
	void *(*fn)(void *);
	_Atomic uint32_t ready;
};

static void *begin(void *arg)
{
	struct beginning *b = arg;
	void *(*fn)(void *) = b->fn;

	prctl(PR_SET_NAME, "cpa");
	cpi_thread_ignore(true);
	atomic_store(&cpi_local.hook, 1);
	atomic_fetch_add(&n_ours, 1);
	tell(&b->ready); /* b is gone */
	fn(NULL);
	atomic_fetch_sub(&n_ours, 1);
	return NULL;
}

int collector_thread(pthread_t *out, void *(*fn)(void *))
{
	struct beginning b = { .fn = fn };
	uint64_t all = ~0ULL, before;
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	sys_mask(SIG_SETMASK, &all, &before);
	atomic_fetch_add(&cpi_local.hook, 1); /* what it takes of the heap is none of the program's doing */
	rc = cpi_next()->pthread_create(out, &attr, begin, &b);
	atomic_fetch_sub(&cpi_local.hook, 1);
	sys_mask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	while (rc == 0 && !atomic_load(&b.ready))
		wait_for(&b.ready, 0, NULL);
	return -rc;
}

static void end_thread(void)
{
	if (!has_thread)
		return;
	tell(&quit);
	if (!pthread_equal(pthread_self(), thread))
		cpi_next()->pthread_join(thread, NULL);
	has_thread = false;
}

int collector_cpu_begin(uint32_t hz, uint32_t max_depth, uint32_t engine)
{
	int rc;

	atomic_store(&quit, 0);
	rc = collector_thread(&thread, work);
	if (rc < 0)
		return rc;
	has_thread = true;
	cpi.max_depth = max_depth && max_depth < FRAMES_MAX ? max_depth : FRAMES_MAX;
	atomic_store(&cpi.head->engine, engine);
	collect_cpu_begin(collect, hz);
	cpi_cpu_start(hz);
	return 0;
}

struct process *collector_cpu_end(void)
{
	cpi_cpu_stop();
	end_thread();
	collect_drain(collect);
	collect_cpu_end(collect);
	return collect_process(collect, (pid_t)cpi.pid);
}

void collector_on_fork(void (*first)(void), void (*then)(void))
{
	forget = first;
	again = then;
}

bool collector_has_stacks(void)
{
	return collect && collect_has_stacks(collect);
}
