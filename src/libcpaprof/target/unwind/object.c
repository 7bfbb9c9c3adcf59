/*
 * object.c - the parts of an ELF object that a walk needs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sizes and offsets come from a file of another program, so each is checked against the available bytes before it is
 * used. Only headers and .eh_frame_hdr are read.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

#include <elf.h>

enum {
	MAX_PHDRS = 64,
	HEAD = 4096, /* of an image, which contains its first page, and perhaps no other */
	MAX_EH = 1 << 30,
};

struct object_elf {
	const unsigned char *bytes;
	uint64_t n;
	bool image;
	uint64_t bias;  /* address in the target = address in the file + bias */
	uint64_t first; /* address of the first segment in the file */
	const unsigned char *phdr;
	uint32_t n_phdrs;
};

static Elf64_Phdr phdr_of(const struct object_elf *e, uint32_t i)
{
	Elf64_Phdr ph;

	__builtin_memcpy(&ph, e->phdr + (size_t)i * sizeof(ph), sizeof(ph));
	return ph;
}

static bool unwind_object_read_head(struct object_elf *e)
{
#if defined(__x86_64__)
	enum { MACHINE = EM_X86_64 };
#else
	enum { MACHINE = EM_AARCH64 };
#endif
	Elf64_Ehdr eh;
	uint32_t magic, start;
	uint64_t n = e->image && e->n > HEAD ? HEAD : e->n;

	if (n < sizeof(eh))
		return false;
	__builtin_memcpy(&eh, e->bytes, sizeof(eh));
	__builtin_memcpy(&start, eh.e_ident, SELFMAG);
	__builtin_memcpy(&magic, ELFMAG, SELFMAG); /* not memcmp, which the compiler may turn into a call */
	if (start != magic || eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    eh.e_machine != MACHINE || eh.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	if (eh.e_phnum > MAX_PHDRS || eh.e_phoff > n || (n - eh.e_phoff) / sizeof(Elf64_Phdr) < eh.e_phnum)
		return false;
	e->phdr = e->bytes + eh.e_phoff;
	e->n_phdrs = eh.e_phnum;
	return true;
}

/* Find the bytes of a segment and its addresses in the target. Returns false if it is incomplete. */
static bool segment(const struct object_elf *e, const Elf64_Phdr *ph, const struct unwind_object *obj, uint64_t *lo,
		    uint64_t *hi, const unsigned char **bytes)
{
	uint64_t at = e->image ? ph->p_vaddr - e->first : ph->p_offset;

	*lo = ph->p_vaddr + e->bias;
	*hi = *lo + ph->p_filesz;
	if (at > e->n || ph->p_filesz > e->n - at || *lo < obj->lo || *hi > obj->hi || *lo >= *hi)
		return false;
	*bytes = e->bytes + at;
	return true;
}

/* Read the header of .eh_frame_hdr: address of .eh_frame, and the table. */
static void read_hdr(struct unwind_object *obj)
{
	static const uint8_t size_of[16] = { 8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 0 };
	struct cfi_cursor c = cursor_at(obj, obj->hdr);
	uint8_t version = get_u8(&c), frame_enc = get_u8(&c), count_enc = get_u8(&c), enc = get_u8(&c), size;
	uint64_t n = 0;

	if (c.bad || version != 1)
		return;
	obj->frame = frame_enc == ENC_OMIT ? 0 : cpi_unwind_pointer_sig(obj, &c, frame_enc);
	if (count_enc != ENC_OMIT)
		n = cpi_unwind_pointer_sig(obj, &c, count_enc);
	size = size_of[enc & ENC_FORMAT];
	if (c.bad || enc == ENC_OMIT || size == 0 || n == 0 || n > UINT32_MAX)
		return;
	if ((uint64_t)(c.end - c.p) / (2U * size) < n)
		return;
	obj->table = obj->eh_lo + eh_pos(obj, c.p);
	obj->n_table = (uint32_t)n;
	obj->table_enc = enc;
	__builtin_memcpy(&obj->first_key, c.p, 4);
	__builtin_memcpy(&obj->last_key, c.p + (n - 1) * 2 * size, 4);
}

/* Find the load bias. Returns false unless the first segment begins with the ELF header, so that lo is its address. */
static bool find_bias(struct object_elf *e, uint64_t lo, uint64_t *hdr)
{
	bool found = false;

	for (uint32_t i = 0; i < e->n_phdrs; i++) {
		Elf64_Phdr ph = phdr_of(e, i);

		if (ph.p_type == PT_LOAD && !found) {
			if (ph.p_offset != 0)
				return false;
			e->first = ph.p_vaddr;
			e->bias = lo - ph.p_vaddr;
			found = true;
		} else if (ph.p_type == PT_GNU_EH_FRAME && *hdr == 0) {
			*hdr = ph.p_vaddr;
		}
	}
	return found;
}

static bool object_describe(struct object_elf *e, uint64_t lo, uint64_t hi, uint64_t hdr, struct unwind_object *out)
{
	uint64_t known_hdr = hdr;

	*out = (struct unwind_object){ .lo = lo, .hi = hi, .table_enc = ENC_OMIT };
	if ((!e->phdr && !unwind_object_read_head(e)) || !find_bias(e, lo, &hdr))
		return false;
	if (hdr && !known_hdr)
		hdr += e->bias;
	for (uint32_t i = 0; i < e->n_phdrs; i++) {
		Elf64_Phdr ph = phdr_of(e, i);
		const unsigned char *p;
		uint64_t a, b;

		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_R) || !segment(e, &ph, out, &a, &b, &p))
			continue;
		if (ph.p_flags & PF_X &&
		    b - a > out->text_hi - out->text_lo) { /* the largest: others have only stubs */
			out->text_lo = a;
			out->text_hi = b;
			out->text = p;
		}
		if (hdr && hdr >= a && hdr < b && b - a < MAX_EH) {
			out->eh_lo = a;
			out->eh_hi = b;
			out->eh = p;
			out->hdr = hdr;
		}
	}
	if (out->hdr)
		read_hdr(out);
	return true;
}

bool cpi_unwind_object_init_sig(const unsigned char *bytes, uint64_t n, bool image, uint64_t lo, uint64_t hi,
				uint64_t hdr, struct unwind_object *out)
{
	struct object_elf e = { .bytes = bytes, .n = n, .image = image };

	return object_describe(&e, lo, hi, hdr, out);
}

bool cpi_unwind_object_init_loaded(uint64_t lo, uint64_t hi, uint64_t hdr, const void *phdr, uint32_t n_phdrs,
				   struct unwind_object *out)
{
	struct object_elf e = {
		.bytes = (const unsigned char *)lo, .n = hi - lo, .image = true, .phdr = phdr, .n_phdrs = n_phdrs
	};

	return object_describe(&e, lo, hi, hdr, out);
}

void cpi_unwind_set_table(struct unwind_object *obj, uint32_t n)
{
	const unsigned char *table = obj->eh + (obj->hdr - obj->eh_lo);

	if (n == 0)
		return;
	obj->table = obj->hdr;
	obj->n_table = n;
	obj->table_enc = ENC_TABLE;
	__builtin_memcpy(&obj->first_key, table, 4);
	__builtin_memcpy(&obj->last_key, table + (n - 1) * sizeof(struct unwind_function), 4);
}

const struct unwind_object *cpi_unwind_table_find_sig(void *arg, uint64_t pc, struct unwind_object *room)
{
	const struct unwind_table *t = arg;
	uint32_t lo = 0, hi = t->n;

	(void)room;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->object[mid].lo > pc)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo && pc < t->object[lo - 1].hi ? &t->object[lo - 1] : NULL;
}
