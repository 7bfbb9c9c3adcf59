/*
 * handover.c - an inherited descriptor of the segment, for programs that cannot open it by its path
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The number of the descriptor is not passed on: a program checks all possible numbers. The program may close the
 * descriptor and use the number for a file of its own, so the file is identified before each use.
 */
#include "config.h"

#include "libcpaprof/target/handover.h"

#include "libcpaprof/target/env.h"
#include "libcpaprof/target/request.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[sizeof(((struct env *)0)->path)];
static dev_t dev; /* device and inode of the segment */
static ino_t ino;
static _Atomic int kept = -1; /* the descriptor; -1: none */

static bool is_size(uint64_t size)
{
	struct segment_layout l = segment_lay_out(size);

	return l.n_tables <= TABLES_MAX && size == segment_size(l.n_tables);
}

static bool handover_is_head(const struct segment_head *head, uint64_t size, const struct env *e)
{
	return head->magic == SEGMENT_MAGIC && head->version == SEGMENT_VERSION && head->size == size &&
	       head->nonce[0] == e->nonce[0] && head->nonce[1] == e->nonce[1];
}

/*
 * The limit of memory (ulimit -v) leaves no room for the segment: the process, and those that it starts, are sampled
 * from outside, or the collector reports how many there are.
 */
static void refuse_limited(int fd, uint64_t size, const struct env *e)
{
	struct segment_head *head = mmap(NULL, SEGMENT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (head == MAP_FAILED)
		return;
	if (handover_is_head(head, size, e) &&
	    (head->follow == FOLLOW_ALL || atomic_load(&head->main_pid) == sys_getpid())) {
		atomic_fetch_add(&head->n_unprofiled[UNPROFILED_LIMIT], 1);
		cpi_request_exec_sig(head);
		cpi_env_remove();
	}
	munmap(head, SEGMENT_PAGE);
}

/* Map the file of a descriptor if it is the segment. */
static struct segment_head *handover_map(int fd, const struct env *e)
{
	struct segment_head *head;
	struct stat file;

	if (sys_call(SYS_fstat, fd, (long)&file, 0, 0) != 0 || !S_ISREG(file.st_mode) ||
	    !is_size((uint64_t)file.st_size))
		return NULL;
	head = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED) {
		if (errno == ENOMEM)
			refuse_limited(fd, (uint64_t)file.st_size, e);
		return NULL;
	}
	if (!handover_is_head(head, (uint64_t)file.st_size, e)) {
		munmap(head, (size_t)file.st_size);
		return NULL;
	}
	madvise(head, (size_t)file.st_size, MADV_DONTDUMP);
	dev = file.st_dev;
	ino = file.st_ino;
	return head;
}

static bool is_segment_sig(int fd)
{
	struct stat file;

	return fd >= 0 && sys_call(SYS_fstat, fd, (long)&file, 0, 0) == 0 && file.st_dev == dev && file.st_ino == ino;
}

static int first_fd_sig(void)
{
	struct rlimit limit = { .rlim_cur = SEGMENT_FDS_END };

	sys_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
	return segment_first_fd(limit.rlim_cur);
}

/* Find an inherited descriptor. If there is no mapping yet (head is NULL), map it. Returns -1 if there is none. */
static int find_inherited(const struct env *e, struct segment_head **head)
{
	/* the limit may have been lowered since the descriptor was opened */
	int first[] = { first_fd_sig(), segment_first_fd(SEGMENT_FDS_END) };

	for (int k = 0; k < (first[0] == first[1] ? 1 : 2); k++)
		for (int fd = first[k]; fd < first[k] + SEGMENT_FDS; fd++)
			if (*head ? is_segment_sig(fd) : (*head = handover_map(fd, e)) != NULL)
				return fd;
	return -1;
}

static long open_path_sig(void)
{
	return sys_call(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0);
}

struct segment_head *cpi_handover_map(const struct env *e)
{
	struct segment_head *head;
	bool by_path;
	int fd;

	memcpy(path, e->path, sizeof(path));
	fd = (int)open_path_sig();
	head = fd >= 0 ? handover_map(fd, e) : NULL;
	by_path = head != NULL;
	if (fd >= 0)
		sys_call(SYS_close, fd, 0, 0, 0);
	fd = find_inherited(e, &head);
	if (fd >= 0 && by_path)
		sys_call(SYS_close, fd, 0, 0, 0);
	else
		atomic_store(&kept, fd);
	if (fd >= 0 && !by_path && head->follow != FOLLOW_ALL)
		sys_call(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC, 0);
	return head;
}

/* Does this process execute programs that are profiled? */
static bool has_heirs_sig(void)
{
	const struct segment_head *head = cpi.head;

	return cpi_is_on_sig() && !cpi.is_self &&
	       (head->follow == FOLLOW_ALL || atomic_load(&head->main_pid) == sys_getpid());
}

void cpi_handover_open_sig(void)
{
	int first = first_fd_sig(), fd, copy;

	/* a process that prepared a sandbox has called this before, and must not make these system calls now */
	if (!has_heirs_sig() || atomic_load(&cpi.is_sandboxed) || is_segment_sig(atomic_load(&kept)))
		return;
	fd = (int)open_path_sig();
	if (fd < 0)
		return;
	copy = (int)sys_call(SYS_fcntl, fd, cpi.head->follow == FOLLOW_ALL ? F_DUPFD : F_DUPFD_CLOEXEC, first, 0);
	sys_call(SYS_close, fd, 0, 0, 0);
	if (copy >= first + SEGMENT_FDS) {
		sys_call(SYS_close, copy, 0, 0, 0);
		copy = -1;
	}
	atomic_store(&kept, copy);
}

bool cpi_handover_reaches_sig(void)
{
	/* faccessat ignores capabilities that a process without root loses in exec (setpriv keeps them until then) */
	return is_segment_sig(atomic_load(&kept)) || sys_call(SYS_faccessat, AT_FDCWD, (long)path, R_OK | W_OK, 0) == 0;
}

void cpi_handover_exec_sig(bool begin)
{
	int fd = atomic_load(&kept);

	if (cpi.head && cpi.head->follow != FOLLOW_ALL && is_segment_sig(fd))
		sys_call(SYS_fcntl, fd, F_SETFD, begin ? 0 : FD_CLOEXEC, 0);
}
