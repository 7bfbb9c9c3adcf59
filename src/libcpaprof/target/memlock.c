/*
 * memlock.c - mlockall locks the program's own memory, but not ours
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * mlockall would allocate all the memory that we share with the collector, hundreds of megabytes of which little is
 * used, and the tables of this library. This memory would also count toward the limit, so that mlockall would fail in a
 * program without privileges. So each mapping except ours is locked separately. The kernel locks new mappings.
 */
#include "config.h"

#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { MAPS_SIZE = 4096, ON_FAULT = 1 /* linux/mman.h: MLOCK_ONFAULT */ };

static bool memlock_is_ours(uintptr_t at, uintptr_t limit)
{
	return at - (uintptr_t)cpi.head < cpi.head->size || cpi_sample_is_memory(at) || cpi_threads_are_in(at, limit);
}

static const char *memlock_number(const char *c, uintptr_t *out)
{
	for (*out = 0; (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f'); c++)
		*out = *out << 4 | (uintptr_t)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
	return c;
}

/*
 * Lock the mapping of a line of maps: "start-limit rwxp ...". A mapping whose pages cannot be read is skipped, as in
 * the kernel. Exceeding the program's limit is an error. Adds to locked.
 */
static long lock_line(const char *line, int flags, uint64_t *locked)
{
	struct rlimit max = { .rlim_cur = RLIM_INFINITY };
	uintptr_t start, limit;
	long rc;

	memlock_number(memlock_number(line, &start) + 1, &limit);
	if (limit <= start || memlock_is_ours(start, limit))
		return 0;
	*locked += limit - start;
	rc = sys_call(SYS_mlock2, (long)start, (long)(limit - start), flags, 0);
	if (rc == -ENOMEM)
		sys_call(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, (long)&max);
	return rc == -EPERM || (rc == -ENOMEM && *locked > max.rlim_cur) ? rc : 0;
}

/* Lock all current mappings. Returns 0 or -errno. */
static long lock_current(int flags)
{
	long fd = sys_call(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got, rc = 0;
	char text[MAPS_SIZE + 1];
	uint64_t locked = 0;
	size_t n = 0;

	if (fd < 0)
		return fd;
	while (rc == 0 && (got = sys_call(SYS_read, fd, (long)text + (long)n, (long)(MAPS_SIZE - n), 0)) > 0) {
		char *line = text, *end;

		n += (size_t)got;
		text[n] = '\0';
		for (; rc == 0 && (end = strchr(line, '\n')); line = end + 1)
			rc = lock_line(line, flags, &locked);
		n = (size_t)(text + n - line);
		memmove(text, line, n);
	}
	sys_call(SYS_close, fd, 0, 0, 0);
	return rc;
}

CPA_EXPORT int mlockall(int flags)
{
	long rc = 0;

	if (!cpi.head || !(flags & MCL_CURRENT) || flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
		return cpi_next()->mlockall(flags);
	if (flags & MCL_FUTURE)
		rc = cpi_next()->mlockall(flags & ~MCL_CURRENT) == 0 ? 0 : -errno;
	if (rc == 0)
		rc = lock_current(flags & MCL_ONFAULT ? ON_FAULT : 0);
	if (rc == 0)
		return 0;
	errno = (int)-rc;
	return -1;
}
