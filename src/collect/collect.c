/*
 * collect.c - the segment, and the processes in it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "collect/collect_int.h"
#include "collect/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WEIGHT_MOST (1ULL << 40) /* nobody uses so much between two drains */
#define STACKS_SIZE (1ULL << 30) /* bytes of memory for the stacks of all processes */

enum { TABLES_USUAL = 4, HZ_USUAL = 100 };      /* only memory that is touched is taken */
enum { PID_MOST = 1 << 22, ERRNO_MOST = 4095 }; /* of the kernel */
enum { LOOK_EVERY = 10, UNSEEN_EVERY = 5 };     /* drains between looks at mappings that seem known, and for threads */
enum { LOOK_NS_PER_DRAIN = COLLECT_DRAIN_MS * 1000000 / 50, LOOKS_RARE = 100 };

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A file in memory of which nobody can change the size: the collector would die of reading behind its end. */
static int make_file(uint64_t size)
{
	int fd = memfd_create("cpa", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	return fd;
}

static void write_head(struct collect *c)
{
	struct segment_head *h = c->head;

	h->version = SEGMENT_VERSION;
	h->hz = c->how.hz;
	h->max_depth = c->how.max_depth;
	h->follow = c->how.follow ? FOLLOW_ALL : FOLLOW_MAIN;
	h->size = c->size;
	h->n_rings = c->at.n_rings;
	h->n_tables = c->at.n_tables;
	memcpy(h->nonce, c->nonce, sizeof(h->nonce));
	memcpy(h->section, c->at.section, sizeof(h->section));
	atomic_store(&h->heap_rate, c->how.heap_rate);
	atomic_store(&h->block_rate, c->how.block_rate);
	atomic_store(&h->mutex_fraction, c->how.mutex_fraction);
	atomic_store(&h->flags, c->how.flags);
	atomic_store(&h->engine, c->how.engine);
	atomic_store(&h->signal, c->how.signal);
	atomic_store(&h->cpu, c->cpu);
	if (!c->how.self) /* else when all is ready */
		collect_alive_begin(c);
	h->magic = SEGMENT_MAGIC;
}

/* Memory that the program shares with us, of which we are part: then it is no file, and fork copies it. */
static int map(struct collect *c)
{
	int flags = c->how.self ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
	struct stat file = { 0 };

	if (!c->how.self) {
		c->fd = make_file(c->size);
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

static int set_up(struct collect *c)
{
	int rc = map(c);

	if (rc < 0)
		return rc;
	c->seen = memory_map(c->at.n_rings * sizeof(*c->seen));
	c->process = memory_map(N_PROCS * sizeof(*c->process));
	c->claim = memory_map((N_PROCS + TABLES_MOST + c->at.n_rings) * sizeof(*c->claim));
	if (!c->seen || !c->process || !c->claim)
		return -ENOMEM;
	if (getrandom(c->nonce, sizeof(c->nonce), 0) != sizeof(c->nonce))
		return -EIO;
	c->start_ns = wall_ns();
	write_head(c);
	return 0;
}

/* Who may have few addresses (ulimit -v) gets no more than he needs. */
static uint32_t usual_tables(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? 1 : TABLES_USUAL;
}

int collect_open(const struct collect_how *how, collect_done_fn *done, void *arg, struct collect **out)
{
	struct collect *c = memory_map(sizeof(*c));
	int rc;

	if (!c)
		return -ENOMEM;
	c->how = *how;
	c->fd = -1;
	c->cpu = how->hz != 0;
	if (!c->cpu)
		c->how.hz = HZ_USUAL;
	if (c->how.max_depth == 0 || c->how.max_depth > FRAMES_MAX)
		c->how.max_depth = FRAMES_MAX;
	c->done = done;
	c->arg = arg;
	c->left = STACKS_SIZE;
	c->size = segment_size(how->n_tables ? how->n_tables : usual_tables());
	c->at = segment_lay_out(c->size);
	rc = set_up(c);
	if (rc < 0) {
		collect_close(c);
		return rc;
	}
	*out = c;
	return 0;
}

static void release(struct process *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	counts_release(p);
	table_release(&p->table);
	threads_release(p->threads);
	maps_release(&p->maps);
	*p = (struct process){ .pidfd = -1 };
}

void collect_close(struct collect *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; c->process && i < N_PROCS; i++)
		if (c->process[i].used)
			release(&c->process[i]);
	collect_alive_end(c);
	memory_unmap(c->process, N_PROCS * sizeof(*c->process));
	memory_unmap(c->claim, (N_PROCS + TABLES_MOST + c->at.n_rings) * sizeof(*c->claim));
	memory_unmap(c->seen, c->at.n_rings * sizeof(*c->seen));
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

void collect_set_main(struct collect *c, pid_t pid)
{
	c->main_pid = pid;
	atomic_store(&c->head->main_pid, (uint32_t)pid);
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
	if (c->how.self)
		return MAPS_YES;
	if (pid <= 0 || pid > PID_MOST)
		return MAPS_NO;
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	has = maps_has_file(pid, c->dev, c->ino);
	ended.fd = *pidfd;
	return has == MAPS_YES && *pidfd >= 0 && poll(&ended, 1, 0) > 0 ? MAPS_GONE : has;
}

/*
 * A process has a slot. That it is the one it says must be shown: else a program could have us look into
 * others, and send them signals. One that is gone already only has what it wrote itself.
 */
static void begin(struct collect *c, uint32_t i, const volatile struct segment_proc *s, uint32_t serial)
{
	struct process *p = &c->process[i];
	uint32_t parent = s->parent;
	struct process *from = parent_of(c, parent, s->parent_serial);
	pid_t pid = (pid_t)s->pid;
	uint64_t now = wall_ns();
	int pidfd;
	enum maps_has has = is_ours(c, pid, &pidfd);

	if (has == MAPS_NO) {
		if (pidfd >= 0)
			close(pidfd);
		atomic_store(&collect_slot(c, i)->state, PROC_FREE);
		return;
	}
	*p = (struct process){ .c = c, .used = true, .serial = serial, .pid = pid, .pidfd = pidfd };
	p->start_ns = s->start_ns;
	p->max_depth = c->how.max_depth;
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
	/* the same process with an earlier program */
	for (uint32_t k = 0; k < N_PROCS && !parent; k++)
		if (k != i && c->process[k].used && c->process[k].pid == p->pid)
			c->process[k].ended = c->process[k].replaced = true;
}

static void look_for_new(struct collect *c)
{
	for (uint32_t i = 0; i < N_PROCS; i++) {
		struct segment_proc *s = collect_slot(c, i);

		if (!c->process[i].used && atomic_load_explicit(&s->state, memory_order_acquire) == PROC_LIVE)
			begin(c, i, s, atomic_load(&s->serial));
	}
}

/* Is it gone? A process is where its descriptor can be read. */
static bool is_gone(const struct process *p)
{
	struct pollfd ended = { .fd = p->pidfd, .events = POLLIN };

	if (p->c->how.self)
		return false;
	if (p->pidfd < 0)
		return kill(p->pid, 0) != 0 && errno == ESRCH;
	return poll(&ended, 1, 0) > 0;
}

int collect_signal(const struct process *p)
{
	uint32_t sig = p->c ? *(const volatile uint32_t *)&collect_slot(p->c, collect_slot_of(p))->signal : SIGPROF;

	return sig == SIGVTALRM || sig == SIGSTKFLT || sig == SIGPWR || (sig >= 34 && sig <= 64) ? (int)sig : SIGPROF;
}

/* The number is read first: what it counts was told before. */
void collect_modules(struct process *p)
{
	struct segment_proc *s = collect_slot(p->c, collect_slot_of(p));
	uint32_t now = atomic_load_explicit(&s->generation, memory_order_acquire);
	uint32_t to = atomic_load_explicit(&s->modules, memory_order_acquire);

	/* what it says of itself once another has its slot is not its own */
	if (atomic_load(&s->serial) != p->serial)
		return;
	p->maps.now = p->table.generation = now;
	if (to == p->modules_read)
		return;
	maps_take_modules(&p->maps,
			  (const uint8_t *)p->c->head + p->c->at.section[SECTION_MODULES] +
				  (size_t)collect_slot_of(p) * MODULES_MAX,
			  p->modules_read, to);
	p->modules_read = to;
	atomic_store_explicit(&s->modules_read, to, memory_order_release);
}

/* Looks take a fiftieth of the time at most, where there are thousands of mappings. */
static void look_at_maps(struct process *p)
{
	uint64_t start = wall_ns(), end, n;

	maps_add_live(&p->maps, p->pid);
	end = wall_ns();
	n = end > start ? (end - start) / LOOK_NS_PER_DRAIN : 0;
	p->since_look = 0;
	p->look_wait = n < LOOKS_RARE ? (unsigned)n : LOOKS_RARE;
}

/* now: whatever it costs */
static void find_places(struct process *p, bool now)
{
	struct table_loc *loc = p->table.loc.data;
	uint32_t n = (uint32_t)p->table.loc.n, left = p->table.n_found;
	bool missing = false;

	for (uint32_t i = left; i < n; i++)
		if (i >= N_PLACES && !loc[i].map) {
			loc[i].map = maps_find(&p->maps, loc[i].addr);
			missing |= !loc[i].map;
		}
	if (missing && !p->ended && p->proven) {
		if (!now && p->since_look < p->look_wait)
			return;
		look_at_maps(p);
		for (uint32_t i = left; i < n; i++)
			if (i >= N_PLACES && !loc[i].map)
				loc[i].map = maps_find(&p->maps, loc[i].addr);
	}
	p->table.n_found = n;
}

void collect_find_places(struct process *p)
{
	find_places(p, true);
}

/* A counter of weight went up: the weight is lost. */
static uint64_t lose(struct process *p, _Atomic uint64_t *counter, uint64_t *seen)
{
	uint64_t now = atomic_load_explicit(counter, memory_order_relaxed), n = now > *seen ? now - *seen : 0;

	*seen = now;
	if (n >= WEIGHT_MOST)
		return 0;
	p->lost += n;
	table_add_place(&p->table, PLACE_LOST, n);
	return n;
}

static void update(struct process *p, struct segment_proc *s)
{
	p->engine |= atomic_load_explicit(&s->engine, memory_order_relaxed);
	p->error = atomic_load_explicit(&s->error, memory_order_relaxed);
	p->error = p->error <= ERRNO_MOST ? p->error : 0;
	p->moved = atomic_load_explicit(&s->moved, memory_order_relaxed);
	p->perf_error = atomic_load_explicit(&s->perf_error, memory_order_relaxed);
	p->perf_error = p->perf_error <= ERRNO_MOST ? p->perf_error : 0;
	p->orphans = atomic_load_explicit(&s->orphans, memory_order_relaxed);
	lose(p, &s->lost, &p->lost_seen);
	p->adopted += lose(p, &s->adopted, &p->adopted_seen);
	/* what was unloaded and loaded elsewhere is seen in time, if not at once */
	p->since_look++;
	p->maps.n_steps = 0;
	if (p->since_look >= LOOK_EVERY + p->look_wait && p->table.loc.n > p->table.n_found && !p->ended && p->proven)
		look_at_maps(p);
	collect_modules(p);
	counts_drain(p, collect_slot_of(p), p->ended);
	find_places(p, false);
}

static void round_of(struct collect *c, bool last)
{
	look_for_new(c);
	collect_sweep(c);
	for (uint32_t i = 0; i < N_PROCS; i++)
		if (c->process[i].used && is_gone(&c->process[i]))
			c->process[i].ended = true;
	collect_rings(c);
	for (uint32_t i = 0; i < N_PROCS; i++) {
		struct process *p = &c->process[i];

		if (!p->used)
			continue;
		update(p, collect_slot(c, i));
		if (!p->ended && !last) {
			if (++p->n_drains % UNSEEN_EVERY == 0 && p->proven && !c->how.self &&
			    !(p->engine & (ENGINE_NONE | ENGINE_PROCESS)) && !p->lost_seen)
				collect_unseen(c, p);
			continue;
		}
		p->end_ns = wall_ns();
		c->done(c->arg, p);
		release(p);
		atomic_store_explicit(&collect_slot(c, i)->state, PROC_FREE, memory_order_release);
	}
}

void collect_drain(struct collect *c)
{
	round_of(c, false);
}

void collect_finish(struct collect *c)
{
	atomic_store(&c->head->active, 0);
	round_of(c, true);
}

struct process *collect_process(struct collect *c, pid_t pid)
{
	for (uint32_t i = 0; i < N_PROCS; i++)
		if (c->process[i].used && !c->process[i].ended && c->process[i].pid == pid)
			return &c->process[i];
	return NULL;
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
	p->start_ns = wall_ns();
	maps_add_live(&p->maps, pid);
	*out = p;
	return 0;
}

void process_close(struct process *p)
{
	if (p)
		release(p);
	memory_unmap(p, sizeof(*p));
}

void collect_each(struct collect *c, collect_done_fn *look, void *arg)
{
	for (uint32_t i = 0; i < N_PROCS; i++)
		if (c->process[i].used && !c->process[i].ended)
			look(arg, &c->process[i]);
}

uint32_t collect_refused(const struct collect *c)
{
	return atomic_load(&c->head->refused);
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
		.n_samples = p->table.n_samples,
		.weight = p->table.weight,
		.lost = p->lost,
		.blocked = p->blocked,
		.engine = p->engine,
		.error = p->error,
		.perf_error = p->perf_error,
	};
}
