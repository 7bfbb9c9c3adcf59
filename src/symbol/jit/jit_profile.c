/*
 * jit_profile.c - names of generated code in a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/jit/jit_process.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "profile/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PROCESSES_MAX = 1000 };

/* The addresses to look up. */
struct jit_scope {
	bool is_all; /* in any memory without a file */
	int pid;     /* not is_all: in the mapping of the perf map of this process; 0: in other memory */
};

/* Is this a location in memory without a file, and without a name? */
static bool jit_profile_is_wanted(const struct profile *p, struct jit_scope scope, uint32_t loc)
{
	const char *file = p->loc_map[loc] == PROFILE_NONE ? "" : profile_text(p, p->map[p->loc_map[loc]].file);
	int pid = path_perf_map(file);

	return p->loc_line[loc] == p->loc_line[loc + 1] && p->loc_addr[loc] && (scope.is_all || pid == scope.pid) &&
	       (pid || profile_is_memory(file, strlen(file)));
}

/* Prepare a lookup of the addresses without a name. Returns NULL if there are none. */
static struct jit *new_lookup(const struct profile *p, struct jit_scope scope)
{
	uint64_t *addr = mem_alloc(p->n_locs, sizeof(*addr));
	struct jit *j;
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_locs; i++)
		if (jit_profile_is_wanted(p, scope, i))
			addr[n++] = p->loc_addr[i];
	j = n ? jit_new(addr, n) : NULL;
	free(addr);
	return j;
}

static int jit_profile_add_names(struct profile *p, struct jit_scope scope, const struct jit *j, uint32_t *n_named,
				 struct err *err)
{
	uint32_t *loc = mem_alloc(p->n_locs, sizeof(*loc)), *off = mem_alloc((size_t)p->n_locs + 1, sizeof(*off));
	struct new_line *line = mem_alloc(p->n_locs, sizeof(*line));
	struct new_lines all = { .loc = loc, .off = off, .line = line };
	struct jit_name name;
	int rc = 0;

	for (uint32_t i = 0; i < p->n_locs; i++) {
		if (!jit_profile_is_wanted(p, scope, i) || !jit_find(j, p->loc_addr[i], &name))
			continue;
		/* no system name, so that the name is not demangled */
		line[all.n] = (struct new_line){ .name = strtab_addz(p->str, name.function) };
		loc[all.n] = i;
		off[all.n] = all.n;
		all.n++;
	}
	off[all.n] = all.n;
	*n_named += all.n;
	if (all.n)
		rc = profile_set_lines(p, &all, err);
	free(line);
	free(off);
	free(loc);
	return rc;
}

/* The pid in the comment "cpa VERSION: pid N"; 0 if there is none, or several differ, as in merged profiles. */
static pid_t pid_of(const struct profile *p)
{
	static const char prefix[] = "cpa ", before[] = ": pid ";
	long found = 0;

	for (uint32_t i = 0; i < p->meta.n_comments; i++) {
		const char *text = profile_text(p, p->meta.comment[i]), *at = strstr(text, before);
		long pid = at && starts_with(text, prefix) ? strtol(at + sizeof(before) - 1, NULL, 10) : 0;

		if (pid <= 0 || pid > INT32_MAX || pid == found)
			continue;
		if (found)
			return 0;
		found = pid;
	}
	return (pid_t)found;
}

static bool jit_profile_is_file(const struct profile *p, uint32_t map)
{
	const char *file = profile_text(p, p->map[map].file);

	return *file == '/' && !profile_is_memory(file, strlen(file));
}

/*
 * Compare mappings with the lines of /proc/PID/maps. Only addresses: the program may know its files by other names.
 *
 * n       out: number of mapped files of the profile
 * n_same  out: number of these that are mapped at the same address
 */
static void compare_mappings(const struct profile *p, FILE *maps, uint32_t *n, uint32_t *n_same)
{
	char *line = NULL;
	size_t cap = 0;

	*n = *n_same = 0;
	for (uint32_t i = 0; i < p->n_maps; i++)
		*n += jit_profile_is_file(p, i);
	while (getline(&line, &cap, maps) > 0) {
		uint64_t start = strtoull(line, NULL, 16);

		for (uint32_t i = 0; strchr(line, '/') && i < p->n_maps; i++)
			*n_same += p->map[i].start == start && jit_profile_is_file(p, i);
	}
	free(line);
}

/* Was the process with this pid sampled? Its files are then at the same addresses, except unloaded files. */
static bool is_sampled_process(const struct profile *p, pid_t pid)
{
	uint32_t n = 0, n_same = 0;
	char path[64];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	compare_mappings(p, maps, &n, &n_same);
	fclose(maps);
	return n > 0 && n_same >= (n + 1) / 2;
}

/* Is this the jitdump of a process: jit-PID.dump? */
static bool jit_profile_is_dump_of(const char *path, int pid)
{
	char name[32];

	snprintf(name, sizeof(name), "jit-%d.dump", pid);
	return strcmp(path_base(path), name) == 0;
}

/* Did the process that has this pid now start before the end of the profile? If not, its pid was used again. */
static bool jit_profile_is_old_enough(const struct profile *p, const struct jit_process *process)
{
	const struct profile_meta *m = &p->meta;

	return m->time_ns <= 0 || !process->start_ns ||
	       process->start_ns <= (uint64_t)m->time_ns + (uint64_t)(m->duration_ns > 0 ? m->duration_ns : 0);
}

/*
 * Read the files of a process. If it has ended, files that are older than the profile are not of it.
 *
 * own_pid   0: the process that a comment of the profile names
 */
static void jit_profile_read_process(const struct profile *p, int own_pid, struct jit *j, struct buf *notes)
{
	const char **mapped = mem_alloc((size_t)p->n_maps + 1, sizeof(*mapped));
	struct jit_process process;
	pid_t pid = own_pid ? own_pid : pid_of(p);
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_maps; i++) {
		mapped[n] = profile_text(p, p->map[i].file);
		n += !own_pid || jit_profile_is_dump_of(mapped[n], own_pid);
	}
	if (pid) {
		jit_process_open(pid, &process);
		if (!process.is_running && p->meta.time_ns > 0)
			process.start_ns = (uint64_t)p->meta.time_ns;
		if (!process.is_running ||
		    (own_pid ? jit_profile_is_old_enough(p, &process) : is_sampled_process(p, pid)))
			jit_process_read(&process, j, mapped, n, notes);
		jit_process_close(&process);
	}
	free(mapped);
}

static int read_named(const char *path, struct jit *j, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	struct stat st;

	if (!f || fstat(fd, &st) != 0)
		rc = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		rc = err_set(err, ERR_IO, "%s: not a regular file", path);
	else if ((rc = jit_read(j, f, err)) < 0)
		err_wrap(err, "%s", path);
	if (f)
		fclose(f);
	return rc;
}

/* Add names in a scope. file: NULL: from the files of the process. */
static int jit_symbolize_scope(struct profile *p, struct jit_scope scope, const char *file, struct buf *notes,
			       uint32_t *n_named, struct err *err)
{
	struct jit *j = new_lookup(p, scope);
	int rc = 0;

	if (!j)
		return 0;
	if (file)
		rc = read_named(file, j, err);
	else
		jit_profile_read_process(p, scope.pid, j, notes);
	if (rc == 0 && jit_count(j))
		rc = jit_profile_add_names(p, scope, j, n_named, err);
	jit_free(j);
	return rc;
}

/* Add names to the code of each process that the mappings name, from its own files. */
static int jit_symbolize_processes(struct profile *p, struct buf *notes, uint32_t *n_named, struct err *err)
{
	int done[PROCESSES_MAX], n = 0, rc = 0;

	for (uint32_t i = 0; rc == 0 && i < p->n_maps; i++) {
		int pid = path_perf_map(profile_text(p, p->map[i].file)), k = 0;

		while (k < n && done[k] != pid)
			k++;
		if (!pid || k < n)
			continue;
		if (n == PROCESSES_MAX) {
			buf_addf(notes, "more than %d processes with generated code; the others have no names\n",
				 (int)PROCESSES_MAX);
			break;
		}
		done[n++] = pid;
		rc = jit_symbolize_scope(p, (struct jit_scope){ .pid = pid }, NULL, notes, n_named, err);
	}
	return rc;
}

int jit_symbolize(struct profile *p, const char *file, struct buf *notes, uint32_t *n_named, struct err *err)
{
	int rc;

	*n_named = 0;
	rc = jit_symbolize_scope(p, (struct jit_scope){ .is_all = file != NULL }, file, notes, n_named, err);
	return rc < 0 || file ? rc : jit_symbolize_processes(p, notes, n_named, err);
}
