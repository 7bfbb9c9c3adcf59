/*
 * env_profiles.c - profiles requested by environment variables
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * They start when the library is loaded and are written when the process ends. A signal may start and stop the CPU
 * profile instead; each run gets its own file. Heap profiles may also be written while the program runs. A thread,
 * which sleeps most of the time, does both.
 */
#include "config.h"

#include "libcpaprof/api/env_profiles.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpu.h"
#include "libcpaprof/api/http.h"
#include "libcpaprof/api/options.h"
#include "libcpaprof/api/rates.h"
#include "libcpaprof/collector/write/body.h"

#include "libcpaprof/target/env.h"
#include "libcpaprof/target/latch.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHECK_S = 1, N_FATAL = 10, PROGRAMS_MAX = 1000 };
enum { EXEC_MIN_MS = 1, EXEC_CHILD_MIN_MS = 100 }; /* minimum CPU time to write a profile before exec */

static struct options options;
static bool is_child;              /* forked from the process that read the environment */
static unsigned n_cpu, n_heap;     /* number of files written */
static char last_heap[PATH_MAX];   /* final heap profile, if it was written before exec */
static _Atomic uint32_t n_toggles; /* number of toggle signals received */
static _Atomic uint32_t is_ending;
static uint64_t last_allocated, last_in_use; /* values at the last heap dump, for the thread of watch_loop */

/* Make a path unique by adding, before its suffix, -PID in a child if the path has no %p, and -N. */
static void name_file(char to[PATH_MAX], const char *path, unsigned n)
{
	const char *slash = strrchr(path, '/'), *dot = strchr(slash ? slash : path, '.');
	int len = dot ? (int)(dot - path) : (int)strlen(path);
	char pid[32] = "", number[32] = "";

	if (is_child && !strstr(path, "%p"))
		snprintf(pid, sizeof(pid), "-%u", (unsigned)sys_getpid());
	if (n)
		snprintf(number, sizeof(number), "-%u", n);
	snprintf(to, PATH_MAX, "%.*s%s%s%s", len, path, pid, number, dot ? dot : "");
}

/*
 * Make a unique path for a program that writes only one file. If the path contains the process ID, a program executed
 * by the same process would use the same path. So the first free number is added to the path.
 */
static void name_only_file(char to[PATH_MAX], const char *path)
{
	char absolute[PATH_MAX];

	name_file(to, path, 0);
	if (!strstr(path, "%p") || strstr(path, "%t"))
		return;
	for (unsigned n = 2;
	     n < PROGRAMS_MAX && out_expand_path(absolute, to, 0) == 0 && faccessat(AT_FDCWD, absolute, F_OK, 0) == 0;
	     n++)
		name_file(to, path, n);
}

static void name_cpu(char to[PATH_MAX])
{
	if (options.gperf_names && options.toggle) /* names like those of gperftools */
		snprintf(to, PATH_MAX, "%.4000s.%u", options.cpu, n_cpu++);
	else if (options.toggle)
		name_file(to, options.cpu, ++n_cpu);
	else
		name_only_file(to, options.cpu);
}

/* at_end: is it the final profile? */
static void name_heap(char to[PATH_MAX], bool at_end)
{
	if (options.gperf_names)
		snprintf(to, PATH_MAX, "%.4000s.%04u.heap", options.heap, ++n_heap);
	else if (at_end)
		name_only_file(to, options.heap);
	else
		name_file(to, options.heap, ++n_heap);
}

static void env_profiles_start_cpu(void)
{
	cpa_cpu_opts o = { .size = sizeof(o), .hz = (int)options.hz, .max_depth = (int)options.max_depth };
	char path[PATH_MAX];
	int rc;

	name_cpu(path);
	o.engine = options.engine[0] ? options.engine : NULL;
	o.flags = options.gperf_names ? CPA_OVERWRITE : 0;
	rc = cpu_start(path, &o, is_child ? CPU_OWNER_CHILD : CPU_OWNER_ENVIRONMENT);
	if (rc < 0)
		api_options_report(&options, path, -rc);
}

static void stop_cpu(bool at_exit)
{
	struct cpu_state s;
	int rc;

	cpu_get_state(&s);
	rc = s.is_on && s.owner != CPU_OWNER_REQUEST ? cpu_stop(COLLECTOR_WAIT_MS, at_exit) : 0;
	if (rc < 0 && s.owner != CPU_OWNER_API)
		api_options_report(&options, s.path, -rc);
}

static int snap_heap(struct body *b, bool at_end)
{
	struct process *p;
	int rc = -ESRCH;

	if (!collector_lock(COLLECTOR_WAIT_MS))
		return -EDEADLK;
	p = collector_process();
	if (p)
		rc = body_append_snap(b, p, SNAP_HEAP, 0, 0);
	if (rc == 0 && at_end && is_child && !collector_has_stacks())
		rc = -ENOENT;
	collector_unlock();
	return rc;
}

static void env_profiles_write_heap(bool at_end)
{
	struct body b = { 0 };
	char path[PATH_MAX];
	struct out out;
	int rc = snap_heap(&b, at_end);

	if (rc == -ENOENT && is_child)
		return;
	if (at_end && *last_heap)
		memcpy(path, last_heap, sizeof(path));
	else
		name_heap(path, at_end);
	if (rc == 0)
		rc = out_path(&out, path, options.gperf_names || (at_end && *last_heap));
	if (rc == 0)
		rc = out_write(&out, b.v.data, b.v.n);
	if (rc == 0 && at_end)
		memcpy(last_heap, path, sizeof(path));
	body_release(&b);
	if (rc < 0)
		api_options_report(&options, path, -rc);
}

/* Have heap usage or total allocations grown by the requested amount since the last dump? */
static bool heap_is_due(void)
{
	uint64_t allocated = 0, in_use = 0;
	struct process *p;
	struct snap *s;

	if (!collector_lock(COLLECTOR_WAIT_MS))
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
	collector_unlock();
	if (!(options.heap_allocated && allocated - last_allocated >= options.heap_allocated) &&
	    !(options.heap_in_use && in_use > last_in_use && in_use - last_in_use >= options.heap_in_use))
		return false;
	last_allocated = allocated;
	last_in_use = in_use > last_in_use ? in_use : last_in_use;
	return true;
}

static void *watch_loop(void *arg)
{
	const struct timespec time = { .tv_sec = CHECK_S };
	struct cpu_state s;
	uint32_t n_seen = 0;

	(void)arg;
	while (!atomic_load(&is_ending) && !collector_others_ended()) {
		sys_call6(SYS_futex, (long)&n_toggles, FUTEX_WAIT_PRIVATE, n_seen, (long)&time, 0, 0);
		if (atomic_load(&is_ending))
			break;
		if (atomic_load(&n_toggles) != n_seen) {
			n_seen = atomic_load(&n_toggles);
			cpu_get_state(&s);
			if (!s.is_on || s.owner == CPU_OWNER_REQUEST)
				env_profiles_start_cpu();
			else if (s.owner != CPU_OWNER_API)
				stop_cpu(false);
		}
		if (options.heap[0] && (options.heap_allocated || options.heap_in_use) && heap_is_due())
			env_profiles_write_heap(false);
	}
	return NULL;
}

static void toggle_sig(int sig)
{
	int before = errno;

	(void)sig;
	atomic_fetch_add(&n_toggles, 1);
	sys_call6(SYS_futex, (long)&n_toggles, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	errno = before;
}

static void start_watch(void)
{
	pthread_t thread;
	int rc;

	if (!options.toggle && !(options.heap[0] && (options.heap_allocated || options.heap_in_use)))
		return;
	atomic_store(&n_toggles, 0);
	rc = collector_thread(&thread, watch_loop);
	if (rc < 0)
		api_options_report(&options, "cannot create a thread for heap dumps and CPA_TOGGLE_SIGNAL", -rc);
	else
		pthread_detach(thread);
}

/*
 * Handler for signals that end the program, installed only where the program has no action of its own. It sends the
 * signal again, whose default action ends the program.
 */
static void fatal_sig(int sig)
{
	env_profiles_end();
	sys_call(SYS_tgkill, sys_getpid(), sys_gettid(), sig, 0);
}

static void catch_fatal(void)
{
	static const int signals[N_FATAL] = { SIGABRT, SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
					      SIGSYS,  SIGTERM, SIGXCPU, SIGHUP, SIGINT };
	struct sigaction now, act = { .sa_handler = fatal_sig, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK) };

	for (int i = 0; i < N_FATAL; i++)
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
}

/* Rates, which apply to the program's own profiles too. */
static void set_rates(void)
{
	bool heap = options.heap_rate != RATE_UNSET;
	struct segment_head *head;
	int rc;

	if (!options.heap[0] && !heap && !options.block_rate && !options.mutex_fraction && !options.heap_labels)
		return;
	rc = collector_ensure_segment();
	if (rc < 0) {
		api_options_report(&options, "cannot allocate memory for profiles", -rc);
		return;
	}
	head = cpi.head;
	if (options.heap[0] || heap)
		heap_rate_set_by_env(heap ? options.heap_rate : HEAP_RATE_DEFAULT);
	atomic_store(&head->block_rate, options.block_rate);
	atomic_store(&head->mutex_fraction, options.mutex_fraction);
	if (options.heap_labels)
		atomic_fetch_or(&head->flags, FLAG_HEAP_LABELS);
}

void env_profiles_begin(void)
{
	const struct sigaction toggle_action = { .sa_handler = toggle_sig, .sa_flags = SA_RESTART };

	if (!api_options_read(&options))
		return;
	api_options_export(&options);
	if (options.only_self)
		cpi_env_remove();
	if (options.sig)
		cpi.sig_requested = (uint32_t)options.sig;
	if (options.no_label_inherit)
		cpa_labels_inherit(0);
	if (options.hz)
		cpa_cpu_set_rate((int)options.hz);
	set_rates();
	if (options.cpu[0] && !options.toggle)
		env_profiles_start_cpu();
	if (!options.cpu[0])
		options.toggle = 0;
	if (options.toggle && collector_ensure_segment() == 0)
		sigaction((int)options.toggle, &toggle_action, NULL);
	start_watch();
	if (options.flush_on_fatal)
		catch_fatal();
	if (options.listen[0])
		cpi_endpoint_start_from_env(&options);
}

void env_profiles_end(void)
{
	if (!cpi.is_self || cpi.pid != sys_getpid() || atomic_exchange(&is_ending, 1))
		return;
	cpi_endpoint_end();
	stop_cpu(true);
	if (options.heap[0])
		env_profiles_write_heap(true);
}

void env_profiles_before_exec(void)
{
	struct cpu_state s;
	int rc;

	cpu_get_state(&s);
	rc = s.is_on ? cpu_flush(COLLECTOR_WAIT_MS, is_child ? EXEC_CHILD_MIN_MS : EXEC_MIN_MS) : -EAGAIN;
	if (rc < 0 && rc != -EAGAIN && rc != -EINVAL && s.owner != CPU_OWNER_API)
		api_options_report(&options, s.path, -rc);
	if (options.heap[0] && !atomic_load(&is_ending))
		env_profiles_write_heap(true);
	cpi_endpoint_before_exec();
}

void env_profiles_after_fork(void)
{
	bool wants_cpu = options.cpu[0] && !options.toggle && !options.only_self;

	is_child = true;
	n_cpu = n_heap = 0;
	*last_heap = '\0';
	last_allocated = last_in_use = 0;
	atomic_store(&is_ending, 0);
	if (options.only_self)
		options.heap[0] = options.cpu[0] = '\0';
	if (wants_cpu)
		env_profiles_start_cpu();
	if (!options.only_self)
		start_watch();
}
