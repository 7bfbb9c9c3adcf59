/*
 * base.c - load address of an object, from a mapping
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A byte of a user's program at process address x has the file offset x - start + offset, and the segment that contains
 * it gives the address assigned by the linker. Kernels need other rules, since perf and other tools write the address
 * of a symbol as the start of their mapping.
 */
#include "config.h"

#include "symbol/object_int.h"

#include <inttypes.h>
#include <string.h>

#define PAGE 4096U
#define KERNEL_ALIGN (64U << 10) /* boot loaders and the kernel itself choose multiples of at least this */
#define USER_LIMIT (UINT64_C(1) << 63)
#define PPC64_PAGE_OFFSET UINT64_C(0xc000000000000000)

static bool is_aligned(uint64_t a)
{
	return a % PAGE == 0;
}

/* The value of the first symbol with that name in .symtab. */
static struct anchor find_anchor(const struct object_file *f, const char *name)
{
	struct anchor none = { .is_known = false };
	GElf_Shdr shdr = { .sh_type = SHT_NULL };
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	size_t n;

	do
		scn = elf_nextscn(f->elf, scn);
	while (scn && gelf_getshdr(scn, &shdr) && shdr.sh_type != SHT_SYMTAB);
	data = scn && shdr.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;
	n = data ? data->d_size / gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
	for (size_t i = 1; i < n && i <= INT32_MAX; i++) {
		const char *symbol_name;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		symbol_name = elf_strptr(f->elf, shdr.sh_link, sym.st_name);
		if (symbol_name && strcmp(symbol_name, name) == 0)
			return (struct anchor){ .is_known = true, .value = sym.st_value };
	}
	return none;
}

/* Reading all symbols takes long, so it is done only for files that look like a kernel, and once per name. */
static struct anchor anchor_of(struct object *o, const struct object_map *m)
{
	const char *name = m->kernel_symbol && *m->kernel_symbol ? m->kernel_symbol : "_stext";

	if (!strstr(o->file.path, "vmlinux") && is_aligned(m->start) && is_aligned(m->limit) && is_aligned(m->offset))
		return (struct anchor){ .is_known = false };
	if (!o->anchor_name || strcmp(o->anchor_name, name) != 0) {
		o->anchor = find_anchor(&o->file, name);
		o->anchor_name = arena_strndup(o->mem, name, strlen(name));
	}
	return o->anchor;
}

/* The executable segment that holds .text. */
static const GElf_Phdr *text_segment(const struct object *o)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(o->file.elf, &names) < 0)
		return NULL;
	while ((scn = elf_nextscn(o->file.elf, scn))) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(o->file.elf, names, sh.sh_name) : NULL;

		if (!name || strcmp(name, ".text") != 0)
			continue;
		for (size_t i = 0; i < o->n_phdr; i++) {
			const GElf_Phdr *p = &o->phdr[i];

			if (p->p_type == PT_LOAD && p->p_flags & PF_X && sh.sh_addr >= p->p_vaddr &&
			    sh.sh_addr < p->p_vaddr + p->p_memsz)
				return p;
		}
	}
	return NULL;
}

/* Can the mapping belong to this segment? */
static bool can_map(const GElf_Phdr *p, const struct object_map *m)
{
	uint64_t map_end = m->offset + (m->limit - m->start), seg_end = p->p_offset + p->p_memsz;
	uint64_t skew = p->p_vaddr & (p->p_align - 1);

	if (p->p_type != PT_LOAD || p->p_filesz == 0) /* offsets of empty segments are meaningless */
		return false;
	if (m->offset >= seg_end || p->p_offset >= map_end)
		return false;
	if (m->offset < (p->p_offset > skew ? p->p_offset - skew : 0)) /* the mapping starts in an earlier segment */
		return false;
	/* A mapping that starts in the last page of the segment and ends well after it belongs to a later segment. */
	return !(m->offset > p->p_offset && seg_end < m->offset + PAGE && map_end >= seg_end + PAGE);
}

/* Find the segment that contains the address; *out is NULL when the file has no segments. */
static int user_segment(const struct object *o, const struct object_map *m, uint64_t address, const GElf_Phdr **out,
			struct err *err)
{
	uint64_t at = address - m->start + m->offset;
	size_t n_fit = 0, n_hold = 0, n_load = 0;
	const GElf_Phdr *fit = NULL, *hold = NULL;

	*out = NULL;
	for (size_t i = 0; i < o->n_phdr; i++) {
		const GElf_Phdr *p = &o->phdr[i];

		n_load += p->p_type == PT_LOAD;
		if (!can_map(p, m))
			continue;
		n_fit++;
		fit = p;
		if (at >= p->p_offset && at < p->p_offset + p->p_memsz) {
			n_hold++;
			hold = p;
		}
	}
	if (n_load == 0)
		return 0;
	*out = n_fit == 1 ? fit : hold;
	if (n_fit == 0)
		return err_set(err, ERR_RANGE,
			       "%s: no segment fits a mapping of 0x%" PRIx64 "-0x%" PRIx64 " at 0x%" PRIx64,
			       o->file.path, m->start, m->limit, m->offset);
	if (n_fit > 1 && n_hold != 1)
		return err_set(err, ERR_RANGE, "%s: %s the file offset 0x%" PRIx64, o->file.path,
			       n_hold ? "more than one segment contains" : "no segment contains", at);
	return 0;
}

static bool kernel_base(const GElf_Phdr *p, struct anchor s, const struct object_map *m, uint64_t *base)
{
	if (p->p_vaddr == m->start - m->offset)
		*base = m->offset;
	else if (m->start == 0 && m->limit != 0 && s.is_known)
		*base = m->start - s.value;
	else if (m->start >= USER_LIMIT && m->limit > m->start &&
		 (m->offset == 0 || m->offset == PPC64_PAGE_OFFSET || m->offset == m->start))
		*base = m->start - (s.is_known && m->start % PAGE == s.value % PAGE ? s.value : p->p_vaddr);
	else if (!is_aligned(m->start) && s.is_known && m->start % PAGE == s.value % PAGE)
		*base = m->start - s.value;
	else
		return false;
	return true;
}

static int base_exec(const GElf_Phdr *p, struct anchor s, const struct object_map *m, uint64_t *base, struct err *err)
{
	if (!p)
		*base = 0;
	else if (!s.is_known && m->start > 0 && m->start < USER_LIMIT)
		*base = m->start - m->offset + p->p_offset - p->p_vaddr;
	else if (kernel_base(p, s, m, base))
		;
	else if (m->start == 0 && m->limit != 0 && !s.is_known)
		*base = m->start - p->p_vaddr;
	else
		return err_set(err, ERR_RANGE,
			       "cannot find the base of a program at 0x%" PRIx64 "-0x%" PRIx64 " at 0x%" PRIx64,
			       m->start, m->limit, m->offset);
	return 0;
}

static int symbol_base_of(const struct object *o, const GElf_Phdr *p, struct anchor s, const struct object_map *m,
			  uint64_t *base, struct err *err)
{
	if (m->start == 0 && m->offset == 0 && (m->limit == UINT64_MAX || m->limit == 0)) {
		*base = 0; /* a mapping that a tool has invented; its addresses are object addresses */
		return 0;
	}
	switch (o->ehdr.e_type) {
	case ET_EXEC:
		return base_exec(p, s, m, base, err);
	case ET_REL:
		if (m->offset != 0)
			return err_set(err, ERR_RANGE, "relocatable files cannot be mapped at an offset");
		*base = m->start;
		return 0;
	case ET_DYN:
		if (!p)
			*base = m->start - m->offset;
		else if (!kernel_base(p, s, m, base))
			*base = m->start - m->offset + p->p_offset - p->p_vaddr;
		return 0;
	}
	return err_set(err, ERR_RANGE, "ELF file type %u is not a program", o->ehdr.e_type);
}

/*
 * A debug file has no code, and its segments no longer show where the code was. If the mapping is as large as the
 * segment that contained it, use that segment; other rules would choose a data segment.
 */
static bool debug_base(const struct object *o, const struct object_map *m, uint64_t *base)
{
	const GElf_Phdr *p = object_file_is_debug(&o->file) ? text_segment(o) : NULL;
	uint64_t start, size;

	if (!p || (m->start == 0 && m->limit == UINT64_MAX))
		return false;
	start = p->p_vaddr - p->p_vaddr % PAGE;
	size = p->p_vaddr + p->p_memsz - start;
	*base = m->start - start;
	return m->limit - m->start - size < PAGE;
}

bool object_map_contains(const struct object_map *m, uint64_t address)
{
	return m->start >= m->limit || (address >= m->start && address < m->limit);
}

/*
 * Symbols of the running kernel have their addresses since the last boot, at which the kernel may have been loaded
 * elsewhere than when the profile was recorded.
 */
static int running_base(const struct object *o, const struct object_map *m, uint64_t *base, struct err *err)
{
	uint64_t shift = m->start - o->anchor.value;

	*base = 0;
	if (!o->anchor.is_known || m->start == 0 || shift + KERNEL_ALIGN < 2 * KERNEL_ALIGN)
		return 0; /* tools also use other starts near the symbol */
	if (shift % KERNEL_ALIGN != 0)
		return err_set(err, ERR_RANGE, "cannot find where the kernel was loaded from a mapping at 0x%" PRIx64,
			       m->start);
	*base = shift;
	return 0;
}

int object_base(struct object *o, const struct object_map *m, uint64_t address, uint64_t *base, struct err *err)
{
	const GElf_Phdr *p = NULL;
	struct anchor s;

	if (!o->file.elf)
		return running_base(o, m, base, err);
	if (!object_map_contains(m, address))
		return err_set(err, ERR_RANGE,
			       "specified address %" PRIx64 " is outside the mapping range [%" PRIx64 ", %" PRIx64
			       "] for file %s",
			       address, m->start, m->limit, o->file.path);
	s = anchor_of(o, m);
	if (!s.is_known && m->limit < USER_LIMIT && debug_base(o, m, base))
		return 0;
	if (s.is_known || m->start >= m->limit || m->limit >= USER_LIMIT)
		p = text_segment(o);
	else if (user_segment(o, m, address, &p, err) < 0)
		return ERR_RANGE;
	return symbol_base_of(o, p, s, m, base, err);
}

int object_check_map(struct object *o, const struct object_map *m, struct err *err)
{
	uint64_t base;

	if (o->file.elf && symbol_base_of(o, text_segment(o), anchor_of(o, m), m, &base, err) < 0)
		return err_wrap(err, "error reading ELF file %s: could not identify base for %s", o->file.path,
				o->file.path);
	return 0;
}
