/*
 * collect.c - the segment, and the processes in it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * segment_head.active, the tid of the collector, is registered with the kernel like a robust futex: when our thread
 * ends, even by SIGKILL, the kernel clears the tid. The robust list of the C library, which we do not use, is replaced
 * by a list with just this futex as its pending operation.
 */
#include "config.h"

#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/read/memory.h"

#include "libcpaprof/target/segment.h"
#include "libcpaprof/target/stacks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool collect_parse_signal(const char *name, uint32_t *out)
{
	static const struct {
		const char *name;
		uint32_t number;
	} known[] = {
		{ "SIGPROF", SIGPROF }, { "SIGVTALRM", SIGVTALRM }, { "SIGSTKFLT", SIGSTKFLT }, { "SIGPWR", SIGPWR }
	};
	char *end;
	long n = strtol(name, &end, 10);
	bool is_number = *name >= '0' && *name <= '9' && !*end;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcasecmp(name, known[i].name) == 0 || strcasecmp(name, known[i].name + 3) == 0 ||
		    (is_number && n == known[i].number)) {
			*out = known[i].number;
			return true;
		}
	if (!is_number || n < SIGRTMIN || n > SIGRTMAX)
		return false;
	*out = (uint32_t)n;
	return true;
}

bool collect_parse_engine(const char *name, uint32_t *out)
{
	static const char *const names[] = {
		[REQUEST_TIMER] = "timer", [REQUEST_PERF] = "perf", [REQUEST_ITIMER] = "itimer"
	};

	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}

struct alive {
	struct robust_list_head head;
	struct robust_list_head *saved; /* the robust list of the C library */
	size_t size;
};

/* Mark the segment as active for as long as this thread lives. */
static void collect_alive_start(struct collect *c)
{
	struct alive *a = memory_map(sizeof(*a));

	atomic_store(&c->head->active, (uint32_t)syscall(SYS_gettid));
	if (!a)
		return;
	a->head.list.next = &a->head.list;
	a->head.list_op_pending = &a->head.list;
	a->head.futex_offset = (long)((uintptr_t)&c->head->active - (uintptr_t)&a->head.list);
	if (syscall(SYS_get_robust_list, 0, &a->saved, &a->size) == 0 &&
	    syscall(SYS_set_robust_list, &a->head, sizeof(a->head)) == 0)
		c->alive = a;
	else
		memory_unmap(a, sizeof(*a));
}

static void collect_alive_stop(struct collect *c)
{
	if (!c->alive)
		return;
	syscall(SYS_set_robust_list, c->alive->saved, c->alive->size);
	memory_unmap(c->alive, sizeof(*c->alive));
	c->alive = NULL;
}

#define STACKS_SIZE (1ULL << 30) /* max memory for the stacks of all processes */

enum { TABLES_DEFAULT = 4, HZ_DEFAULT = 100 }; /* the kernel allocates only pages that are used */
enum { UNARMED_EVERY = 5 };                    /* number of drains between searches for threads without a timer */
enum { REPLACED_EVERY = 10 };                  /* number of drains between searches for programs without our library */
enum { REFUSED_MAX = 1 << 22 };    /* max processes that find no slot between two drains: the kernel's max */
enum { UNPROFILED_MAX = 1 << 22 }; /* max programs executed without our library */

/*
 * Set the size of the memory file. The kernel applies the limit of file sizes (ulimit -f) to it, which is meant for
 * files on disks, so the limit is raised meanwhile, if that is permitted.
 */
static int collector_collect_set_size(int fd, uint64_t size)
{
	struct rlimit before, raised;
	int rc;

	if (getrlimit(RLIMIT_FSIZE, &before) != 0 || before.rlim_cur >= size)
		return ftruncate(fd, (off_t)size) == 0 ? 0 : -errno;
	raised = (struct rlimit){ size, before.rlim_max > size ? before.rlim_max : size };
	if (setrlimit(RLIMIT_FSIZE, &raised) != 0)
		return -EFBIG;
	rc = ftruncate(fd, (off_t)size) == 0 ? 0 : -errno;
	setrlimit(RLIMIT_FSIZE, &before);
	return rc;
}

/* Create a memory file of fixed size: access beyond the end of a shrunk file would kill the collector. */
static int collector_collect_make_file(uint64_t size)
{
	int fd = memfd_create("cpa", MFD_CLOEXEC | MFD_ALLOW_SEALING), rc;

	if (fd < 0)
		return -errno;
	rc = collector_collect_set_size(fd, size);
	if (rc == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		rc = -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

static void write_head(struct collect *c)
{
	struct segment_head *h = c->head;

	h->version = SEGMENT_VERSION;
	h->hz = c->options.hz;
	h->max_depth = c->options.max_depth;
	h->follow = c->options.follow ? FOLLOW_ALL : FOLLOW_MAIN;
	h->size = c->size;
	h->n_rings = c->layout.n_rings;
	h->n_tables = c->layout.n_tables;
	memcpy(h->nonce, c->nonce, sizeof(h->nonce));
	memcpy(h->section, c->layout.section, sizeof(h->section));
	atomic_store(&h->heap_rate, c->options.heap_rate);
	atomic_store(&h->block_rate, c->options.block_rate);
	atomic_store(&h->mutex_fraction, c->options.mutex_fraction);
	atomic_store(&h->flags, c->options.flags);
	atomic_store(&h->engine, c->options.engine);
	atomic_store(&h->signal, c->options.signal);
	atomic_store(&h->recording, c->is_cpu_always);
	atomic_store(&h->cpu, c->is_cpu_always);
	if (!c->options.is_self) /* a process that profiles itself becomes active later, when all else is set up */
		collect_alive_start(c);
	h->magic = SEGMENT_MAGIC;
}

/* Map the segment. In a process that profiles itself it is private memory, which fork copies. */
static int collector_collect_map(struct collect *c)
{
	int flags = c->options.is_self ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
	struct stat file = { 0 };

	if (!c->options.is_self) {
		c->fd = collector_collect_make_file(c->size);
		if (c->fd < 0)
			return c->fd;
		if (fstat(c->fd, &file) != 0)
			return -errno;
	}
	c->dev = file.st_dev;
	c->ino = file.st_ino;
	c->head = mmap(NULL, c->size, PROT_READ | PROT_WRITE, flags, c->fd, 0);
	if (c->head != MAP_FAILED) {
		madvise(c->head, c->size, MADV_DONTDUMP);
		return 0;
	}
	c->head = NULL;
	return -errno;
}

static int collector_collect_set_up(struct collect *c)
{
	int rc = collector_collect_map(c);

	if (rc < 0)
		return rc;
	c->cursor = memory_map(c->layout.n_rings * sizeof(*c->cursor));
	c->process = memory_map(N_PROCS * sizeof(*c->process));
	c->last_claim = memory_map((N_PROCS + TABLES_MAX + c->layout.n_rings) * sizeof(*c->last_claim));
	if (!c->cursor || !c->process || !c->last_claim)
		return -ENOMEM;
	if (getrandom(c->nonce, sizeof(c->nonce), 0) != sizeof(c->nonce))
		return -EIO;
	c->start_ns = clock_wall();
	c->pid_namespace = namespace_of(getpid());
	write_head(c);
	return 0;
}

/* The default number of tables: one if the address space is limited (ulimit -v). */
static uint32_t default_n_tables(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? 1 : TABLES_DEFAULT;
}

int collect_open(const struct collector_options *options, collect_process_fn *done, void *arg, struct collect **out)
{
	struct collect *c = memory_map(sizeof(*c));
	int rc;

	if (!c)
		return -ENOMEM;
	c->options = *options;
	c->fd = -1;
	c->is_cpu_always = options->hz != 0;
	if (!c->is_cpu_always)
		c->options.hz = HZ_DEFAULT;
	if (c->options.max_depth == 0 || c->options.max_depth > FRAMES_MAX)
		c->options.max_depth = FRAMES_MAX;
	c->done = done;
	c->arg = arg;
	c->n_bytes_remaining = STACKS_SIZE;
	c->size = segment_size(options->n_tables ? options->n_tables : default_n_tables());
	c->layout = segment_lay_out(c->size);
	rc = collector_collect_set_up(c);
	if (rc < 0) {
		collect_close(c);
		return rc;
	}
	*out = c;
	return 0;
}

void collect_close(struct collect *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n_processes; i++)
		if (c->process[i].is_used)
			process_release(&c->process[i]);
	collect_alive_stop(c);
	memory_unmap(c->process, N_PROCS * sizeof(*c->process));
	memory_unmap(c->last_claim, (N_PROCS + TABLES_MAX + c->layout.n_rings) * sizeof(*c->last_claim));
	memory_unmap(c->cursor, c->layout.n_rings * sizeof(*c->cursor));
	if (c->head)
		munmap(c->head, c->size);
	if (c->fd >= 0)
		close(c->fd);
	memory_unmap(c, sizeof(*c));
}

void collect_environment(const struct collect *c, char out[COLLECT_ENV_MAX])
{
	snprintf(out, COLLECT_ENV_MAX, "CPA_SEGMENT=/proc/%d/fd/%d:%016llx%016llx", (int)getpid(), c->fd,
		 (unsigned long long)c->nonce[0], (unsigned long long)c->nonce[1]);
}

void collect_inherit(const struct collect *c)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		fcntl(c->fd, F_DUPFD, segment_first_fd(limit.rlim_cur));
}

void collect_set_main(struct collect *c, pid_t pid)
{
	c->main_pid = pid;
	atomic_store(&c->head->main_pid, (uint32_t)pid);
}

static void collector_collect_find_new(struct collect *c)
{
	for (uint32_t i = 0; i < N_PROCS; i++) {
		struct segment_proc *s = collect_slot(c, i);

		if (atomic_load_explicit(&s->state, memory_order_acquire) != PROC_LIVE ||
		    (i < c->n_processes && c->process[i].is_used))
			continue;
		if (i >= c->n_processes)
			c->n_processes = i + 1;
		process_begin(c, i, s, atomic_load(&s->serial));
	}
}

/* Has the process ended? The pidfd of an ended process is readable. */
static bool collector_collect_is_gone(const struct process *p)
{
	struct pollfd ended = { .fd = p->pidfd, .events = POLLIN };

	if (p->c->options.is_self)
		return false;
	if (p->pidfd < 0)
		return p->is_foreign || (kill(p->pid, 0) != 0 && errno == ESRCH);
	return poll(&ended, 1, 0) > 0;
}

uint32_t collect_count_survivors(const struct collect *c, pid_t *pid)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_processes; i++) {
		const struct process *p = &c->process[i];

		if (p->is_used && !p->is_main && !p->has_ended && !p->end_reported && !p->is_unprofiled &&
		    !collector_collect_is_gone(p)) {
			*pid = p->pid;
			n++;
		}
	}
	return n;
}

/* Is the CPU time of a process sampled from another process? */
static bool is_sampled(const struct process *p)
{
	uint32_t armed = atomic_load_explicit(&collect_slot(p->c, collect_slot_index(p))->armed, memory_order_relaxed);

	return p->is_verified && !p->c->options.is_self &&
	       (p->c->is_cpu_always || (p->c->recording && armed == p->c->recording));
}

/*
 * Count the processes that found no free slot since the last drain. Only drains free slots, so most slots are in use
 * now, or were at the last drain. Otherwise a program has overwritten the counter.
 */
static void collector_collect_count_missed(struct collect *c)
{
	uint32_t now = atomic_load(&c->head->n_refused), n = now - c->n_refused, n_used = 0;

	for (uint32_t i = 0; i < N_PROCS; i++)
		n_used += atomic_load_explicit(&collect_slot(c, i)->state, memory_order_relaxed) != PROC_FREE;
	if (n <= REFUSED_MAX && (n == 0 || n_used > N_PROCS / 2 || c->n_used > N_PROCS / 2))
		c->problems.n_missed += n;
	else
		c->problems.is_damaged = true;
	c->n_refused = now;
	c->n_used = n_used;
}

/* Count the programs that were executed without our library. A count above any real one was overwritten. */
static void collector_collect_count_unprofiled(struct collect *c)
{
	for (int i = 0; i < N_UNPROFILED; i++) {
		uint32_t n = atomic_load(&c->head->n_unprofiled[i]);

		if (n <= UNPROFILED_MAX)
			c->problems.n_unprofiled[i] = n;
		else
			c->problems.is_damaged = true;
	}
}

/* Has the process ended since the last drain? The program itself has not before its CPU time is known. */
static bool collector_collect_find_end(struct process *p)
{
	if (!p->is_used || p->has_ended)
		return false;
	p->has_ended = !(p->is_main && !p->c->is_main_over) && collector_collect_is_gone(p);
	account_read(p);
	return p->has_ended;
}

/* Update a process. If it has ended, report its end. */
static void collector_collect_update(struct process *p, bool last)
{
	struct collect *c = p->c;

	process_update(p, collect_slot(c, collect_slot_index(p)));
	if (!p->has_ended && !last) {
		if (++p->n_drains % UNARMED_EVERY == 0 && is_sampled(p) &&
		    !(p->engine & (ENGINE_NONE | ENGINE_PROCESS)) && !p->lost_seen)
			collect_signal_unarmed(c, p);
		return;
	}
	p->end_ns = clock_wall();
	account_end(p);
	c->done(c->arg, p);
	account_release(p);
	process_end(p);
}

/*
 * A process may be killed at any instruction. Then a slot, table or ring stays in the state "being set up", with the
 * pid of the process. It is freed if the state has not changed since the last sweep and no process has that pid: setup
 * takes microseconds, sweeps are seconds apart.
 */

enum { ROUNDS = 32 };

/* Free a stale claim. In all three kinds of states, 0 means free. */
static void free_stale(_Atomic uint32_t *state, uint32_t *last)
{
	uint32_t now = atomic_load_explicit(state, memory_order_relaxed), before = *last;
	pid_t pid = (pid_t)(now >> CLAIM_BITS);

	*last = now;
	if ((now & ((1U << CLAIM_BITS) - 1)) != CLAIM_SETUP || now != before)
		return;
	if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH))
		atomic_compare_exchange_strong(state, &now, PROC_FREE);
}

/* Called at each drain; most calls do nothing. */
static void collect_sweep(struct collect *c)
{
	uint8_t *tables = (uint8_t *)c->head + c->layout.section[SECTION_TABLES];
	uint32_t *last = c->last_claim, n = collect_n_rings(c);

	if (++c->n_rounds % ROUNDS)
		return;
	for (uint32_t i = 0; i < N_PROCS; i++)
		free_stale(&collect_slot(c, i)->state, last++);
	for (uint32_t i = 0; i < c->layout.n_tables; i++)
		free_stale(&((struct segment_tables *)(tables + (size_t)i * TABLES_SIZE))->state, last++);
	for (uint32_t i = 0; i < n; i++)
		free_stale(&collect_ring(c, i)->state, last++);
}

bool collect_was_loaded(const struct collect *c)
{
	for (uint32_t i = 0; i < N_PROCS; i++)
		if (atomic_load(&collect_slot(c, i)->serial))
			return true;
	return false;
}

static void drain_round(struct collect *c, bool last)
{
	bool any_ended = false;

	collector_collect_count_missed(c);
	collector_collect_count_unprofiled(c);
	collector_collect_find_new(c);
	collect_sweep(c);
	for (uint32_t i = 0; i < c->n_processes; i++)
		any_ended |= collector_collect_find_end(&c->process[i]);
	if (any_ended) /* before the process is released, find its children: they get their mappings from it */
		collector_collect_find_new(c);
	for (uint32_t i = 0; c->n_rounds % REPLACED_EVERY == 0 && i < c->n_processes; i++)
		process_is_replaced(&c->process[i]);
	collect_read_rings(c);
	/* the program comes last: its profile contains the CPU time of children without a sample */
	for (int is_main = 0; is_main <= 1; is_main++)
		for (uint32_t i = 0; i < c->n_processes; i++) {
			struct process *p = &c->process[i];

			if (p->is_used && !p->end_reported && p->is_main == (is_main != 0))
				collector_collect_update(p, last);
		}
}

void collect_drain(struct collect *c)
{
	drain_round(c, false);
}

void collect_finish(struct collect *c)
{
	atomic_store(&c->head->active, 0);
	drain_round(c, true);
}

static bool is_running(struct process *p)
{
	return p->is_used && !p->has_ended && !p->end_reported && !process_is_replaced(p);
}

struct process *collect_process(struct collect *c, pid_t pid)
{
	for (uint32_t i = 0; i < c->n_processes; i++)
		if (is_running(&c->process[i]) && c->process[i].pid == pid)
			return &c->process[i];
	return NULL;
}

void collect_each(struct collect *c, collect_process_fn *look, void *arg)
{
	for (uint32_t i = 0; i < c->n_processes; i++)
		if (is_running(&c->process[i]))
			look(arg, &c->process[i]);
}

void collect_get_problems(const struct collect *c, struct collect_problems *out)
{
	*out = c->problems;
	out->has_unfollowed = atomic_load(&c->head->has_unfollowed);
	out->n_forked = atomic_load(&c->head->n_forked);
}
