/*
 * io_map.c - files that are mapped instead of copied
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading a page of a mapped file that was cut meanwhile is a fatal signal. Its handler replaces such a page by zeros, which
 * readers report as damaged.
 */
#include "config.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAPPED_MAX = 16, STEP = 1 << 20, GIVE_BACK_ALIGN = 64 << 10 };

/* Ranges of memory, for the handler; start is 0 if not used. */
static struct {
	atomic_uintptr_t start, end;
} mapped[MAPPED_MAX];

static uintptr_t page_bytes; /* set before the handler is installed */
static pthread_mutex_t mapped_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before; /* of SIGBUS */

/* Replace the page by zeros, or act as before. */
static void io_map_on_fault(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int error = errno;

	for (int i = 0; i < MAPPED_MAX; i++)
		if (atomic_load(&mapped[i].start) && at >= atomic_load(&mapped[i].start) &&
		    at < atomic_load(&mapped[i].end) &&
		    mmap((void *)(at / page_bytes * page_bytes), page_bytes, PROT_READ,
			 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
			errno = error;
			return;
		}
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(number, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(number);
	else
		signal(number, SIG_DFL); /* the access is repeated */
}

/* Called with the lock held. */
static void io_map_install(void)
{
	struct sigaction now, ours = { .sa_sigaction = io_map_on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, NULL, &now);
	if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == io_map_on_fault)
		return;
	before = now;
	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &ours, NULL);
}

/* Remember a range. Returns false if there are too many. */
static bool io_map_add(void *p, size_t n)
{
	bool is_added = false;

	pthread_mutex_lock(&mapped_lock);
	for (int i = 0; i < MAPPED_MAX && !is_added; i++)
		if (!atomic_load(&mapped[i].start)) {
			atomic_store(&mapped[i].end, (uintptr_t)p + n);
			atomic_store(&mapped[i].start, (uintptr_t)p);
			is_added = true;
		}
	if (is_added)
		io_map_install();
	pthread_mutex_unlock(&mapped_lock);
	return is_added;
}

/* Is it a regular file of this size? */
static bool io_map_fits(const struct stat *st, size_t min, size_t max)
{
	return S_ISREG(st->st_mode) && (uint64_t)st->st_size >= min && (uint64_t)st->st_size <= max && st->st_size > 0;
}

bool io_map_file(const char *path, size_t min, size_t max, struct bytes *out)
{
	void *p = MAP_FAILED;
	struct stat st;
	int fd;

	if (stat(path, &st) != 0 || !io_map_fits(&st, min, max)) /* most files are small, and need not be opened */
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && io_map_fits(&st, min, max))
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return false;
	if (!io_map_add(p, (size_t)st.st_size)) {
		munmap(p, (size_t)st.st_size);
		return false;
	}
	madvise(p, (size_t)st.st_size, MADV_SEQUENTIAL);
	*out = (struct bytes){ .data = p, .n = (size_t)st.st_size, .is_mapped = true };
	return true;
}

void io_release(struct bytes *b)
{
	if (b->is_mapped) {
		for (int i = 0; i < MAPPED_MAX; i++)
			if (atomic_load(&mapped[i].start) == (uintptr_t)b->data)
				atomic_store(&mapped[i].start, 0);
		munmap(b->data, b->n);
	} else {
		free(b->data);
	}
	*b = (struct bytes){ 0 };
}

size_t io_give_back(const uint8_t *data, size_t from, size_t to)
{
	uintptr_t start = (uintptr_t)data, lo = start + from, hi = (start + to) / GIVE_BACK_ALIGN * GIVE_BACK_ALIGN;

	lo = lo / GIVE_BACK_ALIGN * GIVE_BACK_ALIGN;
	lo = lo < start ? start : lo;
	if (to - from < STEP || hi <= lo)
		return from;
	madvise((void *)lo, hi - lo, MADV_DONTNEED);
	return to;
}
