/*
 * dwp.c - units of a package of split DWARF (.dwp)
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An index (.debug_cu_index) has the part of each section that belongs to a unit. The package is mapped again, with
 * section headers after its end that name these parts like sections that are not split, and with the addresses of the
 * skeleton (.debug_addr from its base). libdw then needs no skeleton, except for the base address of range lists.
 * Therefore the lists are copied, and each gets this address as its first entry. From DWARF 5, 7.3.5 and 7.25; packages
 * of DWARF 4 have another index and are refused.
 */
#include "config.h"

#include "symbol/dwp.h"

#include "base/err.h"
#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sections of the index, by their number in it. */
enum { DWP_INFO = 1, DWP_ABBREV = 3, DWP_LINE, DWP_LOCLISTS, DWP_STR_OFFSETS, DWP_MACRO, DWP_RNGLISTS, N_DWP_SECTIONS };

enum { INDEX_HEADER = 16, COLUMNS_MAX = 16, SLOTS_MAX = 1 << 24, LISTS_HEADER = 12, ADDR_HEADER = 8, ALIGN = 8 };

struct dwp_part {
	const uint8_t *at;
	uint64_t n;
};

struct dwp {
	int fd;
	const uint8_t *file; /* [n] mapped */
	size_t n;
	struct dwp_part section[N_DWP_SECTIONS], str, index;
	uint32_t n_columns, n_units, n_slots;
	const uint8_t *id, *row, *column, *offset, *size; /* tables of the index */
	struct err problem;                               /* why the package cannot be read */
};

static uint32_t dwp_u32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* Find the sections of the package. Returns false if one of them is compressed. */
static bool dwp_find_sections(struct dwp *d, const Elf64_Ehdr *h)
{
	static const char *const name[N_DWP_SECTIONS] = {
		[DWP_INFO] = ".debug_info.dwo",
		[DWP_ABBREV] = ".debug_abbrev.dwo",
		[DWP_LINE] = ".debug_line.dwo",
		[DWP_LOCLISTS] = ".debug_loclists.dwo",
		[DWP_STR_OFFSETS] = ".debug_str_offsets.dwo",
		[DWP_RNGLISTS] = ".debug_rnglists.dwo",
	};
	const Elf64_Shdr *all = (const Elf64_Shdr *)(d->file + h->e_shoff), *texts = &all[h->e_shstrndx];

	for (uint32_t i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *sh = &all[i];
		struct dwp_part is = { d->file + sh->sh_offset, sh->sh_size };
		const char *text = (const char *)d->file + texts->sh_offset + sh->sh_name;
		struct dwp_part *to = NULL;

		if (sh->sh_type == SHT_NOBITS || sh->sh_offset > d->n || sh->sh_size > d->n - sh->sh_offset ||
		    sh->sh_name >= texts->sh_size)
			continue;
		for (int k = 0; k < N_DWP_SECTIONS; k++)
			if (name[k] && strcmp(text, name[k]) == 0)
				to = &d->section[k];
		if (strcmp(text, ".debug_str.dwo") == 0)
			to = &d->str;
		if (strcmp(text, ".debug_cu_index") == 0)
			to = &d->index;
		if (to && sh->sh_flags & SHF_COMPRESSED)
			return false;
		if (to)
			*to = is;
	}
	return true;
}

/* Is it an ELF file of this kind of machine, with valid section headers and names? */
static bool dwp_is_elf(const struct dwp *d, Elf64_Ehdr *h)
{
	const Elf64_Shdr *texts;
	int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	if (d->n < sizeof(*h))
		return false;
	memcpy(h, d->file, sizeof(*h));
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != order || h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff % ALIGN ||
	    h->e_shoff > d->n || h->e_shnum > (d->n - h->e_shoff) / sizeof(Elf64_Shdr) || h->e_shstrndx >= h->e_shnum)
		return false;
	texts = (const Elf64_Shdr *)(d->file + h->e_shoff) + h->e_shstrndx;
	return texts->sh_offset < d->n && texts->sh_size <= d->n - texts->sh_offset && texts->sh_size &&
	       d->file[texts->sh_offset + texts->sh_size - 1] == '\0';
}

/* Find the tables of the index. Returns false if they exceed it. */
static bool dwp_read_index(struct dwp *d)
{
	uint64_t n = d->index.n - INDEX_HEADER, cells;

	d->n_columns = dwp_u32(d->index.at + 4);
	d->n_units = dwp_u32(d->index.at + 8);
	d->n_slots = dwp_u32(d->index.at + 12);
	if (d->n_columns > COLUMNS_MAX || d->n_slots > SLOTS_MAX || d->n_units > d->n_slots || !d->n_slots ||
	    d->n_slots & (d->n_slots - 1))
		return false;
	cells = (uint64_t)d->n_columns * sizeof(uint32_t);
	if ((uint64_t)d->n_slots * 12 + cells * (1 + 2 * (uint64_t)d->n_units) > n)
		return false;
	d->id = d->index.at + INDEX_HEADER;
	d->row = d->id + (uint64_t)d->n_slots * sizeof(uint64_t);
	d->column = d->row + (uint64_t)d->n_slots * sizeof(uint32_t);
	d->offset = d->column + cells;
	d->size = d->offset + cells * d->n_units;
	return true;
}

/* Map the file. Fails ERR_IO. */
static int dwp_map(struct dwp *d, const char *path, struct err *err)
{
	struct stat st;
	void *file = MAP_FAILED;

	d->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (d->fd >= 0 && fstat(d->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, d->fd, 0);
	if (file == MAP_FAILED)
		return err_set(err, ERR_IO, "%s: %s", path, d->fd < 0 ? strerror(errno) : "cannot be mapped");
	d->file = file;
	d->n = (size_t)st.st_size;
	return 0;
}

/* Read the tables of a package. */
static int dwp_read(struct dwp *d, const char *path, struct err *err)
{
	Elf64_Ehdr h;
	int rc = dwp_map(d, path, err);

	if (rc < 0)
		return rc;
	if (!dwp_is_elf(d, &h))
		return err_set(err, ERR_FORMAT, "%s: not an ELF file of this kind of machine", path);
	if (!dwp_find_sections(d, &h))
		return err_set(err, ERR_FORMAT, "%s: compressed sections of a package cannot be read", path);
	if (d->index.n < INDEX_HEADER || (dwp_u32(d->index.at) & 0xffff) != 5)
		return err_set(err, ERR_FORMAT, "%s: only packages of DWARF 5 can be read", path);
	if (!dwp_read_index(d))
		return err_set(err, ERR_FORMAT, "%s: damaged index", path);
	return 0;
}

struct dwp *dwp_open(const char *path)
{
	struct dwp *d = mem_zalloc(1, sizeof(*d));
	struct buf name = { 0 };

	d->fd = -1;
	buf_addf(&name, "%s.dwp", path);
	if (access(name.data, F_OK) == 0 && dwp_read(d, name.data, &d->problem) < 0)
		d->n_slots = 0;
	buf_release(&name);
	return d;
}

void dwp_explain(const struct dwp *d, uint32_t n, struct buf *out)
{
	if (n && *d->problem.msg)
		buf_addz(out, d->problem.msg);
	else if (n)
		buf_addf(out, "split debug information (.dwo) of %" PRIu32 " unit%s not found", n, n == 1 ? "" : "s");
}

void dwp_close(struct dwp *d)
{
	if (!d)
		return;
	if (d->file)
		munmap((void *)(uintptr_t)d->file, d->n);
	if (d->fd >= 0)
		close(d->fd);
	free(d);
}

/* Find the row of a unit in the index, counted from 1; 0 for none. */
static uint32_t dwp_find_row(const struct dwp *d, uint64_t id)
{
	uint32_t mask = d->n_slots - 1, slot = (uint32_t)id & mask, step = (uint32_t)(id >> 32 & mask) | 1;

	for (uint32_t i = 0; i < d->n_slots; i++, slot = (slot + step) & mask) {
		uint32_t row = dwp_u32(d->row + slot * sizeof(uint32_t));
		uint64_t at;

		memcpy(&at, d->id + slot * sizeof(at), sizeof(at));
		if (row == 0 || row > d->n_units)
			return 0;
		if (at == id)
			return row;
	}
	return 0;
}

/* The parts of the sections that belong to a row. Returns false if one exceeds its section. */
static bool dwp_find_parts(const struct dwp *d, uint32_t row, struct dwp_part part[N_DWP_SECTIONS])
{
	for (uint32_t i = 0; i < d->n_columns; i++) {
		uint32_t cell = ((row - 1) * d->n_columns + i) * (uint32_t)sizeof(uint32_t);
		uint32_t is = dwp_u32(d->column + i * sizeof(uint32_t));
		uint64_t at = dwp_u32(d->offset + cell), n = dwp_u32(d->size + cell);

		if (is >= N_DWP_SECTIONS || !d->section[is].at)
			continue;
		if (at > d->section[is].n || n > d->section[is].n - at)
			return false;
		part[is] = (struct dwp_part){ d->section[is].at + at, n };
	}
	return part[DWP_INFO].n && part[DWP_ABBREV].n;
}

static bool dwp_skip_leb(const uint8_t **at, const uint8_t *end)
{
	while (*at < end)
		if (!(*(*at)++ & 0x80))
			return true;
	return false;
}

/* The end of a range list, after its last entry; NULL if it is damaged. */
static const uint8_t *dwp_list_end(const uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		uint8_t kind = *at++;
		int n_lebs = kind == DW_RLE_base_addressx || kind == DW_RLE_start_length ? 1
			     : kind == DW_RLE_startx_endx || kind == DW_RLE_startx_length || kind == DW_RLE_offset_pair
				     ? 2
				     : 0;
		size_t n_addr = kind == DW_RLE_start_end                                     ? 2
				: kind == DW_RLE_base_address || kind == DW_RLE_start_length ? 1
											     : 0;

		if (kind == DW_RLE_end_of_list)
			return at;
		if (kind > DW_RLE_start_length || n_addr * sizeof(uint64_t) > (size_t)(end - at))
			return NULL;
		at += n_addr * sizeof(uint64_t);
		while (n_lebs-- > 0)
			if (!dwp_skip_leb(&at, end))
				return NULL;
	}
	return NULL;
}

/* Append the range lists of a unit, each with the base address as its first entry. Returns false if they are damaged. */
static bool dwp_add_lists(struct dwp_part lists, uint64_t base, struct buf *out)
{
	uint32_t n = lists.n > LISTS_HEADER ? dwp_u32(lists.at + 8) : 0, length;
	const uint8_t *table = lists.at + LISTS_HEADER, *end = lists.at + lists.n;
	size_t start = out->len, place;

	if (lists.n < LISTS_HEADER || dwp_u32(lists.at) == UINT32_MAX ||
	    n > (lists.n - LISTS_HEADER) / sizeof(uint32_t))
		return false;
	buf_add(out, lists.at, LISTS_HEADER + (size_t)n * sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = dwp_u32(table + i * sizeof(uint32_t)), moved;
		const uint8_t *from = table + at, *to = at < (size_t)(end - table) ? dwp_list_end(from, end) : NULL;

		if (!to || out->len - start > UINT32_MAX / 2)
			return false;
		place = start + LISTS_HEADER;
		moved = (uint32_t)(out->len - place);
		memcpy(out->data + place + i * sizeof(uint32_t), &moved, sizeof(moved));
		buf_add(out, &(uint8_t){ DW_RLE_base_address }, 1);
		buf_add(out, &base, sizeof(base));
		buf_add(out, from, (size_t)(to - from));
	}
	length = (uint32_t)(out->len - start - sizeof(length));
	memcpy(out->data + start, &length, sizeof(length));
	return true;
}

/* The addresses of a skeleton unit: .debug_addr from its base. */
static struct dwp_part skeleton_addresses(Elf *elf, Dwarf_Die *die)
{
	size_t names;

	for (Elf_Scn *scn = elf_getshdrstrndx(elf, &names) == 0 ? elf_nextscn(elf, NULL) : NULL; scn;
	     scn = elf_nextscn(elf, scn)) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		Elf_Data *data;
		Dwarf_Attribute attr;
		Dwarf_Word base;

		if (!name || strcmp(name, ".debug_addr") != 0 || sh.sh_flags & SHF_COMPRESSED)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf && dwarf_attr(die, DW_AT_addr_base, &attr) &&
		    dwarf_formudata(&attr, &base) == 0 && base >= ADDR_HEADER && base <= data->d_size) {
			const uint8_t *at = (const uint8_t *)data->d_buf + base;
			uint64_t n = dwp_u32(at - ADDR_HEADER), rest = data->d_size - base;

			n = n > sizeof(uint32_t) ? n - sizeof(uint32_t) : 0;
			return (struct dwp_part){ at, n < rest ? n : rest };
		}
		break;
	}
	return (struct dwp_part){ 0 };
}

/* The base address of the range lists of a skeleton unit. */
static uint64_t skeleton_base(Dwarf_Die *die)
{
	Dwarf_Addr base = 0, lo, hi;

	return dwarf_ranges(die, 0, &base, &lo, &hi) > 0 ? base : 0;
}

/* Section headers that are being made, and the bytes after the package, from offset end of the new file on. */
struct dwp_writer {
	const struct dwp *d;
	size_t end;
	struct buf more;
	Elf64_Shdr header[N_DWP_SECTIONS + 4];
	uint32_t n;
};

static const char section_names[] = "\0.debug_info\0.debug_abbrev\0.debug_line\0.debug_loclists\0.debug_str_offsets\0"
				    ".debug_rnglists\0.debug_str\0.debug_addr\0.shstrtab";

static void dwp_add_header(struct dwp_writer *w, const char *name, uint32_t type, uint64_t at, uint64_t n)
{
	const char *found = memmem(section_names, sizeof(section_names), name, strlen(name) + 1);

	assert(found && w->n + 1 < sizeof(w->header) / sizeof(*w->header));
	w->header[++w->n] = (Elf64_Shdr){ .sh_name = (uint32_t)(found - section_names),
					  .sh_type = type,
					  .sh_offset = at,
					  .sh_size = n,
					  .sh_addralign = 1 };
}

/* Add a section that is a part of the package. */
static void dwp_add_part(struct dwp_writer *w, const char *name, struct dwp_part is)
{
	if (is.n)
		dwp_add_header(w, name, SHT_PROGBITS, (uint64_t)(is.at - w->d->file), is.n);
}

/* Add a section whose bytes are w->more from an offset on. */
static void dwp_add_more(struct dwp_writer *w, const char *name, uint32_t type, size_t from)
{
	static const char zeros[ALIGN];

	dwp_add_header(w, name, type, w->end + from, w->more.len - from);
	buf_add(&w->more, zeros, (ALIGN - w->more.len % ALIGN) % ALIGN);
}

/* Map the package, followed by w->more, with a head of the file for the new headers. Returns NULL on failure. */
static uint8_t *dwp_map_unit(struct dwp_writer *w, uint16_t machine, size_t *size)
{
	Elf64_Ehdr h = { .e_type = ET_EXEC,
			 .e_machine = machine,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof(h),
			 .e_shoff = w->end + w->more.len,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = (uint16_t)(w->n + 1),
			 .e_shstrndx = (uint16_t)w->n };
	uint8_t *file;

	memcpy(h.e_ident, w->d->file, EI_NIDENT);
	buf_add(&w->more, w->header, (w->n + 1) * sizeof(*w->header));
	*size = w->end + w->more.len;
	file = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (file == MAP_FAILED)
		return NULL;
	if (mmap(file, w->d->n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, w->d->fd, 0) ==
	    MAP_FAILED) {
		munmap(file, *size);
		return NULL;
	}
	memcpy(file, &h, sizeof(h));
	memcpy(file + w->end, w->more.data, w->more.len);
	return file;
}

/* Make the file of a unit. Returns NULL if its range lists are damaged. */
static uint8_t *dwp_make_file(const struct dwp *d, const struct dwp_part part[N_DWP_SECTIONS], Elf *elf, Dwarf_Die *die,
			      size_t *size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), from;
	struct dwp_writer w = { .d = d, .end = (d->n + page - 1) / page * page };
	struct dwp_part addresses = skeleton_addresses(elf, die);
	uint8_t *file = NULL;
	bool good = true;
	GElf_Ehdr eh;

	dwp_add_part(&w, ".debug_info", part[DWP_INFO]);
	dwp_add_part(&w, ".debug_abbrev", part[DWP_ABBREV]);
	dwp_add_part(&w, ".debug_line", part[DWP_LINE]);
	dwp_add_part(&w, ".debug_loclists", part[DWP_LOCLISTS]);
	dwp_add_part(&w, ".debug_str_offsets", part[DWP_STR_OFFSETS]);
	dwp_add_part(&w, ".debug_str", d->str);
	if (addresses.n) {
		buf_add(&w.more, addresses.at, addresses.n);
		dwp_add_more(&w, ".debug_addr", SHT_PROGBITS, 0);
	}
	from = w.more.len;
	if (part[DWP_RNGLISTS].n && (good = dwp_add_lists(part[DWP_RNGLISTS], skeleton_base(die), &w.more)))
		dwp_add_more(&w, ".debug_rnglists", SHT_PROGBITS, from);
	from = w.more.len;
	buf_add(&w.more, section_names, sizeof(section_names));
	dwp_add_more(&w, ".shstrtab", SHT_STRTAB, from);
	if (good)
		file = dwp_map_unit(&w, gelf_getehdr(elf, &eh) ? eh.e_machine : EM_NONE, size);
	buf_release(&w.more);
	return file;
}

/* Open the unit of a skeleton in the package. Returns false if it has no such unit, or it is damaged. */
static bool dwp_unit_open(const struct dwp *d, Elf *elf, Dwarf_Die *die, uint64_t id, struct dwp_unit *out,
			  Dwarf_Die *split)
{
	struct dwp_part part[N_DWP_SECTIONS] = { 0 };
	uint32_t row = dwp_find_row(d, id);
	Dwarf_CU *cu = NULL;

	if (!row || !dwp_find_parts(d, row, part))
		return false;
	out->file = dwp_make_file(d, part, elf, die, &out->size);
	out->elf = out->file ? elf_memory((char *)out->file, out->size) : NULL;
	out->dwarf = out->elf ? dwarf_begin_elf(out->elf, DWARF_C_READ, NULL) : NULL;
	if (out->dwarf && dwarf_get_units(out->dwarf, NULL, &cu, NULL, NULL, split, NULL) == 0 &&
	    dwarf_tag(split) == DW_TAG_compile_unit)
		return true;
	dwp_unit_close(out);
	return false;
}

enum split_status dwp_find_split(const struct dwp *d, Elf *elf, Dwarf_Die *die, struct dwp_unit *out)
{
	uint8_t type = 0;
	Dwarf_Die split = { 0 };
	uint64_t id = 0;

	*out = (struct dwp_unit){ 0 };
	if (dwarf_cu_info(die->cu, NULL, &type, NULL, &split, &id, NULL, NULL) != 0 || type != DW_UT_skeleton)
		return SPLIT_NONE;
	if (dwarf_tag(&split) != DW_TAG_compile_unit && !dwp_unit_open(d, elf, die, id, out, &split))
		return SPLIT_MISSING;
	*die = split;
	return SPLIT_FOUND;
}

void dwp_unit_close(struct dwp_unit *u)
{
	if (u->dwarf)
		dwarf_end(u->dwarf);
	if (u->elf)
		elf_end(u->elf);
	if (u->file)
		munmap(u->file, u->size);
	*u = (struct dwp_unit){ 0 };
}
