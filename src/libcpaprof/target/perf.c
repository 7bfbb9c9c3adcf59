/*
 * perf.c - an event of the kernel's software CPU clock per thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel checks timers once per tick, whereas events have interrupts of their own: at 1000 Hz there are 1000 stacks
 * per second, not CONFIG_HZ. Kernel code is counted if the user is allowed to count it. A signal raised within execve
 * would reach the next program, which has no handler for it and would end; so the event of a thread that calls exec is
 * closed before. If kernel code is not counted, a signal is weighted by the CPU clock of its thread, and its other
 * periods were in the kernel. Each thread also has a slow timer, which accounts for long system calls and detects events
 * that were closed.
 *
 * Each event is an open file. Its descriptor has a high number, so the program's own descriptors keep theirs. A
 * program with a low limit of open files gets no events. A program that closes all files closes ours, and a number
 * may then belong to another file. So an event is identified by its kernel id, and closed only if that matches.
 *
 * PERF_EVENT_IOC_REFRESH is never used: it hangs machines with Linux 6.16 and 6.17.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>

enum { FILES_MIN = 256, FILES_MAX = 4096, SIGRT_FIRST = 32, CHECK_INTERVAL = 8 };

/* Signals of events may still arrive after all events were closed. */
static _Atomic bool was_used;

/* The first descriptor for events, which use the highest quarter of the numbers below the limit of the program. Returns
   -errno on failure. */
static long first_number(void)
{
	struct rlimit limit = { 0 };
	long rc = sys_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
	uint64_t n = limit.rlim_cur < FILES_MAX ? limit.rlim_cur : FILES_MAX;

	return rc < 0 ? rc : n < FILES_MIN ? -EMFILE : (long)(n - n / 4);
}

static long open_event(struct thread *t, uint32_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = t->period_ns,
		.disabled = 1,
		.exclude_hv = 1,
		.wakeup_events = 1,
	};
	long number = first_number(), event, fd;

	if (number < 0)
		return number;
	event = sys_call6(SYS_perf_event_open, (long)&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	t->is_user_only = event == -EACCES || event == -EPERM;
	attr.exclude_kernel = t->is_user_only;
	if (t->is_user_only)
		event = sys_call6(SYS_perf_event_open, (long)&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	if (event < 0)
		return event;
	fd = sys_call(SYS_fcntl, event, F_DUPFD_CLOEXEC, number, 0);
	sys_call(SYS_close, event, 0, 0, 0);
	return fd;
}

/* Send the event's signal to the thread, with the descriptor in it. */
static long send_to(long fd, uint32_t tid)
{
	const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = (pid_t)tid };
	long rc = sys_call(SYS_fcntl, fd, F_SETOWN_EX, (long)&owner, 0);

	if (rc >= 0)
		rc = sys_call(SYS_fcntl, fd, F_SETSIG, cpi.sig, 0);
	if (rc >= 0)
		rc = sys_call(SYS_fcntl, fd, F_SETFL, O_ASYNC | O_NONBLOCK, 0);
	return rc;
}

static uint64_t id_of(long fd)
{
	uint64_t id = 0;

	return sys_call(SYS_ioctl, fd, (long)PERF_EVENT_IOC_ID, (long)&id, 0) < 0 ? 0 : id;
}

/* Time in the kernel of this thread, as sampled by the kernel at its ticks. */
static uint64_t kernel_time_sig(void)
{
	struct rusage u = { 0 };

	sys_call(SYS_getrusage, RUSAGE_THREAD, (long)&u, 0, 0);
	return (uint64_t)u.ru_stime.tv_sec * 1000000000 + (uint64_t)u.ru_stime.tv_usec * 1000;
}

bool cpi_perf_open_sig(struct thread *t, uint32_t tid)
{
	/* not with real-time signals: the kernel queues one for each period, and sends SIGIO when the queue is full */
	long fd = cpi.sig < SIGRT_FIRST ? open_event(t, tid) : -EINVAL, rc;

	if (fd < 0) {
		cpi_perf_set_error_sig((uint32_t)-fd);
		return false;
	}
	rc = send_to(fd, tid);
	t->perf_id = id_of(fd);
	atomic_store(&t->perf, (int)fd + 1);
	atomic_store(&was_used, true);
	if (rc >= 0 && t->perf_id)
		rc = sys_call(SYS_ioctl, fd, (long)PERF_EVENT_IOC_ENABLE, 0, 0);
	if (rc >= 0 && t->perf_id) {
		/* its time in the kernel so far is not charged; that of another thread is not known */
		t->kernel_ns = t->is_user_only && tid == sys_gettid() ? kernel_time_sig() : 0;
		t->by_clock = true;
		cpi_process_set_engine_sig(ENGINE_PERF, 0);
		return true;
	}
	cpi_perf_set_error_sig(rc < 0 ? (uint32_t)-rc : ENOTTY);
	cpi_perf_close_sig(t);
	return false;
}

void cpi_perf_close_sig(struct thread *t)
{
	int fd = atomic_exchange(&t->perf, 0) - 1;

	if (fd >= 0 && id_of(fd) == t->perf_id)
		sys_call(SYS_close, fd, 0, 0, 0);
}

/* On a busy machine the event also misses periods of user code, so the kernel's own times are the limit. */
uint32_t cpi_perf_kernel_sig(struct thread *t, uint32_t n)
{
	uint64_t now, limit;

	if (!t->is_user_only || !t->by_clock || !atomic_load_explicit(&t->perf, memory_order_relaxed))
		return 0;
	now = kernel_time_sig();
	limit = now > t->kernel_ns ? (now - t->kernel_ns) / t->period_ns : 0;
	n = n < limit ? n : (uint32_t)limit;
	t->kernel_ns += n * t->period_ns;
	return n;
}

void cpi_perf_leave_sig(void)
{
	struct thread *t = cpi.head && !atomic_load(&cpi.is_sandboxed) ? cpi_thread_find_sig(sys_gettid()) : NULL;

	if (!t || !atomic_load(&t->perf))
		return;
	cpi_perf_close_sig(t);
	cpi_clock_restore_rate_sig(t);
}

bool cpi_perf_is_gone_sig(struct thread *t)
{
	int fd = atomic_load_explicit(&t->perf, memory_order_relaxed) - 1;

	if (fd < 0 || ++t->n_checks % CHECK_INTERVAL || id_of(fd) == t->perf_id)
		return false;
	atomic_store(&t->perf, 0);
	cpi_perf_set_error_sig(EBADF);
	return true;
}

bool cpi_perf_is_signal_sig(const siginfo_t *info)
{
	return atomic_load_explicit(&was_used, memory_order_relaxed) && info->si_code >= POLL_IN &&
	       info->si_code <= POLL_HUP;
}
