/*
 * busy.c - the time in which programs waited for a processor
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/read/busy.h"

#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/collector/read/task.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { YOUNG_NS = 100000000 };

void busy_read(struct busy_time *t)
{
	static const char total[] = "total=";
	uint64_t now = clock_now();
	char text[256], *at;

	if (t->now_ns && now - t->now_ns < YOUNG_NS)
		return;
	*t = (struct busy_time){ 0 };
	task_read_file(AT_FDCWD, "/proc/pressure/cpu", text, sizeof(text));
	at = strstr(text, total); /* of the first line: "some" */
	if (at)
		*t = (struct busy_time){ .now_ns = now, .waited_ns = 1000 * strtoull(at + strlen(total), NULL, 10) };
}

double busy_share(const struct busy_time *from, const struct busy_time *to)
{
	double share;

	if (!from->now_ns || to->now_ns < from->now_ns + YOUNG_NS || to->waited_ns < from->waited_ns)
		return 0;
	share = (double)(to->waited_ns - from->waited_ns) / (double)(to->now_ns - from->now_ns);
	return share < 1 ? share : 1;
}

int busy_comment(double share, char *out, unsigned size)
{
	static const double least = 0.1;

	if (share < least)
		return 0;
	return snprintf(out, size, "the machine was busy: programs waited for a processor for %.0f%% of the time",
			share * 100);
}
