/*
 * copied_stacks.c - unwind stacks that a recording of perf contains as copies
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The unwinder reads mappings in the form of /proc/PID/maps, so that is made from the mappings of the recording: one line
 * per binary, for all of it. Recordings often have only the executable part of a binary.
 */
#include "config.h"

#include "attach/copied_stacks.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "libcpaprof/collector/read/read_stack.h"
#include "symbol/kernel.h"
#include "symbol/locate.h"
#include "symbol/object.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PAGE = 4096, SEGMENTS_MAX = 128, REGS_MAX = 64 };

/* A binary, as a mapping of it was searched. */
struct copied_binary {
	str_id file, build_id; /* with offset and size: of the mapping */
	uint64_t offset, size;
	char *path; /* NULL: not found, or not a binary for this machine */
	uint64_t dev, ino;
	bool is_fixed;      /* its addresses do not depend on the mapping */
	uint64_t at;        /* its first address; not is_fixed: relative to the start of the mapping */
	uint64_t n_address; /* bytes of memory */
};

struct copied_stacks {
	const struct symbol_options *w;
	struct format_unwinder unwinder;
	struct file_cache files;
	struct copied_binary *binary;
	size_t n, cap;
	struct idtab by_mapping;
};

/* A line of /proc/PID/maps to be made. */
struct copied_line {
	uint64_t lo, hi;
	const struct copied_binary *binary; /* NULL: the vDSO */
};

/* Find the range of addresses in a file: first and n_address. */
static bool copied_read_segments(int fd, struct copied_binary *b)
{
	Elf64_Ehdr head;
	Elf64_Phdr ph[SEGMENTS_MAX];
	uint64_t lo = UINT64_MAX, hi = 0;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(*ph) || head.e_phnum > SEGMENTS_MAX || head.e_phoff > INT64_MAX ||
	    pread(fd, ph, head.e_phnum * sizeof(*ph), (off_t)head.e_phoff) != (ssize_t)(head.e_phnum * sizeof(*ph)))
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD || ph[i].p_memsz > UINT64_MAX - PAGE - ph[i].p_vaddr)
			continue;
		lo = ph[i].p_vaddr / PAGE * PAGE < lo ? ph[i].p_vaddr / PAGE * PAGE : lo;
		hi = ph[i].p_vaddr + ph[i].p_memsz > hi ? ph[i].p_vaddr + ph[i].p_memsz : hi;
	}
	b->is_fixed = head.e_type == ET_EXEC;
	b->at = lo;
	b->n_address = (hi + PAGE - 1) / PAGE * PAGE - lo;
	return lo < hi;
}

/* Search the binary of a mapping; b->path stays NULL if there is none. */
static void copied_search(const struct copied_stacks *c, const struct profile *p, const struct mapping *m,
			  struct copied_binary *b)
{
	struct mapping copy = *m;
	struct profile one = { .str = p->str, .map = &copy, .n_maps = 1 };
	struct buf notes = { 0 };
	struct object *o = NULL;
	struct object_map map;
	struct stat st;
	uint64_t base;

	locate_mappings(&one, c->w, &notes);
	buf_release(&notes);
	map = locate_map(&one, &copy);
	if (locate_object(&one, &copy, c->w, NULL, &o, NULL) == 0 && object_fd(o) >= 0 &&
	    object_base(o, &map, m->start, &base, NULL) == 0 && copied_read_segments(object_fd(o), b) &&
	    fstat(object_fd(o), &st) == 0 && !strchr(object_path(o), '\n')) {
		b->path = mem_strndup(object_path(o), strlen(object_path(o)));
		b->dev = st.st_dev;
		b->ino = st.st_ino;
		b->at += b->is_fixed ? 0 : base - m->start;
	}
	object_close(o);
}

/* The binary of a mapping, searched once. The result is valid until the next call. */
static const struct copied_binary *copied_binary_of(struct copied_stacks *c, const struct profile *p,
						    const struct mapping *m)
{
	struct copied_binary new = {
		.file = m->file, .build_id = m->build_id, .offset = m->offset, .size = m->limit - m->start
	};
	uint64_t words[] = { (uint64_t)m->file << 32 | m->build_id, m->offset, new.size };
	uint64_t h = hash_bytes(words, sizeof(words));
	uint32_t i;

	for (size_t pos = idtab_start(&c->by_mapping, h); idtab_next(&c->by_mapping, h, &pos, &i);) {
		const struct copied_binary *b = &c->binary[i];

		if (b->file == m->file && b->build_id == m->build_id && b->offset == m->offset && b->size == new.size)
			return b;
	}
	copied_search(c, p, m, &new);
	c->binary = mem_grow(c->binary, &c->cap, c->n + 1, sizeof(new));
	idtab_put(&c->by_mapping, h, (uint32_t)c->n);
	c->binary[c->n++] = new;
	return &c->binary[c->n - 1];
}

static int copied_compare_lines(const void *a, const void *b)
{
	const struct copied_line *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Write the lines, sorted and without overlaps, to a file in memory. Returns its descriptor, or -1. */
static int copied_write_lines(struct copied_line *line, size_t n)
{
	struct buf text = { 0 };
	int fd = memfd_create("maps", MFD_CLOEXEC);

	qsort(line, n, sizeof(*line), copied_compare_lines);
	for (size_t i = 0; i < n; i++) {
		uint64_t hi = i + 1 < n && line[i + 1].lo < line[i].hi ? line[i + 1].lo : line[i].hi;
		const struct copied_binary *b = line[i].binary;

		if (hi <= line[i].lo)
			continue;
		buf_addf(&text, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 ", line[i].lo, hi);
		if (b)
			buf_addf(&text, "%x:%x %" PRIu64 " %s\n", major(b->dev), minor(b->dev), b->ino, b->path);
		else
			buf_addz(&text, "00:00 0 [vdso]\n");
	}
	if (fd >= 0 && (io_write_fd(fd, buf_text(&text), text.len, NULL) < 0 || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		fd = -1;
	}
	buf_release(&text);
	return fd;
}

static void copied_stacks_close(void *arg, void *space)
{
	(void)arg;
	read_stack_release(space);
	free(space);
}

static void *copied_stacks_open(void *arg, const struct profile *p, const struct mapping *map, size_t n)
{
	struct copied_stacks *c = arg;
	struct copied_line *line = mem_alloc(n + 1, sizeof(*line));
	struct stack_reader *reader = mem_zalloc(1, sizeof(*reader));
	size_t n_lines = 0;
	int fd;

	for (size_t i = 0; i < n; i++)
		copied_binary_of(c, p, &map[i]); /* c->binary does not move below */
	for (size_t i = 0; i < n; i++) {
		const char *file = profile_text(p, map[i].file);
		const struct copied_binary *b = copied_binary_of(c, p, &map[i]);
		uint64_t lo = b->is_fixed ? b->at : map[i].start + b->at;

		if (vdso_is_name(file))
			line[n_lines++] = (struct copied_line){ map[i].start, map[i].limit, NULL };
		else if (b->path && b->n_address <= UINT64_MAX - lo)
			line[n_lines++] = (struct copied_line){ lo, lo + b->n_address, b };
	}
	reader->space = (struct address_space){ .cache = &c->files, .mem = -1 };
	fd = copied_write_lines(line, n_lines);
	free(line);
	if (fd < 0 || (n_lines && space_read_maps_file(&reader->space, 0, fd) < 0)) {
		copied_stacks_close(c, reader);
		reader = NULL;
	}
	if (fd >= 0)
		close(fd);
	return reader;
}

/* Pick the registers that the unwinder needs. Returns false if one is missing. */
static bool copied_registers(const struct format_stack_copy *s, uint64_t *to)
{
	uint64_t needed = read_stack_event_regs(), bit;
	unsigned from = 0, n = 0;

	for (unsigned i = 0; i < REGS_MAX; i++) {
		bit = UINT64_C(1) << i;
		if (needed & bit) {
			if (!(s->mask & bit))
				return false;
			to[n++] = s->reg[from];
		}
		from += !!(s->mask & bit);
	}
	return true;
}

static size_t copied_stacks_walk(void *arg, void *space, const struct format_stack_copy *s, uint64_t *pc, size_t max,
				 bool *is_whole)
{
	uint64_t reg[REGS_MAX];
	struct stack_sample sample = { .reg = reg, .stack = s->stack, .n_stack = s->n_stack };
	enum unwind_end end;
	uint32_t n, n_guessed;

	(void)arg;
	if (!copied_registers(s, reg))
		return 0;
	n = read_stack_of_sample(space, &sample, pc, (uint32_t)max, &n_guessed, &end);
	*is_whole = end == UNWIND_ROOT || end == UNWIND_FULL || end == UNWIND_OUTSIDE;
	return n;
}

struct copied_stacks *copied_stacks_new(const struct symbol_options *w, const struct format_unwinder **out)
{
	struct copied_stacks *c = mem_zalloc(1, sizeof(*c));

	c->w = w;
	c->unwinder = (struct format_unwinder){
		.arg = c, .open = copied_stacks_open, .close = copied_stacks_close, .walk = copied_stacks_walk
	};
	idtab_init(&c->by_mapping, 16);
	*out = &c->unwinder;
	return c;
}

void copied_stacks_free(struct copied_stacks *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->binary[i].path);
	free(c->binary);
	idtab_release(&c->by_mapping);
	file_cache_release(&c->files);
	free(c);
}
