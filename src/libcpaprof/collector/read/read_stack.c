/*
 * read_stack.c - read the stack of a waiting thread from the memory of its process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most stacks are shallow, so only a small piece is copied first. A walk that reaches the end of the copy is repeated
 * with a larger piece, or with a piece of the other stack that it continues on: a handler that waits on the alternate
 * stack leads back to the stack of the thread.
 */
#include "config.h"

#include "libcpaprof/collector/read/maps.h"
#include "libcpaprof/collector/read/order.h"
#include "libcpaprof/collector/read/read_stack.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OBJECTS_MAX = 65536, TEXTS_MAX = 64 << 20, PAGE = 4096, CHUNK = 1 << 20, FILE_COPY_MAX = 512 << 20 };
enum { PIECE_SHIFT_MAX = 1 << 30 }; /* max difference between distances in memory and in the file */
enum { HEAD = 64 << 10, HEADS_MAX = 128, PIECE_MAX = 512 << 20, COPIES_MAX = 1 << 30 };
enum { SECTIONS_MAX = 256, FRAMES_BYTES_MAX = 64 << 20 };

/* The .eh_frame of a file without .eh_frame_hdr, as statically linked programs often are. Size 0: not needed. */
struct eh_section {
	uint64_t at, addr, size; /* addr: from the first address of the object */
};

struct space_object {
	uint64_t lo, hi, dev, ino; /* device and inode of the file; 0: no file */
	uint32_t path, n_path;
	bool has_code;  /* is part of it executable? */
	bool is_opened; /* is walk filled in? */
	bool is_cached; /* bytes belong to the cache */
	void *bytes;
	size_t size, n_copied;
	struct eh_section eh;
	void *table; /* a copy of .eh_frame, and a table of its functions; NULL: none */
	size_t n_table;
	struct unwind_object walk;
};

/* A file that was read: its identity and contents. */
struct cached_file {
	dev_t dev;
	ino_t ino;
	struct timespec mtime;
	size_t size;
	void *bytes;
	struct eh_section eh;
};

enum { CACHED_FILES_MAX = 4096 };

static const struct cached_file *find_cached(const struct file_cache *c, const struct stat *file)
{
	const struct cached_file *f = c->file.data;

	for (size_t i = 0; i < c->file.n; i++)
		if (f[i].ino == file->st_ino && f[i].dev == file->st_dev && (off_t)f[i].size == file->st_size &&
		    f[i].mtime.tv_sec == file->st_mtim.tv_sec && f[i].mtime.tv_nsec == file->st_mtim.tv_nsec)
			return &f[i];
	return NULL;
}

void file_cache_release(struct file_cache *c)
{
	const struct cached_file *f = c->file.data;

	for (size_t i = 0; i < c->file.n; i++)
		memory_unmap(f[i].bytes, f[i].size);
	vec_release(&c->file, sizeof(*f));
	*c = (struct file_cache){ 0 };
}

static bool is_denied(int error)
{
	return error == EPERM || error == EACCES || error == ENOSYS;
}

static ssize_t read_stack_read_file(struct address_space *r, uint64_t addr, void *to, size_t n)
{
	char name[32];

	if (r->mem < 0) {
		snprintf(name, sizeof(name), "/proc/%d/mem", (int)r->pid);
		r->mem = open(name, O_RDONLY | O_CLOEXEC);
	}
	return r->mem < 0 ? -1 : pread(r->mem, to, n, (off_t)addr);
}

/* Read with one system call; it may return fewer bytes than there are. */
static ssize_t read_some(struct address_space *r, uint64_t addr, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)addr, n };
	ssize_t got = r->mem < 0 ? process_vm_readv(r->pid, &here, 1, &there, 1, 0) : -1;

	if (got < 0 && (r->mem >= 0 || is_denied(errno)))
		got = read_stack_read_file(r, addr, to, n);
	return got;
}

size_t space_read(struct address_space *r, uint64_t addr, void *to, size_t n)
{
	size_t at = 0;

	while (at < n) {
		uint64_t from = addr + at, to_end = PAGE - from % PAGE;
		ssize_t got = read_some(r, from, (char *)to + at, n - at);

		/* if the kernel rejects a piece that is partly mapped, read up to the end of the page */
		if (got <= 0 && to_end < n - at)
			got = read_some(r, from, (char *)to + at, to_end);
		if (got <= 0)
			break;
		at += (size_t)got;
	}
	return at;
}

struct maps_reader {
	struct address_space *r;
	struct vec object, texts;
	bool is_full;
};

static void read_stack_add_object(struct maps_reader *l, const struct space_object *new, const char *path)
{
	struct space_object *o = vec_reserve(&l->object, 1, sizeof(*o), OBJECTS_MAX);
	char *text = vec_reserve(&l->texts, new->n_path + 1, 1, TEXTS_MAX);

	l->is_full = !o || !text;
	if (l->is_full)
		return;
	*o = *new;
	o->path = (uint32_t)l->texts.n;
	memcpy(text, path, new->n_path);
	text[new->n_path] = '\0';
	l->texts.n += new->n_path + 1;
	l->object.n++;
}

/*
 * Is this mapping a piece of the last object? Programs may map parts of their own file again, far away: Node does so
 * with its built-in functions, and generated code is in between.
 */
static bool is_next_piece(const struct space_object *last, const struct space_object *new, uint64_t offset,
			  bool is_data)
{
	return new->ino && last->ino == new->ino && last->dev == new->dev && (offset || is_data) &&
	       new->lo - offset - last->lo < PIECE_SHIFT_MAX;
}

/* The pieces of an object are consecutive; the first has offset 0. */
static bool read_stack_add_line(void *arg, const char *line)
{
	struct maps_reader *l = arg;
	struct space_object new = { 0 },
			    *last = l->object.n ? (struct space_object *)l->object.data + l->object.n - 1 : NULL;
	struct maps_line is;

	if (!maps_parse_line(line, &is) || (!is.ino && strcmp(is.path, "[vdso]") != 0))
		return true;
	new = (struct space_object){ .lo = is.start, .hi = is.limit, .dev = is.dev, .ino = is.ino };
	new.has_code = is.perm[2] == 'x';
	new.n_path = (uint32_t)strlen(is.path);
	if (last && is_next_piece(last, &new, is.offset, is.perm[1] == 'w')) {
		last->hi = is.limit;
		last->has_code |= new.has_code;
	} else {
		read_stack_add_object(l, &new, is.path);
	}
	return !l->is_full;
}

static void close_object(struct address_space *r, struct space_object *o)
{
	if (!o->is_cached)
		memory_unmap(o->bytes, o->size);
	memory_unmap(o->table, o->n_table);
	o->table = NULL;
	o->eh = (struct eh_section){ 0 };
	r->n_copied -= o->n_copied;
	o->bytes = NULL;
	o->n_copied = 0;
	o->is_cached = false;
}

/* Account for n more copied bytes. Returns false above the limit. A process can map any number of large deleted files.
 * */
static bool read_stack_count_bytes(struct address_space *r, struct space_object *o, uint64_t n)
{
	if (n > COPIES_MAX - r->n_copied)
		return false;
	r->n_copied += n;
	o->n_copied += n;
	return true;
}

static bool read_stack_is_same(const struct space_object *a, const struct space_object *b)
{
	return a->lo == b->lo && a->hi == b->hi && a->ino == b->ino && a->dev == b->dev;
}

/* Move opened objects that are still mapped to the new list, and close the others. */
static void keep_opened(struct maps_reader *l)
{
	struct space_object *old = l->r->object.data, *new = l->object.data;
	size_t k = 0;

	for (size_t i = 0; i < l->r->object.n; i++) {
		while (k < l->object.n && new[k].lo < old[i].lo)
			k++;
		if (old[i].is_opened && k < l->object.n && read_stack_is_same(&new[k], &old[i])) {
			new[k].is_opened = true;
			new[k].bytes = old[i].bytes;
			new[k].is_cached = old[i].is_cached;
			new[k].size = old[i].size;
			new[k].table = old[i].table;
			new[k].n_table = old[i].n_table;
			new[k].walk = old[i].walk;
			new[k].n_copied = old[i].n_copied;
		} else {
			close_object(l->r, &old[i]);
		}
	}
}

int space_read_maps_file(struct address_space *r, pid_t pid, int fd)
{
	struct maps_reader l = { .r = r };

	space_close_files(r);
	r->pid = pid;
	if (!maps_read_lines(fd, read_stack_add_line, &l))
		return -ESRCH;
	keep_opened(&l);
	vec_release(&r->object, sizeof(struct space_object));
	vec_release(&r->texts, 1);
	r->object = l.object;
	r->texts = l.texts;
	return 0;
}

int space_read_maps(struct address_space *r, pid_t pid)
{
	char name[32];
	int fd, rc;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	rc = space_read_maps_file(r, pid, fd);
	close(fd);
	return rc;
}

bool space_has_file(const struct address_space *r, dev_t dev, ino_t ino)
{
	const struct space_object *o = r->object.data;

	for (size_t i = 0; i < r->object.n; i++)
		if (o[i].ino == ino && o[i].dev == dev)
			return true;
	return false;
}

static bool read_piece(struct address_space *r, struct space_object *o, int fd, uint64_t at, uint64_t n)
{
	if (at > o->size || n > o->size - at || !read_stack_count_bytes(r, o, n))
		return false;
	return pread(fd, (char *)o->bytes + at, n, (off_t)at) == (ssize_t)n;
}

/* Find .eh_frame by the section headers. first: lowest address of the segments. */
static void find_eh_frame(struct space_object *o, int fd, const Elf64_Ehdr *head, uint64_t first)
{
	static const char wanted[] = ".eh_frame";
	Elf64_Shdr sh[SECTIONS_MAX];
	char name[sizeof(wanted)];
	size_t n = head->e_shnum;

	if (head->e_shentsize != sizeof(*sh) || n > SECTIONS_MAX || head->e_shstrndx >= n ||
	    head->e_shoff > INT64_MAX ||
	    pread(fd, sh, n * sizeof(*sh), (off_t)head->e_shoff) != (ssize_t)(n * sizeof(*sh)))
		return;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = sh[head->e_shstrndx].sh_offset + sh[i].sh_name;

		if (sh[i].sh_type == SHT_NOBITS || !(sh[i].sh_flags & SHF_ALLOC) || sh[i].sh_addr < first ||
		    sh[i].sh_size > FRAMES_BYTES_MAX || at > INT64_MAX ||
		    pread(fd, name, sizeof(name), (off_t)at) != sizeof(name) || memcmp(name, wanted, sizeof(name)) != 0)
			continue;
		o->eh = (struct eh_section){ sh[i].sh_offset, sh[i].sh_addr - first, sh[i].sh_size };
		return;
	}
}

ORDER_BY(read_stack_by_start, struct unwind_function, start, start)

/* Append the functions to o->table at the address o->walk.hdr, sorted. */
static void sort_functions(struct space_object *o, const struct unwind_function *function, uint32_t n)
{
	uint32_t *order = order_make(n, read_stack_by_start, function);
	struct unwind_function *to = (struct unwind_function *)((char *)o->table + (o->walk.hdr - o->walk.eh_lo));

	for (uint32_t i = 0; order && i < n; i++)
		to[i] = function[order[i]];
	cpi_unwind_set_table(&o->walk, order ? n : 0);
	order_free(order, n);
}

/* Make the table that a file lacks. */
static void make_table(struct address_space *r, struct space_object *o)
{
	enum { FDE_SIZE_MIN = 16 };
	size_t n_frames = (o->eh.size + 7) & ~(size_t)7, n_max = o->eh.size / FDE_SIZE_MIN,
	       size = n_frames + n_max * sizeof(struct unwind_function);
	struct unwind_function *function;

	if (n_max == 0 || o->eh.size > o->size || o->eh.at > o->size - o->eh.size || o->eh.size > o->hi - o->lo ||
	    o->eh.addr > o->hi - o->lo - o->eh.size || !read_stack_count_bytes(r, o, size))
		return;
	o->n_table = size;
	o->table = memory_map(size);
	function = o->table ? memory_map(n_max * sizeof(*function)) : NULL;
	if (!function)
		return;
	memcpy(o->table, (char *)o->bytes + o->eh.at, o->eh.size);
	o->walk.eh = o->table;
	o->walk.eh_lo = o->walk.frame = o->lo + o->eh.addr;
	o->walk.hdr = o->walk.eh_lo + n_frames;
	o->walk.eh_hi = o->walk.eh_lo + size;
	sort_functions(o, function, cpi_unwind_list(&o->walk, function, (uint32_t)n_max));
	memory_unmap(function, n_max * sizeof(*function));
}

/*
 * Read the parts of a file that walks need: header, code and call frame information. The file is read, not mapped,
 * because access beyond the end of a file that shrinks is fatal. Code of very large files stays zeros, so guessed
 * return addresses are not found in it.
 */
static bool read_object(struct address_space *r, struct space_object *o, int fd)
{
	Elf64_Ehdr head;
	Elf64_Phdr ph[HEADS_MAX];
	uint64_t eh = UINT64_MAX, first = UINT64_MAX, n_ph;

	if (o->size < sizeof(head) || !read_piece(r, o, fd, 0, o->size < HEAD ? o->size : HEAD))
		return false;
	memcpy(&head, o->bytes, sizeof(head));
	n_ph = head.e_phnum * sizeof(*ph);
	if (head.e_phentsize != sizeof(*ph) || head.e_phnum > HEADS_MAX || !read_piece(r, o, fd, head.e_phoff, n_ph))
		return false;
	memcpy(ph, (char *)o->bytes + head.e_phoff, n_ph);
	for (int i = 0; i < head.e_phnum; i++) {
		if (ph[i].p_type == PT_GNU_EH_FRAME)
			eh = ph[i].p_offset;
		if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr < first)
			first = ph[i].p_vaddr;
	}
	if (eh == UINT64_MAX)
		find_eh_frame(o, fd, &head, first);
	if (o->eh.size && !read_piece(r, o, fd, o->eh.at, o->eh.size))
		return false;
	for (int i = 0; i < head.e_phnum; i++) {
		bool is_eh = eh >= ph[i].p_offset && eh - ph[i].p_offset < ph[i].p_filesz;

		if (ph[i].p_type == PT_LOAD && (is_eh || ph[i].p_flags & PF_X) &&
		    (is_eh || ph[i].p_filesz <= PIECE_MAX) && !read_piece(r, o, fd, ph[i].p_offset, ph[i].p_filesz))
			return false;
	}
	return true;
}

/* Pass the contents of a file to the cache, unless it is full. */
static void add_cached(struct address_space *r, struct space_object *o, const struct stat *file)
{
	struct file_cache *c = r->cache;
	const struct cached_file new = { file->st_dev, file->st_ino, file->st_mtim, o->size, o->bytes, o->eh };

	if (!c || o->n_copied > COPIES_MAX - c->n_bytes || !vec_add(&c->file, &new, 1, sizeof(new), CACHED_FILES_MAX))
		return;
	c->n_bytes += o->n_copied;
	r->n_copied -= o->n_copied;
	o->n_copied = 0;
	o->is_cached = true;
}

static bool read_or_find(struct address_space *r, struct space_object *o, int fd, const struct stat *file)
{
	const struct cached_file *cached = r->cache ? find_cached(r->cache, file) : NULL;

	o->size = (size_t)file->st_size;
	if (cached) {
		o->bytes = cached->bytes;
		o->eh = cached->eh;
		o->is_cached = true;
		return true;
	}
	o->bytes = memory_map(o->size);
	if (!o->bytes || !read_object(r, o, fd))
		return false;
	add_cached(r, o, file);
	return true;
}

/* Open a path if it is the mapped file. Returns -1 if it is not. */
static int open_mapped(const struct space_object *o, const char *path, struct stat *file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && fstat(fd, file) == 0 && S_ISREG(file->st_mode) && file->st_dev == o->dev &&
	    file->st_ino == o->ino && file->st_size > 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Open the mapped file in the root folder of the process, which may be in a container; an executable also if deleted. */
static int open_in_root(const struct address_space *r, const struct space_object *o, const char *path,
			struct stat *file)
{
	char name[PATH_MAX + 32];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/root%s", (int)r->pid, path);
	fd = open_mapped(o, name, file);
	snprintf(name, sizeof(name), "/proc/%d/exe", (int)r->pid);
	return fd < 0 ? open_mapped(o, name, file) : fd;
}

/* Open the file, if it is still the mapped one. */
static bool read_stack_open_file(struct address_space *r, struct space_object *o, const char *path)
{
	struct stat file;
	int fd = *path == '/' ? open_mapped(o, path, &file) : -1;
	bool good;

	if (fd < 0 && *path == '/')
		fd = open_in_root(r, o, path, &file);
	good = fd >= 0 && read_or_find(r, o, fd, &file);
	if (fd >= 0)
		close(fd);
	if (!good || !cpi_unwind_object_init_sig(o->bytes, o->size, false, o->lo, o->hi, 0, &o->walk))
		return false;
	if (o->eh.size)
		make_table(r, o);
	return o->walk.eh;
}

/* Copy the vDSO of this process: the kernel maps the same one into all processes. */
static void copy_own_vdso(struct space_object *o)
{
	struct iovec here = { o->bytes, o->size }, there = { (void *)getauxval(AT_SYSINFO_EHDR), o->size };

	if (there.iov_base && process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0)
		memset(o->bytes, 0, o->size);
}

/*
 * Copy the object from memory; what cannot be read is zeros. Memory may be forbidden while samples are permitted
 * (kernel.yama.ptrace_scope).
 */
static void copy_object(struct address_space *r, struct space_object *o)
{
	uint64_t n = o->hi - o->lo, at = 0, n_read = 0;

	close_object(r, o);
	o->bytes = n <= FILE_COPY_MAX && read_stack_count_bytes(r, o, n) ? memory_map(n) : NULL;
	if (!o->bytes)
		return;
	o->size = n;
	while (at < n) {
		uint64_t part = n - at < CHUNK ? n - at : CHUNK;
		size_t got = space_read(r, o->lo + at, (char *)o->bytes + at, part);

		at = got ? at + got : (at / PAGE + 1) * PAGE;
		n_read += got;
	}
	if (n_read == 0 && !o->ino)
		copy_own_vdso(o);
	cpi_unwind_object_init_sig(o->bytes, n, true, o->lo, o->hi, 0, &o->walk);
}

static bool read_stack_begins_before_or_at(const void *row, uint64_t pc)
{
	return ((const struct space_object *)row)->lo <= pc;
}

const struct unwind_object *space_find(void *arg, uint64_t pc, struct unwind_object *room)
{
	struct address_space *r = arg;
	struct space_object *o = r->object.data;
	size_t lo = vec_bound(&r->object, sizeof(*o), read_stack_begins_before_or_at, pc);

	(void)room;
	if (lo == 0 || pc >= o[lo - 1].hi || !o[lo - 1].has_code)
		return NULL;
	o += lo - 1;
	if (!o->is_opened) {
		o->is_opened = true;
		o->walk = (struct unwind_object){ .lo = o->lo, .hi = o->hi, .table_enc = 0xff };
		if (!o->ino || !read_stack_open_file(r, o, (const char *)r->texts.data + o->path))
			copy_object(r, o);
	}
	return &o->walk;
}

void space_close_files(struct address_space *r)
{
	if (r->mem >= 0)
		close(r->mem);
	r->mem = -1;
}

void space_release(struct address_space *r)
{
	struct space_object *o = r->object.data;

	for (size_t i = 0; i < r->object.n; i++)
		close_object(r, &o[i]);
	vec_release(&r->object, sizeof(*o));
	vec_release(&r->texts, 1);
	if (r->mem >= 0)
		close(r->mem);
	*r = (struct address_space){ .mem = -1 };
}

enum { RULES = 4096, FIRST = 8 << 10, STEP = 8, TRIES = 8 };

struct stack_copy {
	struct stack_reader *p;
	struct unwind_range range[READ_STACK_RANGES];
	size_t requested[READ_STACK_RANGES];
	uint32_t n;
};

/* Copy n bytes to range i. Returns false if the range is not larger than before. */
static bool read_stack_copy(struct stack_copy *w, uint32_t i, uint64_t lo, size_t n)
{
	struct stack_reader *p = w->p;
	uint64_t before = w->range[i].hi - w->range[i].lo;
	size_t got;

	if (!p->copy[i])
		p->copy[i] = memory_map(READ_STACK_BYTES_MAX);
	if (!p->copy[i] || n > READ_STACK_BYTES_MAX)
		return false;
	got = space_read(&p->space, lo, p->copy[i], n);
	w->range[i] = (struct unwind_range){ lo, lo + got, p->copy[i] };
	w->requested[i] = n;
	return got > before;
}

/* Copy more of the stack for a walk that needs memory at sp or above. */
static bool copy_more(struct stack_copy *w, uint64_t sp)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (sp >= w->range[i].lo && sp < w->range[i].hi)
			return w->range[i].hi - w->range[i].lo == w->requested[i] &&
			       read_stack_copy(w, i, w->range[i].lo, w->requested[i] * STEP);
	if (w->n == READ_STACK_RANGES || !read_stack_copy(w, w->n, sp, FIRST))
		return false;
	w->n++;
	return true;
}

struct unwind_cache *read_stack_cache(struct stack_reader *p)
{
	if (!p->cache.rule)
		p->cache.rule = memory_map(RULES * sizeof(*p->cache.rule));
	p->cache.mask = RULES - 1;
	return p->cache.rule ? &p->cache : NULL;
}

uint32_t read_stack_at(struct stack_reader *p, uint64_t ip, uint64_t sp, uint64_t *pc, uint32_t max,
		       enum unwind_end *end)
{
	struct stack_copy w = { .p = p };
	struct unwind_source from = { .range = w.range, .find = space_find, .arg = &p->space };
	struct unwind_result result = { .end = UNWIND_OUTSIDE };
	struct unwind_regs regs;

	from.cache = read_stack_cache(p);
	regs.r[UNWIND_SP] = sp;
	for (int i = 0; i < TRIES && result.end == UNWIND_OUTSIDE; i++) {
		if (!copy_more(&w, regs.r[UNWIND_SP]) && i > 0)
			break;
		from.n_ranges = w.n;
		cpi_unwind_regs_of_pc_sp_sig(ip, sp, &regs);
		cpi_unwind_walk_sig(&from, &regs, pc, max, &result);
	}
	for (uint32_t i = 1; i < result.n; i++)
		pc[i]--;
	*end = result.end;
	return result.n;
}

void read_stack_release(struct stack_reader *p)
{
	for (int i = 0; i < READ_STACK_RANGES; i++)
		memory_unmap(p->copy[i], READ_STACK_BYTES_MAX);
	memory_unmap(p->cache.rule, RULES * sizeof(*p->cache.rule));
	space_release(&p->space);
	*p = (struct stack_reader){ .space.mem = -1 };
}
