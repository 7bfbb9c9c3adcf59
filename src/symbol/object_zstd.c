/*
 * object_zstd.c - DWARF sections compressed with zstd
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libelf reads them since 0.189; Debian 12 has 0.188. So the file is copied to memory with these sections inflated.
 * From System V gABI, "Section Compression"; the type of zstd is not in every elf.h.
 */
#include "config.h"

#include "symbol/object_int.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/zstd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TYPE_ZSTD = 2, INFLATE_PIECE = 1 << 17, SECTION_ALIGN = 16 };
#define INFLATED_MAX (4ULL << 30)

/* A section, the bytes after its compression header, and where its section header is in the file. */
struct zstd_section {
	const uint8_t *bytes;
	size_t n;
	uint64_t inflated;
	size_t header_at;
};

/* Read the compression header of a section. Returns false if zstd does not compress it. */
static bool zstd_section_read(const struct object_file *f, const GElf_Shdr *sh, bool is_64, struct zstd_section *out)
{
	size_t all, size = is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	const uint8_t *file = object_file_bytes(f, &all);
	Elf64_Chdr c64;
	Elf32_Chdr c32;

	if (!(sh->sh_flags & SHF_COMPRESSED) || sh->sh_type == SHT_NOBITS || !file || sh->sh_offset > all ||
	    sh->sh_size > all - sh->sh_offset || sh->sh_size < size)
		return false;
	memcpy(&c64, file + sh->sh_offset, is_64 ? sizeof(c64) : 0);
	memcpy(&c32, file + sh->sh_offset, is_64 ? 0 : sizeof(c32));
	out->bytes = file + sh->sh_offset + size;
	out->n = sh->sh_size - size;
	out->inflated = is_64 ? c64.ch_size : c32.ch_size;
	return (is_64 ? c64.ch_type : c32.ch_type) == TYPE_ZSTD;
}

/* Append the inflated bytes of a section to a file. Returns false if they are not as many as its header says. */
static bool zstd_section_inflate(const struct zstd *z, const struct zstd_section *s, int fd)
{
	uint8_t *piece = mem_alloc(INFLATE_PIECE, 1);
	ZSTD_DStream *stream = z->createDStream();
	ZSTD_inBuffer in = { s->bytes, s->n, 0 };
	uint64_t total = 0;
	bool good = stream != NULL;
	size_t rc = 1;

	while (good && rc != 0) {
		ZSTD_outBuffer out = { piece, INFLATE_PIECE, 0 };

		rc = z->decompressStream(stream, &out, &in);
		total += out.pos;
		good = !z->isError(rc) && total <= s->inflated && (out.pos || in.pos < in.size || rc == 0) &&
		       io_write_fd(fd, piece, out.pos, NULL) == 0;
	}
	z->freeDStream(stream);
	free(piece);
	return good && total == s->inflated;
}

/* Let a section header refer to inflated bytes at an offset of the file. */
static bool zstd_section_refer(const struct zstd_section *s, bool is_64, uint64_t at, int fd)
{
	Elf64_Shdr h64;
	Elf32_Shdr h32;

	if (is_64) {
		if (pread(fd, &h64, sizeof(h64), (off_t)s->header_at) != sizeof(h64))
			return false;
		h64.sh_flags &= ~(Elf64_Xword)SHF_COMPRESSED;
		h64.sh_offset = at;
		h64.sh_size = s->inflated;
		h64.sh_addralign = 1;
		return pwrite(fd, &h64, sizeof(h64), (off_t)s->header_at) == sizeof(h64);
	}
	if (pread(fd, &h32, sizeof(h32), (off_t)s->header_at) != sizeof(h32) || at + s->inflated > UINT32_MAX)
		return false;
	h32.sh_flags &= ~(Elf32_Word)SHF_COMPRESSED;
	h32.sh_offset = (Elf32_Off)at;
	h32.sh_size = (Elf32_Word)s->inflated;
	h32.sh_addralign = 1;
	return pwrite(fd, &h32, sizeof(h32), (off_t)s->header_at) == sizeof(h32);
}

/* Copy the file to memory with inflated sections. Returns its descriptor, -1 on failure. */
static int zstd_sections_inflate(const struct object_file *f, const struct zstd_section *s, size_t n, bool is_64)
{
	const struct zstd *z;
	size_t all;
	const uint8_t *file = object_file_bytes(f, &all);
	int fd = zstd_load(&z, NULL) == 0 ? memfd_create("inflated", MFD_CLOEXEC) : -1;
	bool good = fd >= 0 && io_write_fd(fd, file, all, NULL) == 0;

	for (size_t i = 0; i < n && good; i++) {
		off_t end = lseek(fd, 0, SEEK_END);
		off_t at = end < 0 ? -1 : lseek(fd, (SECTION_ALIGN - end % SECTION_ALIGN) % SECTION_ALIGN, SEEK_CUR);

		good = at >= 0 && zstd_section_inflate(z, &s[i], fd) &&
		       zstd_section_refer(&s[i], is_64, (uint64_t)at, fd);
	}
	if (!good && fd >= 0)
		close(fd);
	return good ? fd : -1;
}

bool object_file_inflate(const struct object_file *f, struct object_file *out)
{
	struct zstd_section *found = NULL;
	size_t n = 0, cap = 0, names;
	uint64_t total = 0;
	Elf_Scn *scn = NULL;
	GElf_Ehdr eh;
	int fd = -1;

	*out = (struct object_file){ .fd = -1 };
	if (!gelf_getehdr(f->elf, &eh) || elf_getshdrstrndx(f->elf, &names) < 0 ||
	    (eh.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return false;
	while ((scn = elf_nextscn(f->elf, scn))) {
		bool is_64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
		struct zstd_section s;
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(f->elf, names, sh.sh_name) : NULL;

		if (!name || !starts_with(name, ".debug_") || !zstd_section_read(f, &sh, is_64, &s))
			continue;
		s.header_at = eh.e_shoff + elf_ndxscn(scn) * eh.e_shentsize;
		found = mem_grow(found, &cap, n + 1, sizeof(*found));
		found[n++] = s;
		total = s.inflated > INFLATED_MAX - total ? INFLATED_MAX : total + s.inflated;
	}
	if (n && total < INFLATED_MAX)
		fd = zstd_sections_inflate(f, found, n, eh.e_ident[EI_CLASS] == ELFCLASS64);
	free(found);
	return fd >= 0 && object_file_take(fd, f->path, out, NULL) == 0;
}
