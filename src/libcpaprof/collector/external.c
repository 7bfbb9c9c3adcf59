/*
 * external.c - the profile of a process that is sampled from outside
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The label of a stack in the stack table is the number of its event, or its set of labels, if they are read.
 */
#include "config.h"

#include "libcpaprof/collector/external.h"

#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/read/task.h"
#include "libcpaprof/collector/sample_stack.h"
#include "libcpaprof/collector/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

int external_open(pid_t pid, struct external *as, struct process **out)
{
	struct process *p;
	int rc = process_open(pid, &p);

	if (rc < 0)
		return rc;
	p->external = as;
	p->table.maps = &p->maps;
	maps_add_kernel(&p->maps, as->kernel_start); /* after those of the process, whose executable is the first */
	if (threads_reader(p))
		threads_reader(p)->space.cache = &as->files;
	rc = external_read_maps(p);
	if (rc < 0) {
		process_close(p);
		return rc;
	}
	*out = p;
	return 0;
}

/* Make the process, without mappings. */
static int external_make_ended(struct external *as, struct process **out)
{
	struct process *p = memory_map(sizeof(*p));

	if (!p)
		return -ENOMEM;
	*p = (struct process){ .is_used = true, .has_ended = true, .pidfd = -1, .max_depth = FRAMES_MAX };
	p->start_ns = p->began_ns = clock_wall();
	busy_read(&p->busy);
	p->external = as;
	p->table.maps = &p->maps;
	*out = p;
	return 0;
}

int external_open_ended(struct external *as, struct process **out)
{
	int rc = external_make_ended(as, out);

	if (rc == 0)
		maps_add_kernel(&(*out)->maps, as->kernel_start);
	return rc;
}

int external_open_mapped(pid_t pid, const char *maps, size_t n, struct external *as, struct process **out)
{
	int fd = memfd_create("maps", MFD_CLOEXEC), rc = -EIO;
	struct stack_reader *reader;
	struct process *p;

	if (fd < 0)
		return -errno;
	if (write(fd, maps, n) == (ssize_t)n)
		rc = external_make_ended(as, &p);
	reader = rc == 0 ? threads_reader(p) : NULL;
	if (reader) {
		p->pid = pid;
		reader->space.cache = &as->files;
		lseek(fd, 0, SEEK_SET);
		maps_add_text(&p->maps, pid, fd);
		maps_add_kernel(&p->maps, as->kernel_start);
		lseek(fd, 0, SEEK_SET);
		space_read_maps_file(&reader->space, pid, fd);
		*out = p;
	} else if (rc == 0) {
		process_close(p);
		rc = -ENOMEM;
	}
	close(fd);
	return rc;
}

int external_read_maps(struct process *p)
{
	struct stack_reader *reader = threads_reader(p);

	if (!reader)
		return -ENOMEM;
	if (external_has_ended(p)) /* the pid may belong to another process now */
		return -ESRCH;
	collect_find_mappings(p, false); /* samples until now belong to the mappings until now */
	maps_add_live(&p->maps, p->pid);
	return space_read_maps(&reader->space, p->pid);
}

static bool count_thread(void *n, uint32_t tid)
{
	(void)tid;
	return ++*(int *)n < 2;
}

/* Has the process ended, perhaps before its parent waited for it? Its main thread may end before others. */
static bool collector_external_has_ended(pid_t pid)
{
	struct task main_thread;
	int folder = task_open_folder(pid), n = 0;
	bool yes;

	if (folder < 0)
		return errno == ENOENT;
	yes = !task_read(folder, (uint32_t)pid, &main_thread) ||
	      (main_thread.state == 'Z' && task_each(folder, count_thread, &n) == 0 && n < 2);
	close(folder);
	return yes;
}

bool external_has_ended(struct process *p)
{
	struct pollfd ended = { .fd = p->pidfd, .events = POLLIN };

	if (!p->has_ended) /* before Linux 5.3 there are no pidfds */
		p->has_ended = p->pidfd >= 0 ? poll(&ended, 1, 0) > 0 : collector_external_has_ended(p->pid);
	return p->has_ended;
}

uint32_t external_add_sample(struct process *p, const struct external_sample *s)
{
	struct stack_reader *reader = threads_reader(p);
	uint64_t pc[2 * FRAMES_MAX];
	uint32_t n = s->n_kernel < FRAMES_MAX ? s->n_kernel : FRAMES_MAX, n_guessed;
	enum unwind_end end;

	for (uint32_t i = 0; i < n; i++)
		pc[i] = s->kernel[i] - (i > 0);
	if (s->user && reader && p->pid) {
		n += read_stack_of_sample(reader, s->user, pc + n, p->max_depth, &n_guessed, &end);
		p->cut[end % N_CUTS]++;
		if (end != UNWIND_ROOT)
			incomplete_count(p, pc[n - 1]);
	}
	if (n == 0)
		return table_add_pseudo(&p->table, PSEUDO_LOST, 1, s->weight);
	n = n < p->max_depth ? n : p->max_depth;
	return table_add(&p->table, pc, n, s->event, s->weight);
}

bool external_add_thread(struct process *p, int folder, uint32_t tid, uint64_t weight, bool is_waiting_only,
			 uint32_t *stack)
{
	const struct sample_stack sampler = { .p = p, .reader = threads_reader(p), .folder = folder };
	struct task t = { .tid = tid };
	uint64_t pc[FRAMES_MAX];
	enum task_status is;
	uint32_t n = 0, label = 0;

	*stack = UINT32_MAX;
	if (!sampler.reader)
		return true;
	is = sample_stack_read(&sampler, &t, pc, &n);
	if (is == TASK_WAITING && n && p->labels)
		label = p->labels->read(p->labels->arg, &sampler.reader->space, folder, tid);
	if (is == TASK_WAITING && n)
		*stack = table_add(&p->table, pc, n, label, weight);
	else if (is != TASK_GONE && !is_waiting_only)
		*stack = table_add_pseudo(&p->table, is == TASK_RUNNING ? PSEUDO_RUNNING : PSEUDO_NO_ANSWER, 1, weight);
	return is != TASK_GONE;
}

void external_read_labels(struct process *p, const struct external_labels *labels)
{
	p->labels = labels;
}

uint32_t external_label_sample(struct process *p, uint32_t stack, uint32_t set)
{
	return stack == UINT32_MAX || set == 0 ? stack : table_relabel(&p->table, stack, set);
}

void external_add_weight(struct process *p, uint32_t stack, uint64_t weight)
{
	if (stack != UINT32_MAX)
		table_add_weight(&p->table, stack, weight);
}

void external_add_unsampled(struct process *p, uint64_t weight)
{
	table_add_pseudo(&p->table, PSEUDO_UNSAMPLED, 0, weight);
}

void external_add_ready(struct process *p, uint64_t ns)
{
	table_add_pseudo(&p->table, PSEUDO_READY, 1, ns);
}

void external_weigh(const struct process *p, uint64_t *all, uint64_t *with_stack)
{
	const struct table_stack *stack = p->table.stack.data;

	*all = p->table.weight;
	*with_stack = p->table.stack.n > PSEUDO_UNSAMPLED ? *all - stack[PSEUDO_UNSAMPLED].weight : *all;
}

void external_count(const struct process *p, uint64_t *n_samples, uint64_t *n_complete)
{
	*n_complete = p->cut[UNWIND_ROOT];
	*n_samples = 0;
	for (int i = 0; i < N_CUTS; i++)
		*n_samples += p->cut[i];
}
