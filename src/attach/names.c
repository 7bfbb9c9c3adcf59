/*
 * names.c - symbolize the addresses of a live profile, from the files of this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server of cpa run does not use debuginfod, because its clients wait for the answer. Answers are symbolized one
 * at a time, which limits the memory.
 */
#include "config.h"

#include "attach/names.h"

#include "attach/snap.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "formats/pprof/pprof.h"
#include "profile/profile.h"
#include "symbol/jit/jit_process.h"
#include "symbol/locate.h"
#include "symbol/names.h"
#include "symbol/symbolize.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lookup_lock = PTHREAD_MUTEX_INITIALIZER;

struct attach_names {
	struct profile *profile;
	uint32_t *by_addr; /* [profile->n_locs] locations sorted by address */
	uint64_t *offset;  /* [profile->n_locs] offset of the address into its function; 0 if not known */
};

static int attach_names_compare(const void *a, const void *b, void *arg)
{
	const uint64_t *addr = arg;
	uint64_t x = addr[*(const uint32_t *)a], y = addr[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

/* Find the offset of each address of a mapping in its function, by the symbol that covers it. */
static void find_offsets(const struct profile *p, uint32_t map, const struct symbol_options *where, uint64_t *offset)
{
	const struct mapping *m = &p->map[map];
	struct object_map at = locate_map(p, m);
	struct object *o;
	const char *path;
	struct err err;

	assert(map < p->n_maps);
	if (locate_object(p, m, where, NULL, &o, &err) < 0)
		return;
	object_debug(o, where, NULL, &path); /* a stripped object may have its symbols in the debug file */
	for (uint32_t i = 0; i < p->n_locs; i++) {
		struct object_symbol sym;
		uint64_t base;

		if (p->loc_map[i] != map || p->loc_line[i] == p->loc_line[i + 1] ||
		    object_base(o, &at, p->loc_addr[i], &base, &err) < 0)
			continue;
		if (object_symbol_covering(o, p->loc_addr[i] - base, &sym))
			offset[i] = p->loc_addr[i] - base - sym.addr;
	}
	object_close(o);
}

/* Is the root folder of the process another one than ours, as in a container? root: its name. */
static bool has_other_root(pid_t pid, char root[32])
{
	struct stat ours, its;

	snprintf(root, 32, "/proc/%d/root", (int)pid);
	return stat("/", &ours) == 0 && stat(root, &its) == 0 &&
	       (ours.st_dev != its.st_dev || ours.st_ino != its.st_ino);
}

/* Find the file that a process has mapped, by the names of the kernel. Returns false if they cannot be read. */
static bool find_mapped_file(const struct profile *p, const struct mapping *m, pid_t pid, char path[64],
			     struct stat *file)
{
	static const char deleted[] = " (deleted)";
	const char *name = profile_text(p, m->file);
	char target[PATH_MAX];
	ssize_t n;

	snprintf(path, 64, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, m->start, m->limit);
	if (stat(path, file) == 0)
		return true;
	snprintf(path, 64, "/proc/%d/exe", (int)pid);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0 || stat(path, file) != 0)
		return false;
	target[n] = '\0';
	if ((size_t)n >= sizeof(deleted) && strcmp(target + n - (sizeof(deleted) - 1), deleted) == 0)
		target[n - (ssize_t)(sizeof(deleted) - 1)] = '\0';
	return strcmp(target, name) == 0;
}

/* Set the file of a mapping to a name of the kernel, if the path is not that of the mapped file. */
static void set_mapped_file(struct profile *p, struct mapping *m, pid_t pid)
{
	const char *name = profile_text(p, m->file);
	struct stat mapped, found;
	char path[64];

	if (*name != '/' || !find_mapped_file(p, m, pid, path, &mapped))
		return;
	if (stat(name, &found) != 0 || found.st_dev != mapped.st_dev || found.st_ino != mapped.st_ino)
		m->file = strtab_addz(p->str, path);
}

/* Set the files of mappings, where a report would not find them, to names below /proc/PID. */
static void set_process_files(struct profile *p, pid_t pid, const struct symbol_options *where)
{
	struct symbol_options in_root = *where;
	struct buf ignored = { 0 };
	char root[32];

	if (has_other_root(pid, root)) {
		in_root.binary_path = root;
		locate_mappings(p, &in_root, &ignored);
		buf_release(&ignored);
	}
	for (uint32_t i = 0; i < p->n_maps; i++)
		if (!starts_with(profile_text(p, p->map[i].file), "/proc/"))
			set_mapped_file(p, &p->map[i], pid);
}

/* Sources of binaries and debug files. */
struct names_options {
	bool use_servers; /* look up missing debug files with debuginfod */
	pid_t pid;        /* running process whose files are read; 0: none */
};

/*
 * Symbolize a profile.
 *
 * offset   [p->n_locs] out, zero-initialised: offsets into functions; NULL: not wanted
 */
static int attach_attach_names_symbolize(struct profile *p, const struct names_options *from, uint64_t *offset,
					 struct err *err)
{
	struct symbolize_result found = { 0 };
	struct symbol_options where;
	struct buf notes = { 0 };
	struct arena *mem;
	uint32_t n_named;
	int rc = jit_symbolize(p, NULL, &notes, &n_named, err);

	buf_release(&notes);
	if (rc < 0 || !symbolize_needed(p, false))
		return rc;
	mem = arena_new();
	symbol_options_init(&where, mem);
	if (!from->use_servers)
		where.servers = NULL;
	if (from->pid)
		set_process_files(p, from->pid, &where);
	rc = symbolize_local(p, &where, false, false, &found, err);
	if (rc == 0)
		names_demangle(p, DEMANGLE_DEFAULT, false);
	for (uint32_t i = 0; i < p->n_maps && rc == 0 && offset; i++)
		find_offsets(p, i, &where, offset);
	symbolize_result_release(&found);
	arena_free(mem);
	return rc;
}

static int attach_names_take(const struct snap *s, struct attach_names **out, struct err *err)
{
	struct profile *p;
	int rc = attach_snap_profile(s, NULL, NULL, &p, err);

	*out = NULL;
	if (rc < 0)
		return rc;
	*out = mem_zalloc(1, sizeof(**out));
	(*out)->profile = p;
	return 0;
}

/* Look up the addresses. */
static int attach_names_look_up(struct attach_names *n, const struct names_options *from, struct err *err)
{
	int rc;

	n->offset = mem_zalloc(n->profile->n_locs, sizeof(*n->offset));
	rc = attach_attach_names_symbolize(n->profile, from, n->offset, err);
	if (rc < 0)
		return rc;
	n->by_addr = mem_alloc(n->profile->n_locs, sizeof(*n->by_addr));
	for (uint32_t i = 0; i < n->profile->n_locs; i++)
		n->by_addr[i] = i;
	qsort_r(n->by_addr, n->profile->n_locs, sizeof(*n->by_addr), attach_names_compare, n->profile->loc_addr);
	return 0;
}

int attach_names_new(const struct snap *s, struct attach_names **out, struct err *err)
{
	struct process_info info;
	int rc = attach_names_take(s, out, err);

	if (rc < 0)
		return rc;
	process_info(s->p, &info);
	rc = attach_names_look_up(*out, &(struct names_options){ .use_servers = true, .pid = info.pid }, err);
	if (rc < 0) {
		attach_names_free(*out);
		*out = NULL;
	}
	return rc;
}

int attach_names_add_process(struct profile *p, pid_t pid, struct err *err)
{
	str_id *file = mem_alloc(p->n_maps, sizeof(*file));
	struct symbolize_result found = { 0 };
	struct arena *mem = arena_new();
	struct symbol_options where;
	int rc;

	symbol_options_init(&where, mem);
	where.servers = NULL;
	for (uint32_t i = 0; i < p->n_maps; i++)
		file[i] = p->map[i].file;
	set_process_files(p, pid, &where);
	for (uint32_t i = 0; i < p->n_maps; i++)
		if (p->map[i].file == file[i])
			p->map[i].file = 0; /* not to be looked up */
	rc = symbolize_local(p, &where, false, false, &found, err);
	for (uint32_t i = 0; i < p->n_maps; i++)
		p->map[i].file = file[i];
	symbolize_result_release(&found);
	arena_free(mem);
	free(file);
	return rc;
}

int attach_names_add_kernel(struct profile *p, struct err *err)
{
	struct arena *mem = arena_new();
	struct symbol_options where;
	int rc;

	symbol_options_init(&where, mem);
	where.servers = NULL;
	rc = symbolize_kernel(p, &where, err);
	arena_free(mem);
	return rc;
}

void attach_names_free(struct attach_names *n)
{
	if (!n)
		return;
	profile_free(n->profile);
	free(n->by_addr);
	free(n->offset);
	free(n);
}

struct names_address_key {
	const struct attach_names *n;
	uint64_t addr;
};

static bool attach_names_is_below(const void *arg, size_t i)
{
	const struct names_address_key *key = arg;

	return key->n->profile->loc_addr[key->n->by_addr[i]] < key->addr;
}

bool attach_names_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out)
{
	const struct attach_names *n = arg;
	const struct profile *f = n->profile;
	uint32_t first = (uint32_t)lower_bound(0, f->n_locs, attach_names_is_below,
					       &(struct names_address_key){ n, addr }),
		 line, loc;

	(void)p;
	(void)map;
	loc = first < f->n_locs ? n->by_addr[first] : 0;
	if (first == f->n_locs || f->loc_addr[loc] != addr || i >= f->loc_line[loc + 1] - f->loc_line[loc])
		return false;
	line = f->loc_line[loc] + i;
	assert(line < f->n_lines && f->line_func[line] < f->n_funcs);
	*out = (struct snap_name){ .line = (uint64_t)f->line_no[line], .offset = n->offset[loc] };
	out->function = profile_text(f, f->func_name[f->line_func[line]]);
	out->file = profile_text(f, f->func_file[f->line_func[line]]);
	if (!*out->file)
		out->file = NULL;
	return *out->function != '\0';
}

static int errno_of(const struct err *err)
{
	return err->code == ERR_LIMIT ? -EFBIG : -EIO;
}

void *attach_names_serve_take(void *arg, const struct snap *s)
{
	struct attach_names *n;
	struct err err;

	(void)arg;
	return attach_names_take(s, &n, &err) < 0 ? NULL : n;
}

int attach_names_serve_find(void *arg, void *names)
{
	struct err err;
	int rc;

	(void)arg;
	pthread_mutex_lock(&lookup_lock);
	rc = attach_names_look_up(names, &(struct names_options){ .use_servers = false }, &err);
	pthread_mutex_unlock(&lookup_lock);
	return rc < 0 ? errno_of(&err) : 0;
}

int attach_names_serve_write(void *arg, void *names, struct body *out)
{
	struct profile *p = ((struct attach_names *)names)->profile;
	struct buf packed = { 0 };
	struct err err;
	int rc;

	(void)arg;
	pthread_mutex_lock(&lookup_lock);
	rc = attach_attach_names_symbolize(p, &(struct names_options){ .use_servers = false }, NULL, &err);
	if (rc == 0)
		rc = pprof_write(p, 1, &packed, &err);
	pthread_mutex_unlock(&lookup_lock);
	rc = rc < 0 ? errno_of(&err) : body_append(out, packed.data, packed.len);
	buf_release(&packed);
	return rc;
}

void attach_names_serve_close(void *arg, void *names)
{
	(void)arg;
	attach_names_free(names);
}
