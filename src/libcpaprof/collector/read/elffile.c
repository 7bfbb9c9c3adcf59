/*
 * elffile.c - the symbols of an ELF file, and the mapping from memory addresses to its addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything is read by offset into our own memory, and every size has a limit.
 */
#include "config.h"

#include "libcpaprof/collector/read/elffile.h"

#include "libcpaprof/collector/read/maps.h"
#include "libcpaprof/target/segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SECTIONS_MAX = 1 << 16, TABLE_MAX = 256 << 20, NOTE_MAX = 4096 };

/* The source of the bytes: a file, or the memory of a process. */
struct elffile_source {
	int fd; /* -1: memory */
	pid_t pid;
	uint64_t memory, size;
};

static bool elffile_read_at(const struct elffile_source *s, uint64_t at, void *to, size_t n)
{
	size_t done = 0;

	if (at > s->size || n > s->size - at)
		return false;
	if (s->fd < 0) {
		struct iovec here = { to, n }, there = { (void *)(uintptr_t)(s->memory + at), n };

		return process_vm_readv(s->pid, &here, 1, &there, 1, 0) == (ssize_t)n;
	}
	while (done < n) {
		ssize_t got = pread(s->fd, (uint8_t *)to + done, n - done, (off_t)(at + done));

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* Read n bytes at an offset into new memory, and add a NUL. *size: the size to unmap. */
static void *read_new(const struct elffile_source *s, uint64_t at, uint64_t n, size_t *size)
{
	void *to;

	if (n == 0 || n > TABLE_MAX || at > s->size || n > s->size - at)
		return NULL;
	*size = (size_t)n + 1;
	to = memory_map(*size);
	if (to && elffile_read_at(s, at, to, (size_t)n))
		return to;
	memory_unmap(to, *size);
	return NULL;
}

static bool elffile_read_head(const struct elffile_source *s, Elf64_Ehdr *h)
{
	static const uint8_t magic[] = {
		ELFMAG0, ELFMAG1,    ELFMAG2,
		ELFMAG3, ELFCLASS64, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB
	};

	return elffile_read_at(s, 0, h, sizeof(*h)) && memcmp(h->e_ident, magic, sizeof(magic)) == 0 &&
	       h->e_phentsize == sizeof(Elf64_Phdr) && h->e_shentsize == sizeof(Elf64_Shdr) &&
	       h->e_phnum <= ELFFILE_SEGMENTS_MAX;
}

/*
 * Compare the build id in the notes of a segment with hex, n_hex hexadecimal digits. Returns false only if there is a
 * build id that differs. *found is set if there is a build id.
 */
static bool elffile_has_id(const struct elffile_source *s, const Elf64_Phdr *notes, const char *hex, uint32_t n_hex,
			   bool *found)
{
	size_t n = notes->p_filesz < NOTE_MAX ? (size_t)notes->p_filesz : NOTE_MAX;
	uint8_t data[NOTE_MAX], id[MODULE_ID_MAX];
	char got[2 * MODULE_ID_MAX + 1] = "";
	uint32_t n_id;

	if (!elffile_read_at(s, notes->p_offset, data, n))
		return true;
	n_id = maps_find_id(data, n, id);
	*found |= n_id > 0;
	for (uint32_t i = 0; i < n_id; i++)
		snprintf(got + 2 * i, 3, "%02x", id[i]);
	return !n_id || (strlen(got) == n_hex && memcmp(got, hex, n_hex) == 0);
}

/* Read the segments. Returns false if the file differs from the mapped file. */
static bool read_segments(struct elffile *f, const struct elffile_source *s, const Elf64_Ehdr *h, const char *id,
			  uint32_t n_id)
{
	bool found = false;

	if (!elffile_read_at(s, h->e_phoff, f->segment, h->e_phnum * sizeof(*f->segment)))
		return false;
	f->n_segments = h->e_phnum;
	for (uint32_t i = 0; i < f->n_segments && n_id && !found; i++)
		if (f->segment[i].p_type == PT_NOTE && !elffile_has_id(s, &f->segment[i], id, n_id, &found))
			return false;
	return found || !n_id;
}

static bool read_symbols(struct elffile *f, const struct elffile_source *s, const Elf64_Ehdr *h)
{
	size_t size;
	Elf64_Shdr *section = h->e_shnum ? read_new(s, h->e_shoff, h->e_shnum * sizeof(*section), &size) : NULL;
	const Elf64_Shdr *is = NULL;

	for (uint32_t i = 0; section && i < h->e_shnum; i++)
		if (section[i].sh_type == SHT_SYMTAB || (section[i].sh_type == SHT_DYNSYM && !is))
			is = &section[i];
	if (is && is->sh_link < h->e_shnum && is->sh_entsize == sizeof(Elf64_Sym)) {
		const Elf64_Shdr *texts = &section[is->sh_link];

		f->n_symbols = (size_t)(is->sh_size / sizeof(Elf64_Sym));
		f->n_texts = (size_t)texts->sh_size;
		f->symbols = read_new(s, is->sh_offset, f->n_symbols * sizeof(Elf64_Sym), &f->symbols_size);
		f->texts = read_new(s, texts->sh_offset, texts->sh_size, &f->texts_size);
	}
	if (section)
		memory_unmap(section, size);
	return f->symbols && f->texts;
}

static bool elffile_read_all(struct elffile *f, const struct elffile_source *s, const char *id, uint32_t n_id)
{
	Elf64_Ehdr h;

	return elffile_read_head(s, &h) && read_segments(f, s, &h, id, n_id) && read_symbols(f, s, &h);
}

bool elffile_read(struct elffile *f, pid_t pid, const struct maps *maps, const struct map *m)
{
	const char *texts = maps->texts.data, *id = texts + m->id;
	static const char vdso[] = "[vdso]";
	struct elffile_source s = { .fd = -1 };
	char path[MODULE_PATH_MAX + 1];
	struct stat file;
	bool good;

	if (m->n_path == sizeof(vdso) - 1 && memcmp(texts + m->path, vdso, m->n_path) == 0) {
		s.pid = pid;
		s.memory = m->start;
		s.size = m->limit - m->start;
		return elffile_read_all(f, &s, id, m->n_id);
	}
	if (m->n_path == 0 || m->n_path > MODULE_PATH_MAX || texts[m->path] != '/')
		return false;
	memcpy(path, texts + m->path, m->n_path);
	path[m->n_path] = '\0';
	s.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (s.fd < 0)
		return false;
	good = fstat(s.fd, &file) == 0 && S_ISREG(file.st_mode);
	s.size = good ? (uint64_t)file.st_size : 0;
	good = good && elffile_read_all(f, &s, id, m->n_id);
	close(s.fd);
	return good;
}

bool elffile_address(const struct elffile *f, const struct map *m, uint64_t addr, uint64_t *out)
{
	uint64_t offset = addr - m->start + m->offset;

	for (uint32_t i = 0; i < f->n_segments; i++) {
		const Elf64_Phdr *s = &f->segment[i];

		if (s->p_type == PT_LOAD && s->p_flags & PF_X && offset >= s->p_offset &&
		    offset - s->p_offset < s->p_filesz) {
			*out = offset - s->p_offset + s->p_vaddr;
			return true;
		}
	}
	return false;
}

void elffile_release(struct elffile *f)
{
	memory_unmap(f->symbols, f->symbols_size);
	memory_unmap(f->texts, f->texts_size);
	*f = (struct elffile){ 0 };
}
