/*
 * namespace.c - find processes of other pid namespaces
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process knows only its pid in its own namespace. NSpid in /proc/PID/status lists the pids of a process in all
 * namespaces from ours to its own, which is last.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/read/memory.h"
#include "libcpaprof/collector/read/task.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIDS_EVERY_NS 100000000ULL /* min time between two reads of the ids of all threads */

enum { TIDS_MAX = 1 << 16 };

struct namespace_search {
	const struct collect *c;
	ino_t inode;
	uint32_t pid; /* in the other namespace */
	int folder;   /* descriptor of /proc */
	pid_t found;  /* 0: not yet */
	int pidfd;
};

ino_t namespace_of(pid_t pid)
{
	char name[32];
	struct stat file;

	snprintf(name, sizeof(name), "/proc/%d/ns/pid", (int)pid);
	return stat(name, &file) == 0 ? file.st_ino : 0;
}

uint32_t namespace_inner_id(int folder, uint32_t tid)
{
	struct task_signal is;

	return task_signal(folder, tid, 1, &is) ? is.inner_id : 0;
}

static bool check_process(void *search, uint32_t pid)
{
	struct namespace_search *s = search;
	ino_t inode = namespace_of((pid_t)pid);

	if (!inode || (s->inode ? inode != s->inode : inode == s->c->pid_namespace && pid != s->pid) ||
	    namespace_inner_id(s->folder, pid) != s->pid)
		return true;
	if (process_verify(s->c, (pid_t)pid, &s->pidfd) == MAPS_YES)
		s->found = (pid_t)pid;
	else if (s->pidfd >= 0)
		close(s->pidfd);
	return !s->found;
}

pid_t namespace_find(const struct collect *c, ino_t inode, pid_t pid, int *pidfd)
{
	struct namespace_search s = { .c = c, .inode = inode, .pid = (uint32_t)pid };

	s.folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s.folder < 0)
		return 0;
	task_each(s.folder, check_process, &s);
	close(s.folder);
	*pidfd = s.found ? s.pidfd : -1;
	return s.found;
}

struct tid_scan {
	struct process *p;
	int folder;
};

static bool add_tid(void *scan, uint32_t tid)
{
	struct tid_scan *s = scan;
	const struct tid_pair pair = { tid, namespace_inner_id(s->folder, tid) };

	return vec_add(&s->p->tids, &pair, 1, sizeof(pair), TIDS_MAX);
}

static void read_tids(struct process *p)
{
	struct tid_scan s = { .p = p };

	p->tids.n = 0;
	p->tids_read_ns = clock_now();
	s.folder = task_open_folder(p->pid);
	if (s.folder < 0)
		return;
	task_each(s.folder, add_tid, &s);
	close(s.folder);
}

static uint32_t find_outer_tid(const struct process *p, uint32_t inner)
{
	const struct tid_pair *id = p->tids.data;

	for (size_t i = 0; i < p->tids.n; i++)
		if (id[i].inner == inner)
			return id[i].outer;
	return 0;
}

uint32_t namespace_outer_tid(struct process *p, uint32_t inner)
{
	uint32_t outer;

	if (!p->is_foreign)
		return inner;
	outer = find_outer_tid(p, inner);
	if (!outer && clock_now() - p->tids_read_ns > TIDS_EVERY_NS) {
		read_tids(p);
		outer = find_outer_tid(p, inner);
	}
	return outer ? outer : inner;
}
