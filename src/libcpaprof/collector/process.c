/*
 * process.c - one process that is profiled: its start, its state, its end
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process may execute another program. One that is profiled takes a slot of its own, which tells us. Otherwise nothing
 * tells us: the process continues with another file and without our memory. Its mappings cost more to read than
 * /proc/PID/exe, so that is checked first.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/stack_table.h"
#include "libcpaprof/collector/threads.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WEIGHT_MAX (1ULL << 40) /* nobody uses so much between two drains */

enum { PID_MAX = 1 << 22, ERRNO_MAX = 4095 }; /* of the kernel */
enum { LOOK_EVERY = 10 };                     /* drains between looks at mappings that seem known */

void process_release(struct process *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	demand_release(p);
	counts_release(p);
	table_release(&p->table);
	threads_release(p->threads);
	maps_release(&p->maps);
	*p = (struct process){ .pidfd = -1 };
}

void process_end(struct process *p)
{
	struct segment_proc *s = collect_slot(p->c, collect_slot_of(p));

	p->told = true;
	if (p->n_pins)
		return;
	process_release(p);
	atomic_store_explicit(&s->state, PROC_FREE, memory_order_release);
}

void process_pin(struct process *p)
{
	p->n_pins++;
}

void process_unpin(struct process *p)
{
	if (--p->n_pins == 0 && p->told)
		process_end(p);
}

/* Where a process came from by fork, if we still know that one. */
static struct process *parent_of(const struct collect *c, uint32_t slot, uint32_t serial)
{
	struct process *p = slot >= 1 && slot <= N_PROCS ? &c->process[slot - 1] : NULL;

	return p && p->used && p->serial == serial ? p : NULL;
}

/*
 * Is a process the one that it says it is, and not its successor of the same number? Its descriptor is opened
 * first: who has not ended after its mappings were seen is whose mappings they were.
 */
static enum maps_has is_ours(const struct collect *c, pid_t pid, int *pidfd)
{
	struct pollfd ended = { .events = POLLIN };
	enum maps_has has;

	*pidfd = -1;
	if (c->options.self)
		return MAPS_YES;
	if (pid <= 0 || pid > PID_MAX)
		return MAPS_NO;
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	has = maps_has_file(pid, c->dev, c->ino);
	ended.fd = *pidfd;
	return has == MAPS_YES && *pidfd >= 0 && poll(&ended, 1, 0) > 0 ? MAPS_GONE : has;
}

void process_begin(struct collect *c, uint32_t i, const volatile struct segment_proc *s, uint32_t serial)
{
	struct process *p = &c->process[i];
	uint32_t parent = s->parent;
	struct process *from = parent_of(c, parent, s->parent_serial);
	pid_t pid = (pid_t)s->pid;
	uint64_t now = collect_wall_ns();
	dev_t dev = 0;
	ino_t ino = 0;
	enum maps_has has;
	int pidfd;

	process_program(pid, &dev, &ino); /* if it executes another one after this, that has another one */
	has = is_ours(c, pid, &pidfd);

	if (has == MAPS_NO) {
		if (pidfd >= 0)
			close(pidfd);
		atomic_store(&collect_slot(c, i)->state, PROC_FREE);
		return;
	}
	*p = (struct process){ .c = c, .used = true, .serial = serial, .pid = pid, .pidfd = pidfd };
	p->dev = dev;
	p->ino = ino;
	p->start_ns = s->start_ns;
	p->max_depth = c->options.max_depth;
	p->main = pid == c->main_pid;
	p->proven = has == MAPS_YES;
	if (p->start_ns < c->start_ns || p->start_ns > now)
		p->start_ns = now;
	p->forked = parent != 0;
	p->table.maps = &p->maps;
	p->table.left = &c->left;
	if (from) {
		collect_modules(from);
		maps_copy(&p->maps, &from->maps);
	}
	collect_modules(p);
	/* whose parent was gone before it was seen: that would have told where everything is */
	if (p->forked && !from && p->proven)
		collect_look_at_maps(p);
	demand_begin(p);
	/* the same process with an earlier program */
	for (uint32_t k = 0; k < N_PROCS && !parent; k++)
		if (k != i && c->process[k].used && !c->process[k].ended && c->process[k].pid == p->pid)
			c->process[k].ended = c->process[k].replaced = true;
}

int collect_signal(const struct process *p)
{
	uint32_t sig = p->c ? *(const volatile uint32_t *)&collect_slot(p->c, collect_slot_of(p))->signal : SIGPROF;

	return sig == SIGVTALRM || sig == SIGSTKFLT || sig == SIGPWR || (sig >= 34 && sig <= 64) ? (int)sig : SIGPROF;
}

/* A counter of weight went up: the weight is lost. */
static uint64_t lose(struct process *p, _Atomic uint64_t *counter, uint64_t *seen)
{
	uint64_t now = atomic_load_explicit(counter, memory_order_relaxed), n = now > *seen ? now - *seen : 0;

	*seen = now;
	if (n >= WEIGHT_MAX)
		return 0;
	p->lost += n;
	table_add_place(&p->table, PLACE_LOST, n);
	return n;
}

void process_update(struct process *p, struct segment_proc *s)
{
	p->engine |= atomic_load_explicit(&s->engine, memory_order_relaxed);
	p->error = atomic_load_explicit(&s->error, memory_order_relaxed);
	p->error = p->error <= ERRNO_MAX ? p->error : 0;
	p->moved = atomic_load_explicit(&s->moved, memory_order_relaxed);
	p->perf_error = atomic_load_explicit(&s->perf_error, memory_order_relaxed);
	p->perf_error = p->perf_error <= ERRNO_MAX ? p->perf_error : 0;
	p->orphans = atomic_load_explicit(&s->orphans, memory_order_relaxed);
	lose(p, &s->lost, &p->lost_seen);
	if (p->demand.recording) /* what it used before the recording is not of it */
		p->adopted_seen = atomic_load_explicit(&s->adopted, memory_order_relaxed);
	else
		p->adopted += lose(p, &s->adopted, &p->adopted_seen);
	/* what was unloaded and loaded elsewhere is seen in time, if not at once */
	p->since_look++;
	p->maps.n_steps = 0;
	if (p->since_look >= LOOK_EVERY + p->look_wait && p->table.loc.n > p->table.n_found && !p->ended && p->proven)
		collect_look_at_maps(p);
	collect_modules(p);
	counts_drain(p, collect_slot_of(p), p->ended);
	collect_find_places(p, false);
}

int process_open(pid_t pid, struct process **out)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct process *p;

	if (fd < 0 && errno != ENOSYS && errno != EPERM) /* of an old kernel, or forbidden: it is not needed */
		return -errno;
	p = memory_map(sizeof(*p));
	if (!p) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	*p = (struct process){ .used = true, .proven = true, .pid = pid, .pidfd = fd, .max_depth = FRAMES_MAX };
	p->start_ns = collect_wall_ns();
	maps_add_live(&p->maps, pid);
	*out = p;
	return 0;
}

void process_close(struct process *p)
{
	if (p)
		process_release(p);
	memory_unmap(p, sizeof(*p));
}

void process_facts(const struct process *p, struct process_facts *out)
{
	const struct map *program = p->maps.map.n ? p->maps.map.data : NULL;

	*out = (struct process_facts){
		.pid = p->pid,
		.program = program ? (const char *)p->maps.texts.data + program->path : "",
		.n_program = program ? program->n_path : 0,
		.main = p->main,
		.forked = p->forked,
		.replaced = p->replaced,
		.running = !p->ended,
		.outside = !p->c,
		.n_samples = p->table.n_samples,
		.weight = p->table.weight,
		.lost = p->lost,
		.blocked = p->blocked,
		.engine = p->engine,
		.error = p->error,
		.perf_error = p->perf_error,
	};
	if (!p->c)
		return;
	out->heap_rate = atomic_load_explicit(&p->c->head->heap_rate, memory_order_relaxed);
	out->block_rate = atomic_load_explicit(&p->c->head->block_rate, memory_order_relaxed);
	out->mutex_fraction = atomic_load_explicit(&p->c->head->mutex_fraction, memory_order_relaxed);
}

void process_program(pid_t pid, dev_t *dev, ino_t *ino)
{
	struct stat file;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	if (stat(name, &file) != 0)
		return;
	*dev = file.st_dev;
	*ino = file.st_ino;
}

bool process_is_replaced(struct process *p)
{
	dev_t dev = p->dev;
	ino_t ino = p->ino;

	if (!p->used || p->ended || p->left || !p->c || p->c->options.self || !p->proven)
		return p->left;
	process_program(p->pid, &dev, &ino);
	if ((dev == p->dev && ino == p->ino) || maps_has_file(p->pid, p->c->dev, p->c->ino) != MAPS_NO)
		return false;
	if (p->main)
		p->left = true;
	else
		p->ended = p->replaced = true;
	return true;
}
