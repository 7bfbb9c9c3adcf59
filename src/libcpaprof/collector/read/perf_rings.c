/*
 * perf_rings.c - ring buffers of perf events, one per CPU
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/read/perf_rings.h"

#include "libcpaprof/collector/read/task.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RECORD_BYTES_MAX = 1 << 16, CPUS_MAX = 4096, LIST_SIZE = 8192 };

static const char online[] = "/sys/devices/system/cpu/online";

static int add_cpus(struct perf_rings *r, long lo, long hi)
{
	for (long cpu = lo; cpu >= 0 && cpu <= hi && cpu < CPUS_MAX; cpu++) {
		const struct perf_ring new = { .cpu = (int)cpu, .fd = -1 };

		if (!vec_add(&r->cpus, &new, 1, sizeof(new), CPUS_MAX))
			return -ENOMEM;
		r->ring = r->cpus.data;
		r->n = r->cpus.n;
	}
	return 0;
}

/* Parse a list such as "0-3,6". */
static int parse_cpus(struct perf_rings *r, const char *at)
{
	int rc = 0;

	while (rc == 0 && *at >= '0' && *at <= '9') {
		char *end;
		long lo = strtol(at, &end, 10), hi = lo;

		if (*end == '-')
			hi = strtol(end + 1, &end, 10);
		rc = add_cpus(r, lo, hi);
		at = *end == ',' ? end + 1 : end;
	}
	return rc < 0 ? rc : r->n ? 0 : -ENODEV;
}

int perf_rings_init(struct perf_rings *r)
{
	char text[LIST_SIZE];

	if (task_read_file(AT_FDCWD, online, text, sizeof(text)) < 0)
		return -errno;
	r->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	r->record = memory_map(RECORD_BYTES_MAX);
	return r->record ? parse_cpus(r, text) : -ENOMEM;
}

void perf_rings_release(struct perf_rings *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->ring[i].page)
			memory_unmap(r->ring[i].page, r->page_bytes + r->bytes);
	vec_release(&r->cpus, sizeof(*r->ring));
	memory_unmap(r->record, RECORD_BYTES_MAX);
	*r = (struct perf_rings){ 0 };
}

void perf_rings_raise_files_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Are the sizes of the buffers fixed, because one is mapped? */
static bool has_buffer(const struct perf_rings *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->ring[i].page)
			return true;
	return false;
}

static int map_ring(struct perf_rings *r, struct perf_ring *ring, int fd)
{
	bool is_fixed = has_buffer(r);
	size_t bytes = r->bytes;
	void *page = mmap(NULL, r->page_bytes + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	while (page == MAP_FAILED && !is_fixed && bytes / 2 >= r->bytes_min) {
		bytes /= 2;
		page = mmap(NULL, r->page_bytes + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (page == MAP_FAILED)
		return -errno;
	r->bytes = bytes;
	ring->page = page;
	ring->fd = fd;
	return 0;
}

int perf_rings_open(struct perf_rings *r, size_t i, const struct perf_event_attr *attr, pid_t pid, unsigned long flags,
		    int *fd)
{
	struct perf_ring *ring = &r->ring[i];
	int rc;

	*fd = (int)syscall(SYS_perf_event_open, attr, pid, ring->cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
	if (*fd < 0)
		return -errno;
	rc = ring->page ? (ioctl(*fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ? -errno : 0) : map_ring(r, ring, *fd);
	if (rc < 0) {
		close(*fd);
		*fd = -1;
	}
	return rc;
}

static void read_ring(const struct perf_rings *r, unsigned i, bool keeps, perf_rings_fn *fn, void *arg)
{
	struct perf_event_mmap_page *page = r->ring[i].page;
	const unsigned char *data = (const unsigned char *)page + r->page_bytes;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;

	while (head - tail >= sizeof(struct perf_event_header)) {
		size_t at = tail % r->bytes, first;
		const struct perf_event_header *h = (const struct perf_event_header *)(data + at);
		uint16_t size = h->size; /* records are multiples of 8 bytes: the header does not wrap */

		if (size < sizeof(*h) || size > head - tail)
			break;
		first = r->bytes - at;
		if (first < size) {
			memcpy(r->record, h, first);
			memcpy(r->record + first, data, size - first);
			h = (const struct perf_event_header *)r->record;
		}
		fn(arg, i, h);
		tail += size;
		if (!keeps)
			__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	}
}

void perf_rings_read(struct perf_rings *r, perf_rings_fn *fn, void *arg)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->ring[i].page)
			read_ring(r, i, false, fn, arg);
}

void perf_rings_peek(struct perf_rings *r, perf_rings_fn *fn, void *arg)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->ring[i].page)
			read_ring(r, i, true, fn, arg);
}
