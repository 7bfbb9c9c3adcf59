/*
 * maps.c - what code a process has mapped, and where that code is from
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/maps.h"

#include "libcpaprof/target/segment.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
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

static bool peek(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

static uint32_t find_id(const uint8_t *at, size_t n, uint8_t *id)
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
 * Read the build id of the object that is loaded at start, from memory, so that a file that was
 * replaced or deleted does not matter.
 *
 * id      [MODULE_ID_MAX] out
 * Gives   its length; 0 when there is none, or the memory may not be read
 */
static uint32_t build_id_read(pid_t pid, uint64_t start, uint8_t *id)
{
	uint8_t notes[NOTES_MAX];
	ElfW(Phdr) head[HEADS_MAX];
	ElfW(Ehdr) elf;
	uint64_t first = 0;
	uint32_t n = 0;

	if (!peek(pid, start, &elf, sizeof(elf)) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf.e_phentsize != sizeof(head[0]) || elf.e_phnum > HEADS_MAX ||
	    !peek(pid, start + elf.e_phoff, head, elf.e_phnum * sizeof(head[0])))
		return 0;
	for (int i = elf.e_phnum - 1; i >= 0; i--)
		if (head[i].p_type == PT_LOAD && head[i].p_offset == 0)
			first = head[i].p_vaddr;
	for (int i = 0; i < elf.e_phnum && n == 0; i++)
		if (head[i].p_type == PT_NOTE && head[i].p_filesz <= NOTES_MAX &&
		    peek(pid, start + head[i].p_vaddr - first, notes, head[i].p_filesz))
			n = find_id(notes, head[i].p_filesz, id);
	return n;
}

enum { ERAS_MANY = 8192, ERAS_MAX = 1 << 20, ERA_STEPS_MAX = 64 << 20 };
enum { MAPS_MAX = 65536, SPANS_MAX = 4 * MAPS_MAX, TEXTS_MAX = 16 << 20, LINE_MAX_LEN = 8192 };

/* Keep a text; ids as hexadecimal. Gives where it is, 0 with *n = 0 when there is no room. */
static uint32_t keep_text(struct maps *m, const void *text, uint32_t *n)
{
	char *to = vec_room(&m->texts, *n, 1, TEXTS_MAX);
	uint32_t at = (uint32_t)m->texts.n;

	if (!to) {
		*n = 0;
		return 0;
	}
	memcpy(to, text, *n);
	m->texts.n += *n;
	return at;
}

static bool ends_before_or_at(const void *row, uint64_t addr)
{
	return ((const struct map_span *)row)->limit <= addr;
}

/* The first span that ends after an address. */
static size_t span_behind(const struct maps *m, uint64_t addr)
{
	return vec_bound(&m->span, sizeof(struct map_span), ends_before_or_at, addr);
}

/* What was added last. */
static uint32_t find_last(const struct maps *m, uint64_t addr)
{
	const struct map_span *span = m->span.data;
	size_t i = span_behind(m, addr);

	return i < m->span.n && addr >= span[i].start ? span[i].map + 1 : 0;
}

/* The last mapping takes its place, from whatever was there: at most the rest of two spans stays beside it. */
static bool add_span(struct maps *m)
{
	const struct map *new = (const struct map *)m->map.data + m->map.n - 1;
	struct map_span *span = vec_room(&m->span, 2, sizeof(*span), SPANS_MAX), put[3];
	size_t lo, hi, n = 0;

	if (!span)
		return false;
	span = m->span.data;
	lo = hi = span_behind(m, new->start);
	if (lo < m->span.n && span[lo].start < new->start)
		put[n++] = (struct map_span){ span[lo].start, new->start, span[lo].map };
	put[n++] = (struct map_span){ new->start, new->limit, (uint32_t)m->map.n - 1 };
	while (hi < m->span.n && span[hi].start < new->limit)
		hi++;
	if (hi > lo && span[hi - 1].limit > new->limit)
		put[n++] = (struct map_span){ new->limit, span[hi - 1].limit, span[hi - 1].map };
	memmove(span + lo + n, span + hi, (m->span.n - hi) * sizeof(*span));
	memcpy(span + lo, put, n * sizeof(*span));
	m->span.n += n - (hi - lo);
	return true;
}

/*
 * Before all that is known of an address comes what was mapped first: code runs (as constructors do) before
 * the process tells that it is there.
 */
uint32_t maps_find_contested(struct maps *m, uint64_t addr, uint32_t generation)
{
	uint32_t i = m->contested ? find_last(m, addr) : 0, best = i;
	const struct map *map = m->map.data;
	const struct era *era = m->era.data;

	if (!i || !map[i - 1].contested)
		return 0;
	for (size_t e = m->era.n; e > 0 && m->n_steps < ERA_STEPS_MAX; e--, m->n_steps++) {
		const struct map *at = &map[era[e - 1].map];

		if (addr < at->start || addr >= at->limit)
			continue;
		best = era[e - 1].map + 1;
		if (era[e - 1].since <= generation)
			break;
	}
	return best;
}

uint32_t maps_find(struct maps *m, uint64_t addr)
{
	uint32_t i = maps_find_contested(m, addr, UINT32_MAX);

	return i ? i : find_last(m, addr);
}

/* Forget what was so long ago that no record can be of it, but for the last of each mapping. */
static void forget_eras(struct maps *m)
{
	size_t size = m->map.n * sizeof(uint32_t), n = 0;
	uint32_t *last = memory_map(size);
	struct era *era = m->era.data;

	for (size_t i = 0; last && i < m->era.n; i++)
		last[era[i].map] = (uint32_t)i;
	for (size_t i = 0; last && i < m->era.n; i++)
		if (last[era[i].map] == i || m->now - era[i].since < RECORD_GENERATIONS)
			era[n++] = era[i];
	m->era.n = last ? n : m->era.n / 2;
	memory_unmap(last, size);
}

static void add_era(struct maps *m, uint32_t since, uint32_t map)
{
	struct era *era;

	if (m->era.n >= ERAS_MANY && m->era.n % ERAS_MANY == 0)
		forget_eras(m);
	era = vec_room(&m->era, 1, sizeof(*era), ERAS_MAX);
	if (!era)
		return;
	*era = (struct era){ .since = since, .map = map };
	m->era.n++;
}

/*
 * The last one is new: is it where others are, or were? Of those that are hidden by later ones there it is
 * known already. False when there is no room for it.
 */
static bool contest(struct maps *m, uint32_t since)
{
	struct map *map = m->map.data, *new = &map[m->map.n - 1];
	const struct map_span *span = m->span.data;

	for (size_t i = span_behind(m, new->start); i < m->span.n && span[i].start < new->limit; i++) {
		struct map *old = &map[span[i].map];

		if (!old->contested)
			add_era(m, 0, span[i].map);
		old->contested = new->contested = m->contested = true;
	}
	if (!add_span(m))
		return false;
	if (new->contested)
		add_era(m, since, (uint32_t)m->map.n - 1);
	return true;
}

/* Is what is at this place now the same piece of a file? The path may be another way to it. */
static bool is_known(const struct maps *m, uint32_t i, const struct map *new, const char *path, const char *id,
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
 * new: addresses, offset and the length of the path. What is there already is not added again.
 * Gives its index + 1, 0 when there is no room.
 */
static uint32_t add(struct maps *m, const struct map *new, const char *path, const uint8_t *id, uint32_t n_id,
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
	if (is_known(m, i_known, new, path, hex, 2 * n_id))
		return i_known;
	map = vec_room(&m->map, 1, sizeof(*map), MAPS_MAX);
	if (!map)
		return 0;
	*map = *new;
	map->n_id = 2 * n_id;
	map->path = keep_text(m, path, &map->n_path);
	map->id = keep_text(m, hex, &map->n_id);
	m->map.n++;
	if (contest(m, since))
		return (uint32_t)m->map.n;
	m->map.n--;
	return 0;
}

/* What had this number is back where it was. */
static void add_again(struct maps *m, uint32_t number, uint32_t since)
{
	uint32_t i = m->number[number];
	const struct map *map = m->map.data;

	if (i && map[i - 1].contested && maps_find(m, map[i - 1].start) != i)
		add_era(m, since, i - 1);
}

/* One of at most most bytes. Gives its size, 0 when it is none. */
static uint32_t take_module(struct maps *m, const uint8_t *data, uint32_t most, uint32_t to_end)
{
	const uint8_t *id = data + sizeof(struct segment_module);
	struct segment_module h = { 0 };

	memcpy(&h, data, 8);
	if (h.size < 8 || h.size > most || h.size > to_end)
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
		m->number[h.number] = add(
			m, &(struct map){ .start = h.start, .limit = h.limit, .offset = h.offset, .n_path = h.n_path },
			(const char *)id + h.n_id, id, h.n_id, h.since);
		add_again(m, h.number, h.since);
	} else if (h.number) {
		add_again(m, h.number, h.since);
	}
	return h.size;
}

void maps_take_modules(struct maps *m, const uint8_t *ring, uint32_t from, uint32_t to)
{
	while (from != to) {
		uint32_t at = from % MODULES_MAX, n;

		/* what makes no sense ends it: all that is there is skipped */
		n = to - from <= MODULES_MAX && at % 8 == 0 ? take_module(m, ring + at, to - from, MODULES_MAX - at)
							    : 0;
		if (n == 0)
			return;
		from += n;
	}
}

/* What is mapped from the start of a file, for its build id. */
struct base {
	uint64_t start;
	char path[LINE_MAX_LEN];
};

static size_t hex(const char **p, uint64_t *out)
{
	size_t n = 0;

	for (*out = 0; n < 16; n++, ++*p) {
		char c = **p;
		int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (d < 0)
			break;
		*out = *out << 4 | (uint64_t)d;
	}
	return n;
}

/* START-LIMIT PERM OFFSET DEV INODE   PATH */
static void take_line(struct maps *m, pid_t pid, const char *line, struct base *base)
{
	static const char deleted[] = " (deleted)", vdso[] = "[vdso]";
	const char *p = line, *path;
	struct map new = { 0 };
	uint8_t id[MODULE_ID_MAX];
	char perm[5] = "";
	uint32_t n_id = 0;
	size_t n;

	if (!hex(&p, &new.start) || *p++ != '-' || !hex(&p, &new.limit) || *p++ != ' ' || strlen(p) < 5)
		return;
	memcpy(perm, p, 4);
	p += 5;
	if (!hex(&p, &new.offset))
		return;
	path = strpbrk(p, "/[");
	path = path ? path : "//anon";
	n = strlen(path);
	if (n > sizeof(deleted) - 1 && strcmp(path + n - (sizeof(deleted) - 1), deleted) == 0)
		n -= sizeof(deleted) - 1;
	if (n > MODULE_PATH_MAX)
		n = MODULE_PATH_MAX;
	if (new.offset == 0 && n < sizeof(base->path)) {
		base->start = new.start;
		memcpy(base->path, path, n);
		base->path[n] = '\0';
	}
	if (perm[2] != 'x' || strncmp(path, "[vsyscall]", 10) == 0)
		return;
	new.n_path = (uint32_t)n;
	if (n == sizeof(vdso) - 1 && memcmp(path, vdso, n) == 0)
		n_id = build_id_read(pid, new.start, id);
	else if (*path == '/' && path[1] != '/' && strlen(base->path) == n && memcmp(base->path, path, n) == 0)
		n_id = build_id_read(pid, base->start, id);
	add(m, &new, path, id, n_id, m->now);
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
		if (have == LINE_MAX_LEN) /* no line is so long */
			have = 0;
	}
	return any;
}

bool maps_each_line(pid_t pid, bool (*fn)(void *arg, const char *line), void *arg)
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
	/* one that has ended and was not waited for has a file without lines */
	if (!any)
		errno = ESRCH;
	return any;
}

struct adding {
	struct maps *m;
	pid_t pid;
	struct base base;
};

static bool add_line(void *arg, const char *line)
{
	struct adding *a = arg;

	take_line(a->m, a->pid, line, &a->base);
	return true;
}

void maps_add_live(struct maps *m, pid_t pid)
{
	struct adding a = { .m = m, .pid = pid };

	maps_each_line(pid, add_line, &a);
}

void maps_add_text(struct maps *m, pid_t pid, int fd)
{
	struct adding a = { .m = m, .pid = pid };

	maps_read_lines(fd, add_line, &a);
}

struct looking {
	char what[48];
	bool found;
};

/* A path may say anything, so only the fields in front of it are looked at. */
static bool find_file(void *arg, const char *line)
{
	struct looking *l = arg;

	for (int i = 0; i < 3 && line; i++) {
		line = strchr(line, ' ');
		line = line ? line + 1 : NULL;
	}
	l->found = line && strncmp(line, l->what, strlen(l->what)) == 0;
	return !l->found;
}

enum maps_has maps_has_file(pid_t pid, dev_t dev, ino_t ino)
{
	struct looking l = { .found = false };

	snprintf(l.what, sizeof(l.what), "%02x:%02x %llu ", major(dev), minor(dev), (unsigned long long)ino);
	if (!maps_each_line(pid, find_file, &l))
		return MAPS_GONE;
	return l.found ? MAPS_YES : MAPS_NO;
}

static bool copy(struct vec *to, const struct vec *from, size_t size, size_t most)
{
	void *p = from->n ? vec_room(to, from->n, size, most) : NULL;

	if (!p)
		return from->n == 0;
	memcpy(p, from->data, from->n * size);
	to->n = from->n;
	return true;
}

void maps_copy(struct maps *m, const struct maps *from)
{
	m->contested = from->contested;
	m->now = from->now;
	memcpy(m->number, from->number, sizeof(m->number));
	if (!copy(&m->map, &from->map, sizeof(struct map), MAPS_MAX) ||
	    !copy(&m->span, &from->span, sizeof(struct map_span), SPANS_MAX) ||
	    !copy(&m->texts, &from->texts, 1, TEXTS_MAX) || !copy(&m->era, &from->era, sizeof(struct era), ERAS_MAX))
		maps_release(m);
}

void maps_release(struct maps *m)
{
	vec_release(&m->map, sizeof(struct map));
	vec_release(&m->span, sizeof(struct map_span));
	vec_release(&m->texts, 1);
	vec_release(&m->era, sizeof(struct era));
	m->contested = false;
	memset(m->number, 0, sizeof(m->number));
}
