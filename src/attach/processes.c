/*
 * processes.c - find running processes by name, and those that others have started
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/processes.h"

#include "attach/sample.h"
#include "base/mem.h"
#include "base/path.h"
#include "libcpaprof/collector/read/task.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 4096, COMM_MAX = 15 };

int attach_parse_pids(const char *text, size_t n, pid_t *pid, size_t *n_pids, struct err *err)
{
	size_t at = 0;

	*n_pids = 0;
	while (at <= n) {
		size_t digits = 0;
		uint64_t value = 0;
		bool is_new = true;

		for (; at + digits < n && text[at + digits] >= '0' && text[at + digits] <= '9'; digits++)
			value = value < INT32_MAX ? value * 10 + (uint64_t)(text[at + digits] - '0') : value;
		if (digits == 0 || value == 0 || (at + digits < n && text[at + digits] != ','))
			return err_set(err, ERR_USAGE, "\"%.*s\" is not a list of process ids, such as 4711,4712",
				       (int)(n < 200 ? n : 200), text);
		if (value > INT32_MAX)
			return err_set(err, ERR_USAGE, "process %.*s does not exist", (int)(digits < 40 ? digits : 40),
				       text + at);
		for (size_t i = 0; i < *n_pids; i++)
			is_new &= pid[i] != (pid_t)value;
		if (is_new && *n_pids == SAMPLE_PIDS_MAX)
			return err_set(err, ERR_USAGE, "more than %d processes", SAMPLE_PIDS_MAX);
		if (is_new)
			pid[(*n_pids)++] = (pid_t)value;
		at += digits + 1;
	}
	return 0;
}

/* Read a file of /proc/PID as text. Returns false if it is empty or cannot be read. */
static bool processes_read_text(pid_t pid, const char *name, char text[TEXT_MAX + 1])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return task_read_file(AT_FDCWD, path, text, TEXT_MAX + 1) > 0;
}

/* The state of a process and its parent. Returns false if it has ended, also if its parent has not waited for it. */
static bool read_parent(pid_t pid, pid_t *parent)
{
	char text[TEXT_MAX + 1], state;
	const char *name_end;
	int value;

	if (!processes_read_text(pid, "stat", text))
		return false;
	name_end = strrchr(text, ')'); /* the name may contain anything */
	if (!name_end || sscanf(name_end, ") %c %d", &state, &value) != 2 || state == 'Z' || state == 'X')
		return false;
	*parent = value;
	return true;
}

/* Does the first argument, without the folder, have this name? A title such as "nginx: worker" ends with the colon. */
static bool is_first_argument(const char *text, const char *name)
{
	size_t n = strlen(name);
	const char *base = path_base(text);

	return strncmp(base, name, n) == 0 && (base[n] == '\0' || (base[n] == ':' && base[n + 1] == ' '));
}

static bool has_process_name(pid_t pid, const char *name)
{
	static const char deleted[] = " (deleted)";
	char text[TEXT_MAX + 1], path[64];
	size_t n = strlen(name);
	ssize_t len;
	pid_t parent;

	if (!read_parent(pid, &parent))
		return false;
	if (processes_read_text(pid, "comm", text)) {
		text[strcspn(text, "\n")] = '\0';
		if (n <= COMM_MAX && strcmp(text, name) == 0) /* longer names are cut */
			return true;
	}
	if (processes_read_text(pid, "cmdline", text) && is_first_argument(text, name))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	len = readlink(path, text, TEXT_MAX);
	text[len > 0 ? len : 0] = '\0';
	if (len > (ssize_t)sizeof(deleted) && strcmp(text + len - (sizeof(deleted) - 1), deleted) == 0)
		text[len - (ssize_t)(sizeof(deleted) - 1)] = '\0';
	return strcmp(path_base(text), name) == 0;
}

/* Call fn for each process, in the order of /proc, until it fails. */
static int each_process(int (*fn)(void *arg, pid_t pid, struct err *err), void *arg, struct err *err)
{
	const struct dirent *entry;
	DIR *folder = opendir("/proc");
	int rc = 0;

	while (rc == 0 && folder && (entry = readdir(folder))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		rc = pid > 0 ? fn(arg, pid, err) : 0;
	}
	if (folder)
		closedir(folder);
	return rc;
}

struct processes_search {
	const char *name;
	pid_t *pid; /* [*n] */
	size_t *n, n_found;
	struct buf *found;
};

static int add_process_id(struct processes_search *s, pid_t pid, struct err *err)
{
	for (size_t i = 0; i < *s->n; i++)
		if (s->pid[i] == pid)
			return 0;
	if (*s->n == SAMPLE_PIDS_MAX)
		return err_set(err, ERR_USAGE, "more than %d processes", SAMPLE_PIDS_MAX);
	s->pid[(*s->n)++] = pid;
	return 0;
}

static int processes_add_named(void *arg, pid_t pid, struct err *err)
{
	struct processes_search *s = arg;

	if (pid == getpid() || !has_process_name(pid, s->name))
		return 0;
	buf_addf(s->found, "%s%d", s->n_found++ ? ", " : "", (int)pid);
	return add_process_id(s, pid, err);
}

static int add_processes_named(struct processes_search *s, struct err *err)
{
	int rc;

	s->n_found = 0;
	buf_addf(s->found, "%s: ", s->name);
	rc = each_process(processes_add_named, s, err);
	buf_addz(s->found, "\n");
	if (rc == 0 && s->n_found == 0)
		return err_set(err, ERR_IO, "no process is named \"%.*s\"", 200, s->name);
	return rc;
}

int attach_processes_find(const char *text, pid_t *pid, size_t *n_pids, struct buf *found, struct err *err)
{
	struct processes_search s = { .pid = pid, .n = n_pids, .found = found };
	int rc = 0;

	*n_pids = 0;
	for (size_t n; rc == 0; text += n + 1) {
		pid_t one;
		size_t k;

		n = strcspn(text, ",");
		if (n == 0 || strspn(text, "0123456789") == n) { /* also for its messages */
			rc = attach_parse_pids(text, n, &one, &k, err);
			rc = rc < 0 ? rc : add_process_id(&s, one, err);
		} else {
			char *name = mem_strndup(text, n);

			s.name = name;
			rc = add_processes_named(&s, err);
			free(name);
		}
		if (!text[n])
			break;
	}
	return rc;
}

struct processes_family {
	struct relation {
		pid_t pid, parent;
		bool is_below;
	} * all; /* [n] */
	size_t n, cap;
};

static int add_relation(void *arg, pid_t pid, struct err *err)
{
	struct processes_family *f = arg;
	pid_t parent;

	(void)err;
	if (!read_parent(pid, &parent))
		return 0;
	f->all = mem_grow(f->all, &f->cap, f->n + 1, sizeof(*f->all));
	f->all[f->n++] = (struct relation){ pid, parent, false };
	return 0;
}

/* Mark the children of a process. Returns their number. */
static size_t mark_children(struct processes_family *f, pid_t parent)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->all[i].parent == parent && !f->all[i].is_below) {
			f->all[i].is_below = true;
			n++;
		}
	return n;
}

pid_t *attach_processes_below(const pid_t *pid, size_t n_pids, size_t *n)
{
	struct processes_family f = { 0 };
	struct err err;
	bool is_new = true;
	pid_t *below;

	each_process(add_relation, &f, &err);
	for (size_t i = 0; i < n_pids; i++)
		mark_children(&f, pid[i]);
	while (is_new) {
		is_new = false;
		for (size_t i = 0; i < f.n; i++)
			is_new |= f.all[i].is_below && mark_children(&f, f.all[i].pid) > 0;
	}
	below = mem_zalloc(f.n + 1, sizeof(*below));
	*n = 0;
	for (size_t i = 0; i < f.n; i++)
		if (f.all[i].is_below)
			below[(*n)++] = f.all[i].pid;
	free(f.all);
	return below;
}
