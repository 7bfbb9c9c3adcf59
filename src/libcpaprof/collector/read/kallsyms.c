/*
 * kallsyms.c - names of kernel functions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file has some hundred thousand lines, not in order, and is read once, in parts. Each symbol is offered to the
 * first address at or after it. An address without a symbol of its own is in the function of the address before it.
 */
#include "config.h"

#include "libcpaprof/collector/read/kallsyms.h"

#include "libcpaprof/collector/read/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART_SIZE = 64 << 10 };

size_t kallsyms_find_first(const struct kernel_name *name, size_t n, uint64_t start)
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

/* Called for each line such as "ffffffff81000000 T do_nanosleep", until it returns false. */
typedef bool line_fn(void *arg, const char *line);

struct wanted_names {
	struct kernel_name *name;
	size_t n;
	bool is_hidden; /* does the kernel hide its addresses? */
};

static bool kallsyms_match_names(void *arg, const char *line)
{
	struct wanted_names *wanted = arg;
	struct kernel_name *name = wanted->name;
	char *end;
	uint64_t start = strtoull(line, &end, 16);
	size_t i, length, n = wanted->n;

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return true;
	if (start == 0) { /* also that of some data in per-CPU memory */
		wanted->is_hidden = strchr("tT", end[1]);
		return !wanted->is_hidden;
	}
	if (!strchr("tTwW", end[1]))
		return true;
	i = kallsyms_find_first(name, n, start);
	if (i == n || name[i].start >= start)
		return true;
	length = strcspn(end + 3, ".\t\n"); /* without the compiler's .constprop.0 and the name of the module */
	length = length < KERNEL_NAME_MAX ? length : KERNEL_NAME_MAX - 1;
	memcpy(name[i].name, end + 3, length);
	name[i].name[length] = '\0';
	name[i].start = start;
	return true;
}

/* Read the lines of a part. Returns the number of bytes of the last line, which is not complete; -1: stopped. */
static ssize_t kallsyms_read_lines(char *text, size_t size, line_fn *fn, void *arg)
{
	char *line = text, *end;

	while ((end = memchr(line, '\n', size - (size_t)(line - text)))) {
		*end = '\0';
		if (!fn(arg, line))
			return -1;
		line = end + 1;
	}
	size -= (size_t)(line - text);
	memmove(text, line, size);
	return (ssize_t)size;
}

static int kallsyms_read_all(line_fn *fn, void *arg)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), rc = fd < 0 ? -errno : 0;
	char *text = rc == 0 ? memory_map(PART_SIZE) : NULL;
	ssize_t got = 0, kept = 0;

	if (rc == 0 && !text)
		rc = -ENOMEM;
	while (rc == 0 && kept >= 0 && (got = read(fd, text + kept, PART_SIZE - (size_t)kept)) > 0) {
		kept = kallsyms_read_lines(text, (size_t)(kept + got), fn, arg);
		if (kept == PART_SIZE) /* no line is that long */
			rc = -EINVAL;
	}
	if (rc == 0 && got < 0)
		rc = -errno;
	memory_unmap(text, PART_SIZE);
	if (fd >= 0)
		close(fd);
	return rc;
}

int kallsyms_find(struct kernel_name *name, size_t n)
{
	struct wanted_names wanted = { .name = name, .n = n };
	int rc = kallsyms_read_all(kallsyms_match_names, &wanted);

	if (wanted.is_hidden)
		return -EACCES;
	for (size_t i = 1; rc == 0 && i < n; i++)
		if (!name[i].start && name[i - 1].start) {
			uint64_t addr = name[i].addr;

			name[i] = name[i - 1];
			name[i].addr = addr;
		}
	return rc;
}

struct wanted_symbol {
	const char *name;
	uint64_t addr;
};

static bool match_symbol(void *arg, const char *line)
{
	struct wanted_symbol *wanted = arg;
	char *end;
	uint64_t addr = strtoull(line, &end, 16);

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || strcmp(end + 3, wanted->name) != 0)
		return true;
	wanted->addr = addr;
	return false;
}

uint64_t kallsyms_address(const char *symbol)
{
	struct wanted_symbol wanted = { .name = symbol };

	kallsyms_read_all(match_symbol, &wanted);
	return wanted.addr;
}

bool kallsyms_is_scheduler(const char *name)
{
	static const char *const begin[] = {
		"schedule",         "__schedule",          "preempt_schedule",      "perf_",
		"__perf_",          "prepare_task_switch", "poll_schedule_timeout", "do_sched_yield",
		"__traceiter_sched"
	};

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (strncmp(name, begin[i], strlen(begin[i])) == 0)
			return true;
	return false;
}
