/*
 * maps.c - the mapped code of a process, and the files it comes from
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/read/maps.h"

#include "libcpaprof/collector/read/task.h"

#include "libcpaprof/target/segment.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { HEADS_MAX = 64, NOTES_MAX = 4096 };

#define KERNEL_START UINT64_C(0xffff800000000000) /* lowest address of the kernel, on x86-64 and aarch64 */

static bool maps_read_memory(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

uint32_t maps_find_id(const uint8_t *at, size_t n, uint8_t *id)
{
	while (n >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		size_t name, size;

		memcpy(&note, at, sizeof(note));
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		size = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		at += sizeof(note);
		n -= sizeof(note);
		if (name > n || size > n - name)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && name == 4 && memcmp(at, "GNU", 4) == 0) {
			if (note.n_descsz > MODULE_ID_MAX)
				return 0;
			memcpy(id, at + name, note.n_descsz);
			return note.n_descsz;
		}
		at += name + size;
		n -= name + size;
	}
	return 0;
}

/*
 * Read the build id of the object at start from memory, which works for replaced and deleted files, too.
 *
 * id      [MODULE_ID_MAX] out
 * Returns its length; 0 if there is none, or the memory cannot be read
 */
static uint32_t build_id_read(pid_t pid, uint64_t start, uint8_t *id)
{
	uint8_t notes[NOTES_MAX];
	ElfW(Phdr) head[HEADS_MAX];
	ElfW(Ehdr) elf;
	uint64_t first = 0;
	uint32_t n = 0;

	if (!maps_read_memory(pid, start, &elf, sizeof(elf)) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf.e_phentsize != sizeof(head[0]) || elf.e_phnum > HEADS_MAX ||
	    !maps_read_memory(pid, start + elf.e_phoff, head, elf.e_phnum * sizeof(head[0])))
		return 0;
	for (int i = elf.e_phnum - 1; i >= 0; i--)
		if (head[i].p_type == PT_LOAD && head[i].p_offset == 0)
			first = head[i].p_vaddr;
	for (int i = 0; i < elf.e_phnum && n == 0; i++)
		if (head[i].p_type == PT_NOTE && head[i].p_filesz <= NOTES_MAX &&
		    maps_read_memory(pid, start + head[i].p_vaddr - first, notes, head[i].p_filesz))
			n = maps_find_id(notes, head[i].p_filesz, id);
	return n;
}

enum { CHANGES_COMPACT = 8192, CHANGES_MAX = 1 << 20, SEARCH_STEPS_MAX = 64 << 20 };
enum { MAPS_MAX = 65536, RANGES_MAX = 4 * MAPS_MAX, TEXTS_MAX = 16 << 20, LINE_MAX_LEN = 8192 };

/* Append a text. Returns its offset, or 0 with *n = 0 if there is no room. */
static uint32_t collector_maps_add_text(struct maps *m, const void *text, uint32_t *n)
{
	uint32_t at = (uint32_t)m->texts.n;

	if (vec_add(&m->texts, text, *n, 1, TEXTS_MAX))
		return at;
	*n = 0;
	return 0;
}

static bool ends_before_or_at(const void *row, uint64_t addr)
{
	return ((const struct address_range *)row)->limit <= addr;
}

/* The index of the first range that ends after an address. */
static size_t first_range_after(const struct maps *m, uint64_t addr)
{
	return vec_bound(&m->range, sizeof(struct address_range), ends_before_or_at, addr);
}

/* The index + 1 of the newest mapping that contains an address; 0: none. */
static uint32_t maps_find_newest(const struct maps *m, uint64_t addr)
{
	const struct address_range *range = m->range.data;
	size_t i = first_range_after(m, addr);

	return i < m->range.n && addr >= range[i].start ? range[i].map + 1 : 0;
}

/* Insert the newest mapping into the ranges, and cut the ranges that it overlaps. Returns false if there is no room. */
static bool insert_range(struct maps *m)
{
	const struct map *new = (const struct map *)m->map.data + m->map.n - 1;
	struct address_range *range = vec_reserve(&m->range, 2, sizeof(*range), RANGES_MAX), put[3];
	size_t lo, hi, n = 0;

	if (!range)
		return false;
	range = m->range.data;
	lo = hi = first_range_after(m, new->start);
	if (lo < m->range.n && range[lo].start < new->start)
		put[n++] = (struct address_range){ range[lo].start, new->start, range[lo].map };
	put[n++] = (struct address_range){ new->start, new->limit, (uint32_t)m->map.n - 1 };
	while (hi < m->range.n && range[hi].start < new->limit)
		hi++;
	if (hi > lo && range[hi - 1].limit > new->limit)
		put[n++] = (struct address_range){ new->limit, range[hi - 1].limit, range[hi - 1].map };
	memmove(range + lo + n, range + hi, (m->range.n - hi) * sizeof(*range));
	memcpy(range + lo, put, n * sizeof(*range));
	m->range.n += n - (hi - lo);
	return true;
}

/*
 * A generation before the first known change gets the mapping of that change: code can run (constructors do) before the
 * process reports its mapping.
 */
uint32_t maps_find_contested(struct maps *m, uint64_t addr, uint32_t generation)
{
	uint32_t i = m->has_contested ? maps_find_newest(m, addr) : 0, best = i;
	const struct map *map = m->map.data;
	const struct map_change *change = m->change.data;

	if (!i || !map[i - 1].is_contested)
		return 0;
	for (size_t e = m->change.n; e > 0 && m->n_steps < SEARCH_STEPS_MAX; e--, m->n_steps++) {
		const struct map *at = &map[change[e - 1].map];

		if (addr < at->start || addr >= at->limit)
			continue;
		best = change[e - 1].map + 1;
		if (change[e - 1].since <= generation)
			break;
	}
	return best;
}

uint32_t maps_find(struct maps *m, uint64_t addr)
{
	uint32_t i = maps_find_contested(m, addr, UINT32_MAX);

	return i ? i : maps_find_newest(m, addr);
}

/* Remove changes that are older than any record, except the last change of each mapping. */
static void compact_changes(struct maps *m)
{
	size_t size = m->map.n * sizeof(uint32_t), n = 0;
	uint32_t *last = memory_map(size);
	struct map_change *change = m->change.data;

	for (size_t i = 0; last && i < m->change.n; i++)
		last[change[i].map] = (uint32_t)i;
	for (size_t i = 0; last && i < m->change.n; i++)
		if (last[change[i].map] == i || m->generation - change[i].since < RECORD_GENERATIONS)
			change[n++] = change[i];
	m->change.n = last ? n : m->change.n / 2;
	memory_unmap(last, size);
}

static void maps_add_change(struct maps *m, uint32_t since, uint32_t map)
{
	const struct map_change change = { .since = since, .map = map };

	if (m->change.n >= CHANGES_COMPACT && m->change.n % CHANGES_COMPACT == 0)
		compact_changes(m);
	vec_add(&m->change, &change, 1, sizeof(change), CHANGES_MAX);
}

/*
 * Insert the newest mapping, and mark it and the mappings that it overlaps as contested. Mappings that are hidden by
 * later ones are marked already. Returns false if there is no room.
 */
static bool insert_mapping(struct maps *m, uint32_t since)
{
	struct map *map = m->map.data, *new = &map[m->map.n - 1];
	const struct address_range *range = m->range.data;

	for (size_t i = first_range_after(m, new->start); i < m->range.n && range[i].start < new->limit; i++) {
		struct map *old = &map[range[i].map];

		if (!old->is_contested)
			maps_add_change(m, 0, range[i].map);
		old->is_contested = new->is_contested = m->has_contested = true;
	}
	if (!insert_range(m))
		return false;
	if (new->is_contested)
		maps_add_change(m, since, (uint32_t)m->map.n - 1);
	return true;
}

/* Is mapping i - 1 the same piece of the same file? The paths may differ if the build ids are equal. */
static bool maps_is_known(const struct maps *m, uint32_t i, const struct map *new, const char *path, const char *id,
			  uint32_t n_id)
{
	const struct map *old;
	const char *texts = m->texts.data;

	if (!i)
		return false;
	old = (const struct map *)m->map.data + i - 1;
	if (old->start != new->start || old->limit != new->limit || old->offset != new->offset)
		return false;
	if (n_id && old->n_id)
		return old->n_id == n_id && memcmp(texts + old->id, id, n_id) == 0;
	if (old->n_path != new->n_path)
		return false;
	return memcmp(texts + old->path, path, new->n_path) == 0;
}

/*
 * Add a mapping, unless it exists.
 *
 * new     addresses, offset and length of the path
 * Returns its index + 1; 0 if there is no room
 */
static uint32_t maps_add(struct maps *m, const struct map *new, const char *path, const uint8_t *id, uint32_t n_id,
			 uint32_t since)
{
	static const char digit[] = "0123456789abcdef";
	uint32_t i_known = maps_find(m, new->start);
	char hex[2 * MODULE_ID_MAX];
	struct map *map;

	for (uint32_t i = 0; i < n_id; i++) {
		hex[2 * i] = digit[id[i] >> 4];
		hex[2 * i + 1] = digit[id[i] & 15];
	}
	if (new->start >= new->limit)
		return 0;
	if (maps_is_known(m, i_known, new, path, hex, 2 * n_id))
		return i_known;
	map = vec_reserve(&m->map, 1, sizeof(*map), MAPS_MAX);
	if (!map)
		return 0;
	*map = *new;
	map->n_id = 2 * n_id;
	map->path = collector_maps_add_text(m, path, &map->n_path);
	map->id = collector_maps_add_text(m, hex, &map->n_id);
	m->map.n++;
	if (insert_mapping(m, since))
		return (uint32_t)m->map.n;
	m->map.n--;
	return 0;
}

/* Record that the module with this number is mapped at its old address again. */
static void maps_restore(struct maps *m, uint32_t number, uint32_t since)
{
	uint32_t i = m->number[number];
	const struct map *map = m->map.data;

	if (i && map[i - 1].is_contested && maps_find(m, map[i - 1].start) != i)
		maps_add_change(m, since, i - 1);
}

static void read_link(pid_t pid, const char *name, char out[ROOT_PATH_MAX])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/%s", (int)pid, name);
	n = readlink(link, out, ROOT_PATH_MAX);
	out[n > 1 && n < ROOT_PATH_MAX ? n : 0] = '\0'; /* the path / means the same root as ours */
}

void maps_set_root(struct maps *m, pid_t pid)
{
	read_link(pid, "root", m->root);
	read_link(pid, "exe", m->program);
}

/* Write the path of a reported module as seen from our root. Returns its length. */
static uint32_t outer_path(const struct maps *m, const char *path, uint32_t n, char out[MODULE_PATH_MAX])
{
	size_t n_root = n && *path == '/' ? strlen(m->root) : 0;

	if (n == 0 && m->map.n == 0) { /* the executable comes first */
		path = m->program;
		n = (uint32_t)strlen(path);
	}
	if (n_root + n > MODULE_PATH_MAX)
		n_root = 0;
	memcpy(out, m->root, n_root);
	memcpy(out + n_root, path, n);
	return (uint32_t)n_root + n;
}

/* Read a module of at most `max` bytes. Returns its size, or 0 if it is invalid. */
static uint32_t read_module(struct maps *m, const uint8_t *data, uint32_t max, uint32_t to_end)
{
	const uint8_t *id = data + sizeof(struct segment_module);
	struct segment_module h = { 0 };
	char path[MODULE_PATH_MAX];
	uint32_t n_path;

	memcpy(&h, data, 8);
	if (h.size < 8 || h.size > max || h.size > to_end)
		return 0;
	if (h.n_id == MODULE_PAD)
		return h.size == to_end ? to_end : 0;
	if (h.size < sizeof(h) || h.size % 8)
		return 0;
	memcpy((uint8_t *)&h + 8, data + 8, sizeof(h) - 8);
	if (h.n_id > MODULE_ID_MAX || h.n_path > MODULE_PATH_MAX || sizeof(h) + h.n_id + h.n_path > h.size ||
	    h.number > MODULES_NUMBERED)
		return 0;
	if (h.start < h.limit) {
		n_path = outer_path(m, (const char *)id + h.n_id, h.n_path, path);
		m->number[h.number] = maps_add(
			m, &(struct map){ .start = h.start, .limit = h.limit, .offset = h.offset, .n_path = n_path },
			path, id, h.n_id, h.since);
		maps_restore(m, h.number, h.since);
	} else if (h.number) {
		maps_restore(m, h.number, h.since);
	}
	return h.size;
}

void maps_add_modules(struct maps *m, const uint8_t *ring, uint32_t from, uint32_t to)
{
	while (from != to) {
		uint32_t at = from % MODULES_MAX, n;

		/* skip the rest after an invalid module */
		n = to - from <= MODULES_MAX && at % 8 == 0 ? read_module(m, ring + at, to - from, MODULES_MAX - at)
							    : 0;
		if (n == 0)
			return;
		from += n;
	}
}

/* The last mapping of the start of a file, where its build id is. */
struct base {
	uint64_t start;
	char path[LINE_MAX_LEN];
};

bool maps_parse_line(const char *line, struct maps_line *out)
{
	unsigned major_dev, minor_dev;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &out->start, &out->limit,
		   out->perm, &out->offset, &major_dev, &minor_dev, &out->ino, &at) < 7)
		return false;
	out->dev = makedev(major_dev, minor_dev);
	out->path = line + at;
	return true;
}

bool maps_read_lines(int fd, bool (*fn)(void *arg, const char *line), void *arg)
{
	char buf[LINE_MAX_LEN + 1];
	bool more = true, any = false;
	size_t have = 0;
	ssize_t got;

	while (more && (got = read(fd, buf + have, LINE_MAX_LEN - have)) > 0) {
		char *line = buf, *end;

		any = true;
		have += (size_t)got;
		buf[have] = '\0';
		for (; more && (end = memchr(line, '\n', have - (size_t)(line - buf))); line = end + 1) {
			*end = '\0';
			more = fn(arg, line);
		}
		have -= (size_t)(line - buf);
		memmove(buf, line, have);
		if (have == LINE_MAX_LEN) /* no valid line is that long */
			have = 0;
	}
	return any;
}

/* Call fn for each line of /proc/PID/maps until it returns false. Returns false and sets errno if it cannot be read. */
static bool maps_each_line(pid_t pid, bool (*fn)(void *arg, const char *line), void *arg)
{
	char name[32];
	bool any;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	any = maps_read_lines(fd, fn, arg);
	close(fd);
	/* the file of a zombie process is empty */
	if (!any)
		errno = ESRCH;
	return any;
}

struct maps_loader {
	struct maps *m;
	pid_t pid;
	struct base base;
};

static bool maps_add_line(void *arg, const char *line)
{
	static const char deleted[] = " (deleted)", vdso[] = "[vdso]";
	struct maps_loader *a = arg;
	struct maps_line l;
	struct map new;
	uint8_t id[MODULE_ID_MAX];
	uint32_t n_id = 0;
	const char *path;
	size_t n;

	if (!maps_parse_line(line, &l))
		return true;
	new = (struct map){ .start = l.start, .limit = l.limit, .offset = l.offset };
	path = strpbrk(l.path, "/[");
	path = path ? path : "//anon";
	n = strlen(path);
	if (n > sizeof(deleted) - 1 && strcmp(path + n - (sizeof(deleted) - 1), deleted) == 0)
		n -= sizeof(deleted) - 1;
	if (n > MODULE_PATH_MAX)
		n = MODULE_PATH_MAX;
	if (new.offset == 0 && n < sizeof(a->base.path)) {
		a->base.start = new.start;
		memcpy(a->base.path, path, n);
		a->base.path[n] = '\0';
	}
	if (l.perm[2] != 'x' || strncmp(path, "[vsyscall]", 10) == 0)
		return true;
	new.n_path = (uint32_t)n;
	if (n == sizeof(vdso) - 1 && memcmp(path, vdso, n) == 0)
		n_id = build_id_read(a->pid, new.start, id);
	else if (*path == '/' && path[1] != '/' && strlen(a->base.path) == n && memcmp(a->base.path, path, n) == 0)
		n_id = build_id_read(a->pid, a->base.start, id);
	maps_add(a->m, &new, path, id, n_id, a->m->generation);
	return true;
}

void maps_add_live(struct maps *m, pid_t pid)
{
	struct maps_loader a = { .m = m, .pid = pid };

	maps_each_line(pid, maps_add_line, &a);
}

void maps_add_text(struct maps *m, pid_t pid, int fd)
{
	struct maps_loader a = { .m = m, .pid = pid };

	maps_read_lines(fd, maps_add_line, &a);
}

void maps_add_kernel(struct maps *m, uint64_t start)
{
	static const char name[] = "[kernel.kallsyms]_stext"; /* as perf names it */
	struct map new = { .start = start ? start : KERNEL_START, .limit = UINT64_MAX, .n_path = sizeof(name) - 1 };
	char notes[NOTES_MAX];
	uint8_t id[MODULE_ID_MAX];
	ssize_t n = task_read_file(AT_FDCWD, "/sys/kernel/notes", notes, sizeof(notes));

	maps_add(m, &new, name, id, n > 0 ? maps_find_id((const uint8_t *)notes, (size_t)n, id) : 0, m->generation);
}

struct file_search {
	char wanted[48];
	bool found;
};

/* Compare only the fields before the path, which can contain any text. */
static bool maps_find_file(void *arg, const char *line)
{
	struct file_search *l = arg;

	for (int i = 0; i < 3 && line; i++) {
		line = strchr(line, ' ');
		line = line ? line + 1 : NULL;
	}
	l->found = line && strncmp(line, l->wanted, strlen(l->wanted)) == 0;
	return !l->found;
}

enum maps_has maps_has_file(pid_t pid, dev_t dev, ino_t ino)
{
	struct file_search l = { .found = false };

	snprintf(l.wanted, sizeof(l.wanted), "%02x:%02x %llu ", major(dev), minor(dev), (unsigned long long)ino);
	if (!maps_each_line(pid, maps_find_file, &l))
		return MAPS_GONE;
	return l.found ? MAPS_YES : MAPS_NO;
}

void maps_copy(struct maps *m, const struct maps *from)
{
	m->has_contested = from->has_contested;
	m->generation = from->generation;
	memcpy(m->number, from->number, sizeof(m->number));
	if (!vec_copy(&m->map, &from->map, sizeof(struct map)) ||
	    !vec_copy(&m->range, &from->range, sizeof(struct address_range)) || !vec_copy(&m->texts, &from->texts, 1) ||
	    !vec_copy(&m->change, &from->change, sizeof(struct map_change)))
		maps_release(m);
}

void maps_release(struct maps *m)
{
	vec_release(&m->map, sizeof(struct map));
	vec_release(&m->range, sizeof(struct address_range));
	vec_release(&m->texts, 1);
	vec_release(&m->change, sizeof(struct map_change));
	m->has_contested = false;
	memset(m->number, 0, sizeof(m->number));
}
