/*
 * process.c - a profiled process: its start, its state, its end
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process may execute another program. If that loads our library, it claims a new slot. Otherwise the collector is
 * not notified: the process continues with another executable and without our segment. /proc/PID/exe is checked first,
 * because it is cheaper to read than the mappings.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/stack_table.h"
#include "libcpaprof/collector/threads.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WEIGHT_MAX (1ULL << 40) /* more CPU time than any process can use between two drains */

enum { PID_MAX = 1 << 22, ERRNO_MAX = 4095 }; /* the largest pid and the largest errno of the kernel */
enum { MAPS_EVERY = 10 };                     /* min number of drains between two reads of the mappings */

void process_release(struct process *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	demand_release(p);
	counts_release(p);
	table_release(&p->table);
	threads_release(p->threads);
	maps_release(&p->maps);
	vec_release(&p->tids, sizeof(struct tid_pair));
	vec_release(&p->ends, sizeof(struct stack_end));
	*p = (struct process){ .pidfd = -1 };
}

void process_end(struct process *p)
{
	struct segment_proc *s = collect_slot(p->c, collect_slot_index(p));

	p->end_reported = true;
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
	if (--p->n_pins == 0 && p->end_reported)
		process_end(p);
}

/* The process in a slot, if it still has this serial: the parent of a forked process. */
static struct process *parent_of(const struct collect *c, uint32_t slot, uint32_t serial)
{
	struct process *p = slot >= 1 && slot <= c->n_processes ? &c->process[slot - 1] : NULL;

	return p && p->is_used && p->serial == serial ? p : NULL;
}

/*
 * The pidfd is opened before the mappings are read: if the process has not ended after that, the mappings are its own,
 * and not those of a later process with the same pid.
 */
enum maps_has process_verify(const struct collect *c, pid_t pid, int *pidfd)
{
	struct pollfd ended = { .events = POLLIN };
	enum maps_has has;

	*pidfd = -1;
	if (c->options.is_self)
		return MAPS_YES;
	if (pid <= 0 || pid > PID_MAX)
		return MAPS_NO;
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	has = maps_has_file(pid, c->dev, c->ino);
	ended.fd = *pidfd;
	return has == MAPS_YES && *pidfd >= 0 && poll(&ended, 1, 0) > 0 ? MAPS_GONE : has;
}

/* Find the executable of a process. dev and ino are unchanged if it is not known. */
static void process_read_program(pid_t pid, dev_t *dev, ino_t *ino)
{
	struct stat file;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	if (stat(name, &file) != 0)
		return;
	*dev = file.st_dev;
	*ino = file.st_ino;
}

/* The process of a slot. */
struct identity {
	pid_t pid;
	int pidfd;       /* -1: none */
	bool is_foreign; /* is it in another pid namespace? */
	dev_t dev;       /* device and inode of its executable; 0 if not known */
	ino_t ino;
};

/*
 * Identify a process by its pid in a pid namespace (0: not known). A process of another namespace that is not found has
 * ended: its pid there means nothing here.
 */
static enum maps_has identify(const struct collect *c, pid_t pid, ino_t inode, struct identity *out)
{
	enum maps_has has = MAPS_NO;

	*out = (struct identity){ .pid = pid, .pidfd = -1 };
	if (!c->options.is_self && (pid <= 0 || pid > PID_MAX))
		return MAPS_NO;
	if (!inode || !c->pid_namespace || inode == c->pid_namespace || c->options.is_self) {
		/* read first: a later exec is noticed, because the executable differs */
		process_read_program(pid, &out->dev, &out->ino);
		has = process_verify(c, pid, &out->pidfd);
		if (has != MAPS_NO || inode || c->options.is_self)
			return has;
		if (out->pidfd >= 0)
			close(out->pidfd);
	}
	out->pid = namespace_find(c, inode, pid, &out->pidfd);
	out->is_foreign = out->pid || inode;
	if (out->pid) {
		process_read_program(out->pid, &out->dev, &out->ino);
		return maps_has_file(out->pid, c->dev, c->ino) == MAPS_YES ? MAPS_YES : MAPS_GONE;
	}
	out->pid = pid;
	return inode ? MAPS_GONE : MAPS_NO;
}

/* A process has executed another program, which has its own slot. Returns its CPU clock at that time. */
static uint64_t collector_process_replace(struct process *p, const struct segment_proc *s)
{
	uint64_t ns = atomic_load_explicit(&s->cpu_ns, memory_order_relaxed);

	p->has_ended = p->is_replaced = true;
	return ns ? ns : p->cpu_ns;
}

void process_begin(struct collect *c, uint32_t i, const volatile struct segment_proc *s, uint32_t serial)
{
	struct process *p = &c->process[i];
	uint32_t parent = s->parent;
	struct process *from = parent_of(c, parent, s->parent_serial);
	uint64_t now = clock_wall();
	struct identity id;
	enum maps_has has = identify(c, (pid_t)s->pid, s->pid_namespace, &id);
	pid_t pid = id.pid;

	if (has == MAPS_NO) {
		if (id.pidfd >= 0)
			close(id.pidfd);
		atomic_store(&collect_slot(c, i)->state, PROC_FREE);
		return;
	}
	*p = (struct process){ .c = c, .is_used = true, .serial = serial, .pid = pid, .pidfd = id.pidfd };
	p->is_foreign = id.is_foreign;
	p->dev = id.dev;
	p->ino = id.ino;
	p->start_ns = s->start_ns;
	p->max_depth = c->options.max_depth;
	p->is_main = pid == c->main_pid;
	p->is_verified = has == MAPS_YES;
	busy_read(&c->busy);
	p->busy = c->busy;
	p->began_ns = p->start_ns <= now ? p->start_ns : now;
	if (p->start_ns < c->start_ns || p->start_ns > now)
		p->start_ns = now;
	if (!c->options.is_self) /* the slot may contain any value, but the process began after cpa */
		p->began_ns = p->start_ns;
	p->is_forked = parent != 0;
	p->table.maps = &p->maps;
	p->table.n_bytes_remaining = &c->n_bytes_remaining;
	if (p->is_verified && !c->options.is_self)
		maps_set_root(&p->maps, pid);
	if (from) {
		collect_read_modules(from);
		maps_copy(&p->maps, &from->maps);
	}
	collect_read_modules(p);
	/* the parent, whose mappings the process inherited, ended before the process was found */
	if (p->is_forked && !from && p->is_verified)
		collect_read_maps(p);
	demand_begin(p);
	/* the slot of the program that ran in this process before the exec has ended */
	for (uint32_t k = 0; k < c->n_processes && !parent; k++)
		if (k != i && c->process[k].is_used && !c->process[k].has_ended && c->process[k].pid == p->pid)
			p->cpu_base_ns = collector_process_replace(&c->process[k], collect_slot(c, k));
}

int collect_signal(const struct process *p)
{
	uint32_t sig = p->c ? *(const volatile uint32_t *)&collect_slot(p->c, collect_slot_index(p))->signal : SIGPROF;

	return sig == SIGVTALRM || sig == SIGSTKFLT || sig == SIGPWR || (sig >= 34 && sig <= 64) ? (int)sig : SIGPROF;
}

/* Add the increase of a weight counter to the lost weight. Returns the increase. */
static uint64_t add_lost(struct process *p, _Atomic uint64_t *counter, uint64_t *seen)
{
	uint64_t now = atomic_load_explicit(counter, memory_order_relaxed), n = now > *seen ? now - *seen : 0;

	*seen = now;
	if (n >= WEIGHT_MAX)
		return 0;
	p->lost += n;
	table_add_pseudo(&p->table, PSEUDO_LOST, 0, n);
	return n;
}

void process_update(struct process *p, struct segment_proc *s)
{
	p->engine |= atomic_load_explicit(&s->engine, memory_order_relaxed);
	p->error = atomic_load_explicit(&s->error, memory_order_relaxed);
	p->error = p->error <= ERRNO_MAX ? p->error : 0;
	p->moved = atomic_load_explicit(&s->n_signal_changes, memory_order_relaxed);
	p->perf_error = atomic_load_explicit(&s->perf_error, memory_order_relaxed);
	p->perf_error = p->perf_error <= ERRNO_MAX ? p->perf_error : 0;
	p->orphans = atomic_load_explicit(&s->n_orphans, memory_order_relaxed);
	add_lost(p, &s->lost, &p->lost_seen);
	if (p->demand.recording) /* CPU time before the recording does not count */
		p->adopted_seen = atomic_load_explicit(&s->adopted, memory_order_relaxed);
	else
		p->adopted += add_lost(p, &s->adopted, &p->adopted_seen);
	/* libraries that were loaded again elsewhere are found after a while */
	p->n_drains_since_maps++;
	p->maps.n_steps = 0;
	if (p->n_drains_since_maps >= MAPS_EVERY + p->maps_interval && p->table.loc.n > p->table.n_found &&
	    !p->has_ended && p->is_verified)
		collect_read_maps(p);
	collect_read_modules(p);
	counts_drain(p, collect_slot_index(p), p->has_ended);
	collect_find_mappings(p, false);
}

int process_open(pid_t pid, struct process **out)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct process *p;

	if (fd < 0 && errno != ENOSYS &&
	    errno != EPERM) /* if the kernel lacks or forbids the call, continue without a pidfd */
		return -errno;
	p = memory_map(sizeof(*p));
	if (!p) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	*p = (struct process){ .is_used = true, .is_verified = true, .pid = pid, .pidfd = fd, .max_depth = FRAMES_MAX };
	p->start_ns = p->began_ns = clock_wall();
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

void process_info(const struct process *p, struct process_info *out)
{
	const struct map *program = p->maps.map.n ? p->maps.map.data : NULL;

	*out = (struct process_info){
		.pid = p->pid,
		.program = program ? (const char *)p->maps.texts.data + program->path : "",
		.n_program = program ? program->n_path : 0,
		.is_main = p->is_main,
		.is_forked = p->is_forked,
		.is_replaced = p->is_replaced,
		.is_running = !p->has_ended,
		.is_external = !p->c,
		.has_generated_code = p->has_generated_code,
		.began_ns = p->began_ns,
		.has_inner_pid = p->is_foreign && p->pidfd < 0,
		.n_samples = p->table.n_samples,
		.weight = p->table.weight,
		.lost = p->lost,
		.blocked = p->blocked,
		.rest_ns = p->rest_ns,
		.slotless_ns = p->slotless_ns,
		.engine = p->engine,
		.error = p->error,
		.perf_error = p->perf_error,
	};
	if (!p->c)
		return;
	out->is_self = p->c->options.is_self;
	out->hz = p->c->options.hz;
	out->heap_rate = atomic_load_explicit(&p->c->head->heap_rate, memory_order_relaxed);
	out->block_rate = atomic_load_explicit(&p->c->head->block_rate, memory_order_relaxed);
	out->mutex_fraction = atomic_load_explicit(&p->c->head->mutex_fraction, memory_order_relaxed);
	out->heap = atomic_load_explicit(&collect_slot(p->c, collect_slot_index(p))->heap, memory_order_relaxed);
}

bool process_is_replaced(struct process *p)
{
	dev_t dev = p->dev;
	ino_t ino = p->ino;

	if (!p->is_used || p->has_ended || p->is_unprofiled || !p->c || p->c->options.is_self || !p->is_verified)
		return p->is_unprofiled;
	process_read_program(p->pid, &dev, &ino);
	if ((dev == p->dev && ino == p->ino) || maps_has_file(p->pid, p->c->dev, p->c->ino) != MAPS_NO)
		return false;
	if (p->is_main)
		p->is_unprofiled = true;
	else
		p->has_ended = p->is_replaced = true;
	return true;
}

enum { ENDS_MAX = 4096 };

void incomplete_count(struct process *p, uint64_t pc)
{
	uint32_t map = maps_find(&p->maps, pc);
	struct stack_end *end = p->ends.data;

	for (size_t i = 0; i < p->ends.n; i++)
		if (end[i].map == map) {
			end[i].n++;
			return;
		}
	vec_add(&p->ends, &(struct stack_end){ map, 1 }, 1, sizeof(*end), ENDS_MAX);
}

static bool incomplete_is_file(const struct maps *m, const struct map *map)
{
	const char *path = (const char *)m->texts.data + map->path;

	return *path == '/' && strncmp(path, "//anon", 6) != 0 && strncmp(path, "/memfd:", 7) != 0;
}

static void incomplete_copy_name(const struct maps *m, const struct map *map, char out[INCOMPLETE_FILE_MAX])
{
	const char *path = (const char *)m->texts.data + map->path;
	size_t at = map->n_path;

	while (at > 0 && path[at - 1] != '/')
		at--;
	snprintf(out, INCOMPLETE_FILE_MAX, "%.*s", (int)(map->n_path - at), path + at);
}

void incomplete_get(const struct process *p, struct incomplete *out)
{
	const struct stack_end *end = p->ends.data, *most = NULL;
	const struct map *map = p->maps.map.data;

	*out = (struct incomplete){ .n_complete = p->cut[UNWIND_ROOT], .has_generated_code = p->has_generated_code };
	for (int i = 0; i < N_CUTS; i++) {
		out->n += p->cut[i];
		if (i != UNWIND_ROOT && p->cut[i] > out->n_reason) {
			out->n_reason = p->cut[i];
			out->reason = (enum unwind_end)i;
		}
	}
	for (size_t i = 0; i < p->maps.map.n && !*out->program; i++)
		if (incomplete_is_file(&p->maps, &map[i]))
			incomplete_copy_name(&p->maps, &map[i], out->program);
	for (size_t i = 0; i < p->ends.n; i++)
		if (!most || end[i].n > most->n)
			most = &end[i];
	if (!most)
		return;
	out->n_file = most->n;
	if (most->map && incomplete_is_file(&p->maps, &map[most->map - 1]))
		incomplete_copy_name(&p->maps, &map[most->map - 1], out->file);
}
