/*
 * object_notes.c - the build id in the notes of an ELF file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/object_file.h"

#include <string.h>

enum {
	NOTE_HEAD = 12, /* three words: size of name, size of contents, type */
	NOTE_MAX = 1 << 20,
	NOTES_TOTAL_MAX = 64 << 20 /* sum over all segments and sections, which could overlap */
};

/* The notes that remain to be read. */
struct notes {
	const uint8_t *p, *end;
	uint64_t align;
	bool big_endian;
};

struct object_notes_found {
	const uint8_t *id;
	size_t n;
	bool has_id, has_two;
};

static uint32_t word(const struct notes *s, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return s->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap32(v);
}

/* Bytes up to the next multiple of the alignment; 0 without an alignment. */
static uint64_t padding(const struct notes *s, uint64_t size)
{
	uint64_t mask = s->align - 1, all = ((size + mask) & ~mask) - size;

	return s->align && (int64_t)all > 0 ? all : 0;
}

/* Read the next note, and record it in found if it is a build id. Returns false if the note is truncated or is a second
 * build id. */
static bool note_next(struct notes *s, struct object_notes_found *found)
{
	size_t remaining = (size_t)(s->end - s->p), name_n, n;
	const uint8_t *name = s->p + NOTE_HEAD, *end;
	uint64_t pad;

	if (remaining < NOTE_HEAD || word(s, s->p) > NOTE_MAX || word(s, s->p + 4) > NOTE_MAX)
		return false;
	remaining -= NOTE_HEAD;
	n = word(s, s->p + 4);
	name_n = 0;
	if (word(s, s->p)) { /* some writers count the NUL in the size, others do not; it is always present */
		end = memchr(name, '\0', remaining);
		if (!end)
			return false;
		name_n = (size_t)(end - name) + 1;
	}
	pad = padding(s, NOTE_HEAD + name_n);
	if (pad > remaining - name_n || n > remaining - name_n - pad)
		return false;
	if (name_n == 4 && memcmp(name, "GNU", 4) == 0 && word(s, s->p + 8) == NT_GNU_BUILD_ID) {
		found->has_two = found->has_id;
		if (found->has_two)
			return false;
		*found = (struct object_notes_found){ .id = name + name_n + pad, .n = n, .has_id = true };
	}
	remaining -= name_n + pad + n;
	s->p = name + name_n + pad + n;
	pad = padding(s, n);
	s->p += pad < remaining ? pad : remaining;
	return true;
}

/* Returns false if the notes are damaged. */
static bool notes_find(struct notes *s, struct object_notes_found *found)
{
	while (s->p < s->end)
		if (!note_next(s, found)) {
			*found = (struct object_notes_found){ .has_two = found->has_two };
			return false;
		}
	return true;
}

static void object_notes_format_id(const struct object_notes_found *found, char out[2 * BUILD_ID_MAX + 1])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = found->n <= BUILD_ID_MAX ? found->n : 0;

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[found->id[i] >> 4];
		out[2 * i + 1] = digits[found->id[i] & 15];
	}
	out[2 * n] = '\0';
}

/* The notes at an offset, cut at the end of the file and at *total, the bytes that may still be read. */
static struct notes notes_at(const struct object_file *f, uint64_t off, uint64_t n, uint64_t align, size_t *total)
{
	struct notes s = { .align = align };
	GElf_Ehdr ehdr;
	size_t size;
	const uint8_t *bytes = object_file_bytes(f, &size);

	if (!bytes || off > size || *total == 0)
		return s;
	n = n < size - off ? n : size - off;
	n = n < *total ? n : *total;
	*total -= n;
	s.big_endian = gelf_getehdr(f->elf, &ehdr) && ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	s.p = bytes + off;
	s.end = s.p + n;
	return s;
}

/* In debug files, segments often refer to bytes that only the program has, so sections are read. */
static struct object_notes_found object_notes_find_in_segments(const struct object_file *f, size_t *total)
{
	struct object_notes_found found = { 0 };
	bool sound = true;
	size_t n = 0;

	elf_getphdrnum(f->elf, &n);
	for (size_t i = 0; i < n && sound && !found.has_id; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(f->elf, (int)i, &ph) && ph.p_type == PT_NOTE) {
			struct notes s = notes_at(f, ph.p_offset, ph.p_filesz, ph.p_align, total);

			sound = notes_find(&s, &found);
		}
	}
	return found;
}

void object_notes_build_id(const struct object_file *f, char out[2 * BUILD_ID_MAX + 1])
{
	size_t total = NOTES_TOTAL_MAX;
	struct object_notes_found found = object_notes_find_in_segments(f, &total);
	bool sound = !found.has_two;
	Elf_Scn *scn = NULL;

	while (sound && !found.has_id && (scn = elf_nextscn(f->elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE) {
			struct notes s = notes_at(f, sh.sh_offset, sh.sh_size, sh.sh_addralign, &total);

			sound = notes_find(&s, &found);
		}
	}
	object_notes_format_id(&found, out);
}

void object_notes_build_id_in(const uint8_t *notes, size_t n, char out[2 * BUILD_ID_MAX + 1])
{
	struct notes s = {
		.p = notes, .end = notes + n, .align = 4, .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	};
	struct object_notes_found found = { 0 };

	notes_find(&s, &found);
	object_notes_format_id(&found, out);
}
