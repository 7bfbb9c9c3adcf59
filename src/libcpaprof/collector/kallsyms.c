/*
 * kallsyms.c - names of kernel functions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file has some hundred thousand lines, not in order, and is read once, in parts. Each symbol is offered to the
 * first address at or after it. An address without a symbol of its own is in the function of the address before it.
 */
#include "config.h"

#include "libcpaprof/collector/kallsyms.h"

#include "libcpaprof/collector/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART_SIZE = 64 << 10 };

/* The index of the first address at or after start. */
static size_t find_first(const struct kernel_name *name, size_t n, uint64_t start)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (name[mid].addr < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Read a line such as "ffffffff81000000 T do_nanosleep". Returns false if its address is hidden. */
static bool read_line(struct kernel_name *name, size_t n, const char *line)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16);
	size_t i, length;

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return true;
	if (start == 0) /* also that of some data in per-CPU memory */
		return !strchr("tT", end[1]);
	if (!strchr("tTwW", end[1]))
		return true;
	i = find_first(name, n, start);
	if (i == n || name[i].start >= start)
		return true;
	length = strcspn(end + 3, ".\t\n"); /* without the compiler's .constprop.0 and the name of the module */
	length = length < KERNEL_NAME_MAX ? length : KERNEL_NAME_MAX - 1;
	memcpy(name[i].name, end + 3, length);
	name[i].name[length] = '\0';
	name[i].start = start;
	return true;
}

/* Read the lines of a part. Returns the number of bytes of the last line, which is not complete; -1: hidden. */
static ssize_t read_lines(struct kernel_name *name, size_t n, char *text, size_t size)
{
	char *line = text, *end;

	while ((end = memchr(line, '\n', size - (size_t)(line - text)))) {
		*end = '\0';
		if (!read_line(name, n, line))
			return -1;
		line = end + 1;
	}
	size -= (size_t)(line - text);
	memmove(text, line, size);
	return (ssize_t)size;
}

static int read_all(int fd, struct kernel_name *name, size_t n, char *text)
{
	ssize_t got, kept = 0;

	while ((got = read(fd, text + kept, PART_SIZE - (size_t)kept)) > 0) {
		kept = read_lines(name, n, text, (size_t)(kept + got));
		if (kept < 0)
			return -EACCES;
		if (kept == PART_SIZE) /* no line is that long */
			return -EINVAL;
	}
	return got < 0 ? -errno : 0;
}

int kallsyms_find(struct kernel_name *name, size_t n)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), rc = fd < 0 ? -errno : -ENOMEM;
	char *text = fd < 0 ? NULL : memory_map(PART_SIZE);

	if (text)
		rc = read_all(fd, name, n, text);
	for (size_t i = 1; rc == 0 && i < n; i++)
		if (!name[i].start && name[i - 1].start) {
			uint64_t addr = name[i].addr;

			name[i] = name[i - 1];
			name[i].addr = addr;
		}
	memory_unmap(text, PART_SIZE);
	if (fd >= 0)
		close(fd);
	return rc;
}
