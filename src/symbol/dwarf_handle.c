/*
 * dwarf_handle.c - an open DWARF file, used by one thread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/dwarf_handle.h"

#include "symbol/elfutils.h"

#include <assert.h>
#include <string.h>

/* Does the file have a DWARF section? */
static bool has_section(Elf *elf)
{
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (name && sh.sh_type != SHT_NOBITS && sh.sh_size &&
		    (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
			return true;
	}
	return false;
}

static bool dwarf_handle_begin(struct dwarf_handle *h)
{
	h->dwarf = dwarf_begin_elf(h->elf, DWARF_C_READ, NULL);
	h->alt = h->alt_elf ? dwarf_begin_elf(h->alt_elf, DWARF_C_READ, NULL) : NULL;
	if (h->dwarf && h->alt)
		dwarf_setalt(h->dwarf, h->alt);
	return h->dwarf != NULL;
}

static void dwarf_handle_end(struct dwarf_handle *h)
{
	if (h->dwarf)
		dwarf_end(h->dwarf);
	if (h->alt)
		dwarf_end(h->alt);
	h->dwarf = h->alt = NULL;
}

int dwarf_handle_open(struct dwarf_handle *h, int fd, int alt_fd, struct err *err)
{
	bool is_there;

	assert(fd >= 0);
	elf_version(EV_CURRENT);
	*h = (struct dwarf_handle){ .elf = elf_begin(fd, ELF_C_READ_MMAP, NULL) };
	if (alt_fd >= 0)
		h->alt_elf = elf_begin(alt_fd, ELF_C_READ_MMAP, NULL);
	is_there = has_section(h->elf);
	if (is_there && dwarf_handle_begin(h))
		return 0;
	dwarf_handle_close(h);
	if (!is_there)
		return err_set(err, ERR_UNKNOWN, "no DWARF");
	return err_set(err, ERR_FORMAT, "damaged DWARF: %s", dwarf_errmsg(-1));
}

bool dwarf_handle_renew(struct dwarf_handle *h)
{
	dwarf_handle_end(h);
	return dwarf_handle_begin(h);
}

void dwarf_handle_close(struct dwarf_handle *h)
{
	dwarf_handle_end(h);
	if (h->elf)
		elf_end(h->elf);
	if (h->alt_elf)
		elf_end(h->alt_elf);
	*h = (struct dwarf_handle){ 0 };
}

uint64_t dwarf_number(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	return dwarf_attr(die, attribute, &attr) && dwarf_formudata(&attr, &v) == 0 ? v : 0;
}

const char *dwarf_function_name(Dwarf_Die *die)
{
	static const unsigned attributes[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	const char *name = NULL;

	for (int i = 0; i < 3 && !name; i++) {
		Dwarf_Attribute attr;

		if (dwarf_attr_integrate(die, attributes[i], &attr))
			name = dwarf_formstring(&attr);
	}
	return name;
}
