/*
 * make_elf.h - small ELF files for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef UNIT_MAKE_ELF_H
#define UNIT_MAKE_ELF_H

#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

/* link is the number of another section. Sections are numbered from 1; .shstrtab is added as the last one. */
struct make_section {
	const char *name;
	uint32_t type;
	uint64_t flags, addr;
	const void *data;
	size_t n;
	uint32_t link;
	uint64_t align;
};

struct make_elf {
	int class, order; /* 0: 64 bit, little-endian */
	uint16_t type;
	size_t n_ph, n_sections;
	GElf_Phdr ph[6];
	struct make_section section[8];
};

enum { MAKE_ELF_DATA = 0x400 }; /* file offset of the contents of the first section; others follow */

static inline void make_elf_section(Elf *e, const struct make_section *s, uint32_t name, uint64_t *at)
{
	Elf_Scn *scn = elf_newscn(e);
	Elf_Data *d = elf_newdata(scn);
	GElf_Shdr sh;

	d->d_buf = (void *)(uintptr_t)s->data;
	d->d_size = s->n;
	d->d_type = s->type == SHT_SYMTAB || s->type == SHT_DYNSYM ? ELF_T_SYM : ELF_T_BYTE;
	d->d_align = 1;
	gelf_getshdr(scn, &sh);
	sh = (GElf_Shdr){ .sh_name = name,
			  .sh_type = s->type,
			  .sh_flags = s->flags,
			  .sh_addr = s->addr,
			  .sh_offset = *at,
			  .sh_size = s->n,
			  .sh_link = s->link,
			  .sh_addralign = s->align ? s->align : 1,
			  .sh_entsize = d->d_type == ELF_T_SYM ? gelf_fsize(e, ELF_T_SYM, 1, EV_CURRENT) : 0 };
	gelf_update_shdr(scn, &sh);
	*at += s->type == SHT_NOBITS ? 0 : (s->n + 7) / 8 * 8;
}

/* Write the file to a descriptor that is also open for reading. Returns 0, or -1. */
static inline int make_elf(int fd, const struct make_elf *m)
{
	char names[512] = "";
	size_t names_n = 1;
	uint64_t at = MAKE_ELF_DATA;
	GElf_Ehdr ehdr;
	Elf *e;
	int rc;

	elf_version(EV_CURRENT);
	e = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!e)
		return -1;
	gelf_newehdr(e, m->class ? m->class : ELFCLASS64);
	gelf_getehdr(e, &ehdr);
	ehdr.e_ident[EI_DATA] = (unsigned char)(m->order ? m->order : ELFDATA2LSB);
	ehdr.e_type = m->type;
	ehdr.e_machine = EM_X86_64;
	ehdr.e_version = EV_CURRENT;
	ehdr.e_phoff = m->n_ph ? gelf_fsize(e, ELF_T_EHDR, 1, EV_CURRENT) : 0;
	elf_flagelf(e, ELF_C_SET, ELF_F_LAYOUT);
	gelf_update_ehdr(e, &ehdr);
	if (m->n_ph)
		gelf_newphdr(e, m->n_ph);
	for (size_t i = 0; i < m->n_ph; i++) {
		GElf_Phdr ph = m->ph[i];

		gelf_update_phdr(e, (int)i, &ph);
	}
	for (size_t i = 0; i < m->n_sections; i++) {
		size_t n = strlen(m->section[i].name) + 1;

		memcpy(names + names_n, m->section[i].name, n);
		make_elf_section(e, &m->section[i], (uint32_t)names_n, &at);
		names_n += n;
	}
	make_elf_section(e, &(struct make_section){ .type = SHT_STRTAB, .data = names, .n = names_n }, 0, &at);
	gelf_getehdr(e, &ehdr);
	ehdr.e_shstrndx = (uint16_t)(m->n_sections + 1);
	ehdr.e_shoff = at;
	gelf_update_ehdr(e, &ehdr);
	rc = elf_update(e, ELF_C_WRITE) < 0 ? -1 : 0;
	elf_end(e);
	return rc;
}

#endif
