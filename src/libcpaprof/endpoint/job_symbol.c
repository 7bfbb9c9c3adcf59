/*
 * job_symbol.c - symbol names of addresses, and the command line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/endpoint/request_query.h"

#include "libcpaprof/collector/addresses.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* WORD_MAX: the buffer size of Go, which stops at a longer word */
enum { WORD_MAX = 4096, CMDLINE_MAX = 4 << 20, READ_SIZE = 16 << 10 };

int job_read_addresses(struct serve_job *j, const char *text, size_t n)
{
	for (const char *end = text + n, *next; text < end && j->addr.n < JOB_SYMBOLS_MAX && !j->is_truncated;
	     text = next) {
		const char *stop = memchr(text, '+', (size_t)(end - text));
		uint64_t addr;

		stop = stop ? stop : end;
		next = stop < end ? stop + 1 : end;
		j->is_truncated = stop - text >= WORD_MAX;
		if (j->is_truncated || !request_query_uint(text, (size_t)(stop - text), &addr) || !addr)
			continue;
		if (!vec_add(&j->addr, &addr, 1, sizeof(addr), JOB_SYMBOLS_MAX))
			return -ENOMEM;
	}
	return 0;
}

static int write_symbols(struct serve_job *j, snap_names_fn *fn, void *names)
{
	const struct snap_row *row = j->after->row.data;
	struct serve_answer *a = &j->answer;
	struct snap_name name;
	struct snap_frame f;
	int rc = 0;

	for (size_t i = 0; fn && i < j->after->row.n && rc == 0; i++) {
		snap_frame(j->after, &row[i], 0, &f);
		if (f.pseudo || !fn(names, j->after->p, f.addr, f.map, 0, &name) || !name.function)
			continue;
		rc = reply_add(a, "0x%llx ", (unsigned long long)f.addr);
		rc = rc < 0 ? rc : job_append(&a->body, name.function, strcspn(name.function, "\n"));
		rc = rc < 0 ? rc : job_append(&a->body, "\n", 1);
	}
	if (rc == 0 && j->is_truncated)
		rc = reply_add(a, "reading request: bufio: buffer full\n");
	return rc;
}

void job_symbol(struct serve_job *j)
{
	struct snap *s = NULL;
	int rc;

	if (!job_find_process(j))
		return;
	j->answer.status = 200;
	j->answer.type = reply_text;
	/* clients only check that the number is not 0 */
	rc = reply_add(&j->answer, "num_symbols: 1\n");
	rc = rc < 0 ? rc : addresses_open(j->p, j->addr.data, j->addr.n, &s);
	j->after = s;
	if (rc == 0 && s->row.n)
		job_write_named(j, s, write_symbols);
	else if (rc == 0)
		rc = write_symbols(j, NULL, NULL);
	if (rc < 0)
		job_fail(j, rc, "failed to look up names");
	addresses_close(s);
	j->after = NULL;
	j->state = JOB_READY;
}

/*
 * Read the arguments, separated by NUL, without the NULs at the end. A program that writes a title over its arguments
 * pads it with NULs.
 */
static int read_cmdline(struct body *to, int pid)
{
	char path[64];
	int fd, rc = 0;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		char *room = vec_reserve(&to->v, READ_SIZE, 1, CMDLINE_MAX);

		got = room ? read(fd, room, READ_SIZE) : 0;
		rc = got < 0 ? -errno : 0;
		to->v.n += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	close(fd);
	while (to->v.n && !((const char *)to->v.data)[to->v.n - 1])
		to->v.n--;
	return rc;
}

void job_cmdline(struct serve_job *j)
{
	struct process_info f;
	int rc;

	if (!job_find_process(j))
		return;
	process_info(j->p, &f);
	j->answer.status = 200;
	j->answer.type = reply_text;
	if (j->s->options.hide_cmdline)
		rc = body_append(&j->answer.body, f.program, f.n_program);
	else
		rc = read_cmdline(&j->answer.body, (int)j->pid);
	if (rc < 0)
		job_fail(j, rc, "failed to read the command line");
	j->state = JOB_READY;
}
