/*
 * perf.c - an event of the kernel's software CPU clock per thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Timers are looked at once per tick of the kernel, events are interrupts of their own: at 1000 Hz there
 * are 1000 stacks a second, not CONFIG_HZ. What they cannot: they count in user code only. Kernel code may
 * be counted by few, and a signal that is made in execve would come to the next program, which has no
 * handler and ends. So a signal weighs what the clock of its thread says, and each thread has its timer
 * as well, slow: it finds time in system calls, and events that are no more.
 *
 * Each event is an open file. It has a high number, which programs do not meet when they open theirs, and
 * one that has few to open gets none. One that closes all files closes ours, and a number may then be of
 * another file: so an event is known by the id that the kernel gave it, and is only then closed.
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

enum { FILES_FEW = 256, FILES_MANY = 4096, SIGRT_FIRST = 32, LOOK_EVERY = 8 };

/* There may be signals of events, also when there are no more events. */
static _Atomic bool used;

/* The numbers that are ours: the last quarter of those that the program may have. */
static long first_number(void)
{
	struct rlimit limit = { 0 };
	long rc = sys_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
	uint64_t n = limit.rlim_cur < FILES_MANY ? limit.rlim_cur : FILES_MANY;

	return rc < 0 ? rc : n < FILES_FEW ? -EMFILE : (long)(n - n / 4);
}

static long open_event(const struct thread *t, uint32_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = t->period_ns,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.wakeup_events = 1,
	};
	long number = first_number(), low, fd;

	if (number < 0)
		return number;
	low = sys_call6(SYS_perf_event_open, (long)&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	if (low < 0)
		return low;
	fd = sys_call(SYS_fcntl, low, F_DUPFD_CLOEXEC, number, 0);
	sys_call(SYS_close, low, 0, 0, 0);
	return fd;
}

/* The signal goes to the thread, with the number of the file in it. */
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

bool cpi_perf_open_sig(struct thread *t, uint32_t tid)
{
	/* signals with numbers for real time are queued without bound, and become SIGIO when there is no room */
	long fd = cpi.sig < SIGRT_FIRST ? open_event(t, tid) : -EINVAL, rc;

	if (fd < 0) {
		cpi_perf_tell_sig((uint32_t)-fd);
		return false;
	}
	rc = send_to(fd, tid);
	t->perf_id = id_of(fd);
	atomic_store(&t->perf, (int)fd + 1);
	atomic_store(&used, true);
	if (rc >= 0 && t->perf_id)
		rc = sys_call(SYS_ioctl, fd, (long)PERF_EVENT_IOC_ENABLE, 0, 0);
	if (rc >= 0 && t->perf_id) {
		t->by_clock = true;
		cpi_process_tell_sig(ENGINE_PERF, 0);
		return true;
	}
	cpi_perf_tell_sig(rc < 0 ? (uint32_t)-rc : ENOTTY);
	cpi_perf_close_sig(t);
	return false;
}

void cpi_perf_close_sig(struct thread *t)
{
	int fd = atomic_exchange(&t->perf, 0) - 1;

	if (fd >= 0 && id_of(fd) == t->perf_id)
		sys_call(SYS_close, fd, 0, 0, 0);
}

bool cpi_perf_is_gone_sig(struct thread *t)
{
	int fd = atomic_load_explicit(&t->perf, memory_order_relaxed) - 1;

	if (fd < 0 || ++t->n_looks % LOOK_EVERY || id_of(fd) == t->perf_id)
		return false;
	atomic_store(&t->perf, 0);
	cpi_perf_tell_sig(EBADF);
	return true;
}

bool cpi_perf_is_signal_sig(const siginfo_t *info)
{
	return atomic_load_explicit(&used, memory_order_relaxed) && info->si_code >= POLL_IN &&
	       info->si_code <= POLL_HUP;
}
