/*
 * text_memory.c - what is known of the memory of a process, at the end of the text of its heap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_SIZE = 4096, NAME_SIZE = 32 };

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
extern __typeof__(mallinfo2) mallinfo2 __attribute__((weak));

/* What the allocator of the C library says of itself; only this program can ask. */
static void put_malloc(struct text *t)
{
	struct mallinfo2 m;

	if (t->s->p->pid != getpid() || !mallinfo2)
		return;
	m = mallinfo2();
	snap_text_add(t, "# Arena = %zu\n# Ordblks = %zu\n# Hblks = %zu\n# Hblkhd = %zu\n", m.arena, m.ordblks, m.hblks,
		      m.hblkhd);
	snap_text_add(t, "# Uordblks = %zu\n# Fordblks = %zu\n# Keepcost = %zu\n", m.uordblks, m.fordblks, m.keepcost);
}
#else
static void put_malloc(struct text *t)
{
	(void)t;
}
#endif

/* "NAME:  N kB" as "# NAME = N * 1024". */
static void put_line(struct text *t, const char *text, const char *name, const char *as)
{
	char *end, what[NAME_SIZE];
	const char *at;
	uint64_t n;

	snprintf(what, sizeof(what), "\n%s:", name);
	at = strstr(text, what);
	if (!at)
		return;
	n = strtoull(at + strlen(what), &end, 10);
	snap_text_add(t, "# %s = %" PRIu64 "\n", as, strncmp(end, " kB", 3) == 0 ? n * 1024 : n);
}

void snap_text_memory(struct text *t)
{
	static const struct {
		const char *name, *as;
	} lines[] = {
		{ "VmPeak", "VmPeak" }, { "VmSize", "VmSize" },   { "VmRSS", "VmRSS" },  { "RssAnon", "RssAnon" },
		{ "VmSwap", "VmSwap" }, { "Threads", "Threads" }, { "VmHWM", "MaxRSS" },
	};
	char path[NAME_SIZE], status[STATUS_SIZE];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)t->s->p->pid);
	fd = t->s->p->ended ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, status, sizeof(status) - 1);
		close(fd);
	}
	if (n <= 0)
		return;
	status[n] = '\0';
	snap_text_add(t, "\n# memory\n");
	put_malloc(t);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		put_line(t, status, lines[i].name, lines[i].as);
}
