/*
 * env_profiles.c - profiles that the environment asks for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * They begin when the library is loaded and are written when the process ends. A signal may start and
 * stop the CPU profile instead, each into a file of its own; heap profiles may also be written on the way. For
 * these two there is a thread, which sleeps but for that.
 */
#include "config.h"

#include "libcpaprof/api/env_profiles.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpu.h"
#include "libcpaprof/api/heap_rate.h"
#include "libcpaprof/api/http.h"
#include "libcpaprof/api/options.h"
#include "libcpaprof/collector/body.h"

#include "libcpaprof/target/env.h"
#include "libcpaprof/target/latch.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_S = 1, N_FATAL = 10, PROGRAMS_MOST = 1000 };
enum { EXEC_LEAST_MS = 1, EXEC_CHILD_LEAST_MS = 100 }; /* CPU time: most children do nothing before they execute */

static struct options asked;
static bool is_child;            /* forked from the process that was asked */
static unsigned n_cpu, n_heap;   /* files that are written */
static char last_heap[PATH_MAX]; /* the file of the end, when it was written before another program was executed */
static _Atomic uint32_t turned;  /* by the signal */
static _Atomic uint32_t ending;
static uint64_t last_allocated, last_in_use; /* at the last dump of the heap; of the thread alone */

/* PATH with what tells it from others before its suffix: -PID in a child that has no %p, and -N. */
static void name_file(char to[PATH_MAX], const char *path, unsigned n)
{
	const char *slash = strrchr(path, '/'), *dot = strchr(slash ? slash : path, '.');
	int len = dot ? (int)(dot - path) : (int)strlen(path);
	char more[32] = "", number[32] = "";

	if (is_child && !strstr(path, "%p"))
		snprintf(more, sizeof(more), "-%u", (unsigned)sys_getpid());
	if (n)
		snprintf(number, sizeof(number), "-%u", n);
	snprintf(to, PATH_MAX, "%.*s%s%s%s", len, path, more, number, dot ? dot : "");
}

/*
 * The same for the one file of a program. A process that executes another one has its name already, if that is of
 * the process: then it is the first number that is free.
 */
static void name_one(char to[PATH_MAX], const char *path)
{
	char whole[PATH_MAX];

	name_file(to, path, 0);
	if (!strstr(path, "%p") || strstr(path, "%t"))
		return;
	for (unsigned n = 2;
	     n < PROGRAMS_MOST && out_name(whole, to, 0) == 0 && faccessat(AT_FDCWD, whole, F_OK, 0) == 0; n++)
		name_file(to, path, n);
}

static void name_cpu(char to[PATH_MAX])
{
	if (asked.like_gperf && asked.toggle) /* as theirs */
		snprintf(to, PATH_MAX, "%.4000s.%u", asked.cpu, n_cpu++);
	else if (asked.toggle)
		name_file(to, asked.cpu, ++n_cpu);
	else
		name_one(to, asked.cpu);
}

/* at_end: the last one. */
static void name_heap(char to[PATH_MAX], bool at_end)
{
	if (asked.like_gperf)
		snprintf(to, PATH_MAX, "%.4000s.%04u.heap", asked.heap, ++n_heap);
	else if (at_end)
		name_one(to, asked.heap);
	else
		name_file(to, asked.heap, ++n_heap);
}

static void start_cpu(void)
{
	cpa_cpu_opts o = { .size = sizeof(o), .hz = (int)asked.hz, .max_depth = (int)asked.max_depth };
	char path[PATH_MAX];
	int rc;

	name_cpu(path);
	o.engine = asked.engine[0] ? asked.engine : NULL;
	o.flags = asked.like_gperf ? CPA_OVERWRITE : 0;
	rc = cpu_start(path, &o, is_child ? CPU_BY_CHILD : CPU_BY_ENVIRONMENT);
	if (rc < 0)
		api_options_say(&asked, path, -rc);
}

static void stop_cpu(bool at_exit)
{
	struct cpu_state s;
	int rc;

	cpu_get_state(&s);
	rc = s.on && s.by != CPU_BY_REQUEST ? cpu_stop(COLLECTOR_WAIT_MS, at_exit) : 0;
	if (rc < 0 && s.by != CPU_BY_API)
		api_options_say(&asked, s.path, -rc);
}

static int take_heap(struct body *b, bool at_end)
{
	struct process *p;
	int rc = -ESRCH;

	if (!collector_take(COLLECTOR_WAIT_MS))
		return -EDEADLK;
	p = collector_process();
	if (p)
		rc = body_snap(b, p, SNAP_HEAP, 0, 0);
	if (rc == 0 && at_end && is_child && !collector_has_stacks())
		rc = -ENOENT;
	collector_leave();
	return rc;
}

static void write_heap(bool at_end)
{
	struct body b = { 0 };
	char path[PATH_MAX];
	struct out out;
	int rc = take_heap(&b, at_end);

	if (rc == -ENOENT && is_child)
		return;
	if (at_end && *last_heap)
		memcpy(path, last_heap, sizeof(path));
	else
		name_heap(path, at_end);
	if (rc == 0)
		rc = out_path(&out, path, asked.like_gperf || (at_end && *last_heap));
	if (rc == 0)
		rc = out_write(&out, b.v.data, b.v.n);
	if (rc == 0 && at_end)
		memcpy(last_heap, path, sizeof(path));
	body_release(&b);
	if (rc < 0)
		api_options_say(&asked, path, -rc);
}

/* Did the heap grow by so much, or was so much allocated, since the last dump? */
static bool heap_is_due(void)
{
	uint64_t allocated = 0, in_use = 0;
	struct process *p;
	struct snap *s;

	if (!collector_take(COLLECTOR_WAIT_MS))
		return false;
	p = collector_process();
	if (p && snap_take(p, SNAP_HEAP, 0, &s) == 0) {
		const struct snap_row *row = s->row.data;

		for (size_t i = 0; i < s->row.n; i++) {
			allocated += (uint64_t)row[i].value[1];
			in_use += (uint64_t)row[i].value[3];
		}
		snap_free(s);
	}
	collector_leave();
	if (!(asked.heap_allocated && allocated - last_allocated >= asked.heap_allocated) &&
	    !(asked.heap_in_use && in_use > last_in_use && in_use - last_in_use >= asked.heap_in_use))
		return false;
	last_allocated = allocated;
	last_in_use = in_use > last_in_use ? in_use : last_in_use;
	return true;
}

static void *watch(void *arg)
{
	const struct timespec time = { .tv_sec = LOOK_S };
	struct cpu_state s;
	uint32_t seen = 0;

	(void)arg;
	while (!atomic_load(&ending) && !collector_is_last()) {
		sys_call6(SYS_futex, (long)&turned, FUTEX_WAIT_PRIVATE, seen, (long)&time, 0, 0);
		if (atomic_load(&ending))
			break;
		if (atomic_load(&turned) != seen) {
			seen = atomic_load(&turned);
			cpu_get_state(&s);
			if (!s.on || s.by == CPU_BY_REQUEST)
				start_cpu();
			else if (s.by != CPU_BY_API)
				stop_cpu(false);
		}
		if (asked.heap[0] && (asked.heap_allocated || asked.heap_in_use) && heap_is_due())
			write_heap(false);
	}
	return NULL;
}

static void turn_sig(int sig)
{
	int before = errno;

	(void)sig;
	atomic_fetch_add(&turned, 1);
	sys_call6(SYS_futex, (long)&turned, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	errno = before;
}

static void start_watch(void)
{
	pthread_t thread;
	int rc;

	if (!asked.toggle && !(asked.heap[0] && (asked.heap_allocated || asked.heap_in_use)))
		return;
	atomic_store(&turned, 0);
	rc = collector_thread(&thread, watch);
	if (rc < 0)
		api_options_say(&asked, "no thread to watch", -rc);
	else
		pthread_detach(thread);
}

/* Only where the program has nothing of its own; it then ends as it would. */
static void fatal_sig(int sig)
{
	asked_end();
	sys_call(SYS_tgkill, sys_getpid(), sys_gettid(), sig, 0);
}

static void catch_fatal(void)
{
	static const int fatal[N_FATAL] = { SIGABRT, SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
					    SIGSYS,  SIGTERM, SIGXCPU, SIGHUP, SIGINT };
	struct sigaction now, act = { .sa_handler = fatal_sig, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK) };

	for (int i = 0; i < N_FATAL; i++)
		if (sigaction(fatal[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
			sigaction(fatal[i], &act, NULL);
}

/* What holds for the program's own profiles too. */
static void set_rates(void)
{
	bool heap = asked.heap_rate != RATE_UNSAID;
	struct segment_head *head;
	int rc;

	if (!asked.heap[0] && !heap && !asked.block_rate && !asked.mutex_fraction && !asked.heap_labels)
		return;
	rc = collector_ensure_segment();
	if (rc < 0) {
		api_options_say(&asked, "memory for profiles", -rc);
		return;
	}
	head = cpi.head;
	if (asked.heap[0] || heap)
		heap_rate_say(heap ? asked.heap_rate : HEAP_RATE_USUAL);
	atomic_store(&head->block_rate, asked.block_rate);
	atomic_store(&head->mutex_fraction, asked.mutex_fraction);
	if (asked.heap_labels)
		atomic_fetch_or(&head->flags, FLAG_HEAP_LABELS);
}

void asked_begin(void)
{
	const struct sigaction turn = { .sa_handler = turn_sig, .sa_flags = SA_RESTART };

	if (!api_options_read(&asked))
		return;
	api_options_pass_on(&asked);
	if (asked.alone)
		cpi_env_remove();
	if (asked.sig)
		cpi.sig_asked = (uint32_t)asked.sig;
	if (asked.labels_stay)
		cpa_labels_inherit(0);
	if (asked.hz)
		cpa_cpu_set_rate((int)asked.hz);
	set_rates();
	if (asked.cpu[0] && !asked.toggle)
		start_cpu();
	if (!asked.cpu[0])
		asked.toggle = 0;
	if (asked.toggle && collector_ensure_segment() == 0)
		sigaction((int)asked.toggle, &turn, NULL);
	start_watch();
	if (asked.fatal)
		catch_fatal();
	if (asked.listen[0])
		http_ask(&asked);
}

void asked_end(void)
{
	if (!cpi.self || cpi.pid != sys_getpid() || atomic_exchange(&ending, 1))
		return;
	http_end();
	stop_cpu(true);
	if (asked.heap[0])
		write_heap(true);
}

void asked_before_exec(void)
{
	struct cpu_state s;
	int rc;

	cpu_get_state(&s);
	rc = s.on ? cpu_flush(COLLECTOR_WAIT_MS, is_child ? EXEC_CHILD_LEAST_MS : EXEC_LEAST_MS) : -EAGAIN;
	if (rc < 0 && rc != -EAGAIN && rc != -EINVAL && s.by != CPU_BY_API)
		api_options_say(&asked, s.path, -rc);
	if (asked.heap[0] && !atomic_load(&ending))
		write_heap(true);
	http_replaced();
}

void asked_forked(void)
{
	bool on = asked.cpu[0] && !asked.toggle && !asked.alone;

	is_child = true;
	n_cpu = n_heap = 0;
	*last_heap = '\0';
	last_allocated = last_in_use = 0;
	atomic_store(&ending, 0);
	if (asked.alone)
		asked.heap[0] = asked.cpu[0] = '\0';
	if (on)
		start_cpu();
	if (!asked.alone)
		start_watch();
}
