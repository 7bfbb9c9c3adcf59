/*
 * pclntab.c - functions, files and lines of Go programs, which may be stripped
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table lists functions by address. For each function, byte programs encode how file and line change with the
 * address. Numbers come from the file, so all reads are bounded, and a search takes at most one step per byte of a
 * program.
 */
#include "config.h"

#include "symbol/pclntab.h"

#include "base/mem.h"
#include "base/search.h"
#include "symbol/elfutils.h"

#include <stdlib.h>
#include <string.h>

enum { GO_116 = 116, GO_118 = 118, GO_120 = 120 };

/* Words of a function after its address. */
enum { FUNC_NAME, FUNC_FILES = 4, FUNC_LINES, FUNC_UNIT = 7, FUNC_START_LINE };

/* Max bytes of a program; real ones are far smaller. */
enum { MAX_PROGRAM = 1 << 20 };

struct pclntab_part {
	const uint8_t *data;
	size_t n;
};

struct pclntab {
	Elf *elf;
	struct pclntab_part all, names, units, files, programs, functions;
	uint64_t text; /* start of the code; addresses are relative to it from Go 1.18 on */
	uint64_t n;    /* number of functions */
	unsigned version, quantum, ptr_size, field_size;
};

/* Read a number of 4 or 8 bytes; false when it is out of bounds. */
static bool pclntab_read_number(struct pclntab_part p, uint64_t off, unsigned size, uint64_t *out)
{
	uint32_t half;

	if (off > p.n || p.n - off < size)
		return false;
	if (size == 4) {
		memcpy(&half, p.data + off, 4);
		*out = half;
	} else {
		memcpy(out, p.data + off, 8);
	}
	return true;
}

/* The text at an offset; NULL when it is not terminated. */
static const char *pclntab_text(struct pclntab_part p, uint64_t off)
{
	return off < p.n && memchr(p.data + off, 0, p.n - off) ? (const char *)p.data + off : NULL;
}

static bool part_at(const struct pclntab *t, unsigned word, struct pclntab_part *out)
{
	uint64_t off;

	if (!pclntab_read_number(t->all, 8 + word * t->ptr_size, t->ptr_size, &off) || off > t->all.n)
		return false;
	*out = (struct pclntab_part){ t->all.data + off, t->all.n - off };
	return true;
}

static bool pclntab_read_version(struct pclntab *t)
{
	static const struct {
		uint32_t magic;
		unsigned version;
	} known[] = { { 0xfffffffa, GO_116 }, { 0xfffffff0, GO_118 }, { 0xfffffff1, GO_120 } };
	uint64_t magic = 0;

	if (t->all.n < 16 || !pclntab_read_number(t->all, 0, 4, &magic))
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].magic == magic)
			t->version = known[i].version;
	t->quantum = t->all.data[6];
	t->ptr_size = t->all.data[7];
	t->field_size = t->version >= GO_118 ? 4 : t->ptr_size;
	return t->version && t->quantum && (t->ptr_size == 4 || t->ptr_size == 8);
}

static bool pclntab_read_header(struct pclntab *t)
{
	unsigned first = 2;
	uint64_t start;

	if (!pclntab_read_version(t) || !pclntab_read_number(t->all, 8, t->ptr_size, &t->n))
		return false;
	if (t->version >= GO_118) { /* 0 in position-independent programs until they are loaded */
		if (pclntab_read_number(t->all, 8 + 2 * t->ptr_size, t->ptr_size, &start) && start)
			t->text = start;
		first = 3;
	}
	return part_at(t, first, &t->names) && part_at(t, first + 1, &t->units) && part_at(t, first + 2, &t->files) &&
	       part_at(t, first + 3, &t->programs) && part_at(t, first + 4, &t->functions) &&
	       t->n < t->functions.n / (2 * t->field_size);
}

/* Find the section of the table, and the start of the code. */
static bool find_sections(struct pclntab *t)
{
	size_t names;

	if (!t->elf || elf_getshdrstrndx(t->elf, &names) != 0)
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(t->elf, scn));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(t->elf, names, sh.sh_name) : NULL;
		Elf_Data *data;

		if (name && strcmp(name, ".text") == 0)
			t->text = sh.sh_addr;
		if (!name || sh.sh_type == SHT_NOBITS ||
		    (strcmp(name, ".gopclntab") != 0 && strcmp(name, ".data.rel.ro.gopclntab") != 0))
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			t->all = (struct pclntab_part){ data->d_buf, data->d_size };
	}
	return t->all.n > 0;
}

struct pclntab *pclntab_open(int fd)
{
	struct pclntab *t = mem_zalloc(1, sizeof(*t));

	elf_version(EV_CURRENT);
	t->elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (!find_sections(t) || !pclntab_read_header(t)) {
		pclntab_close(t);
		return NULL;
	}
	return t;
}

void pclntab_close(struct pclntab *t)
{
	if (!t)
		return;
	if (t->elf)
		elf_end(t->elf);
	free(t);
}

/* Start of function i; for i == n, the end of the last function. */
static uint64_t entry(const struct pclntab *t, uint64_t i)
{
	uint64_t v = 0;

	pclntab_read_number(t->functions, i * 2 * t->field_size, t->field_size, &v);
	return t->version >= GO_118 ? t->text + v : v;
}

static bool varint(struct pclntab_part p, size_t *at, uint32_t *out)
{
	*out = 0;
	for (unsigned shift = 0; *at < p.n && shift < 35; shift += 7) {
		uint8_t b = p.data[(*at)++];

		*out |= (uint32_t)(b & 0x7f) << (shift < 32 ? shift : 31);
		if (!(b & 0x80))
			return true;
	}
	return false;
}

/* The value that a program assigns to an address; -1 if the program ends before the address. */
static int64_t pclntab_run_program(const struct pclntab *t, uint64_t program, uint64_t pc, uint64_t addr)
{
	struct pclntab_part p = t->programs;
	int64_t value = -1;
	size_t at = 0;

	if (!program || program >= p.n)
		return -1;
	p = (struct pclntab_part){ p.data + program, p.n - program < MAX_PROGRAM ? p.n - program : MAX_PROGRAM };
	for (bool first = true;; first = false) {
		uint32_t step, length;

		if (!varint(p, &at, &step) || (!step && !first) || !varint(p, &at, &length))
			return -1;
		value += step & 1 ? -(int64_t)(step >> 1) - 1 : (int64_t)(step >> 1);
		pc += (uint64_t)length * t->quantum;
		if (addr < pc)
			return value;
	}
}

/* Path of a file of a compilation unit. */
static const char *pclntab_file_of(const struct pclntab *t, uint64_t unit, int64_t file)
{
	uint64_t off;

	if (file < 0 || !pclntab_read_number(t->units, 4 * (unit + (uint64_t)file), 4, &off) || off == UINT32_MAX)
		return NULL;
	return pclntab_text(t->files, off);
}

struct pclntab_address_key {
	const struct pclntab *t;
	uint64_t addr;
};

static bool starts_at_or_below(const void *arg, size_t i)
{
	const struct pclntab_address_key *key = arg;

	return entry(key->t, i) <= key->addr;
}

/* The function that contains an address; t->n for none. */
static uint64_t pclntab_find_function(const struct pclntab *t, uint64_t addr)
{
	struct pclntab_address_key key = { t, addr };
	uint64_t next = lower_bound(0, t->n, starts_at_or_below, &key);

	return next && addr < entry(t, t->n) ? next - 1 : t->n;
}

bool pclntab_find(const struct pclntab *t, uint64_t addr, struct frame *out)
{
	uint64_t i = pclntab_find_function(t, addr), off, word[FUNC_START_LINE + 1] = { 0 };
	int64_t line;

	if (i == t->n || !pclntab_read_number(t->functions, (i * 2 + 1) * t->field_size, t->field_size, &off))
		return false;
	if (off > t->functions.n)
		return false;
	for (unsigned k = 0; k <= FUNC_START_LINE; k++)
		if (!pclntab_read_number(t->functions, off + t->field_size + 4 * k, 4, &word[k]))
			return false;
	*out = (struct frame){ .name = pclntab_text(t->names, word[FUNC_NAME]) };
	out->file = pclntab_file_of(t, word[FUNC_UNIT], pclntab_run_program(t, word[FUNC_FILES], entry(t, i), addr));
	line = pclntab_run_program(t, word[FUNC_LINES], entry(t, i), addr);
	out->line = out->file && line > 0 ? line : 0;
	if (t->version >= GO_120)
		out->start_line = (int32_t)word[FUNC_START_LINE] > 0 ? (int64_t)word[FUNC_START_LINE] : 0;
	return out->name != NULL;
}
