/*
 * tls.c - find an exported thread-local variable in the memory of another process, and its address in each thread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/tls.h"

#include <elf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)

enum {
	SEGMENTS_MAX = 64,
	DYNAMIC_MAX = 128,         /* entries of the dynamic section */
	RELOCATIONS_MAX = 1 << 20, /* per table */
	RELOCATIONS_PART = 1024,   /* read at a time */
	PART_STEPS = 64,           /* the time for that, compared with a symbol of a hash chain */
	NAME_MAX_BYTES = 64,
	MODULES_MAX = 1 << 16,
	DESCRIPTOR_MAX = 4096 /* bytes of a thread descriptor before the list of robust mutexes */
};

/* Offsets from the thread pointer further than this are no static ones. */
#define STATIC_OFFSET_MAX (INT64_C(1) << 30)

static bool tls_read(const struct tls_object *o, uint64_t at, void *to, size_t n)
{
	return space_read(o->space, at, to, n) == n;
}

/* Return true if searches may continue for n steps. */
static bool tls_step(const struct tls_object *o, uint32_t n)
{
	*o->n_steps -= *o->n_steps < n ? *o->n_steps : n;
	return *o->n_steps > 0;
}

/* The loader relocates the addresses in the dynamic section of most objects, but not of all. */
static uint64_t tls_relocated(const struct tls_object *o, uint64_t address)
{
	return address && address < o->bias ? address + o->bias : address;
}

static void tls_read_dynamic(struct tls_object *o, uint64_t at, uint64_t size)
{
	size_t n = size / sizeof(Elf64_Dyn) < DYNAMIC_MAX ? size / sizeof(Elf64_Dyn) : DYNAMIC_MAX;
	Elf64_Dyn d[DYNAMIC_MAX];

	if (!tls_read(o, at, d, n * sizeof(*d)))
		return;
	for (size_t i = 0; i < n && d[i].d_tag != DT_NULL; i++) {
		uint64_t v = d[i].d_un.d_val, address = tls_relocated(o, v);

		switch (d[i].d_tag) {
		case DT_SYMTAB:
			o->symbols = address;
			break;
		case DT_STRTAB:
			o->names = address;
			break;
		case DT_GNU_HASH:
			o->gnu_hash = address;
			break;
		case DT_HASH:
			o->hash = address;
			break;
		case DT_RELA:
			o->relocations[0] = address;
			break;
		case DT_RELASZ:
			o->n_relocations[0] = v / sizeof(Elf64_Rela);
			break;
		case DT_JMPREL:
			o->relocations[1] = address;
			break;
		case DT_PLTRELSZ:
			o->n_relocations[1] = v / sizeof(Elf64_Rela);
			break;
		default:
			break;
		}
	}
}

bool attach_tls_open(struct tls_object *o, struct address_space *space, uint64_t base, bool is_program,
		     uint32_t *n_steps)
{
	Elf64_Phdr segment[SEGMENTS_MAX];
	const Elf64_Phdr *dynamic = NULL;
	bool is_loaded = false;
	Elf64_Ehdr head;

	*o = (struct tls_object){ .space = space, .n_steps = n_steps, .base = base, .is_program = is_program };
	if (!tls_read(o, base, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64 || head.e_phnum > SEGMENTS_MAX ||
	    head.e_phentsize != sizeof(*segment) ||
	    !tls_read(o, base + head.e_phoff, segment, head.e_phnum * sizeof(*segment)))
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		if (segment[i].p_type == PT_LOAD && !is_loaded) {
			o->bias = base - (segment[i].p_vaddr - segment[i].p_offset);
			is_loaded = true;
		}
		if (segment[i].p_type == PT_TLS) {
			o->tls_address = segment[i].p_vaddr;
			o->tls_size = segment[i].p_memsz;
			o->tls_align = segment[i].p_align ? segment[i].p_align : 1;
		}
		if (segment[i].p_type == PT_DYNAMIC)
			dynamic = &segment[i];
	}
	if (!o->tls_size || !dynamic || !is_loaded)
		return false;
	tls_read_dynamic(o, o->bias + dynamic->p_vaddr, dynamic->p_memsz);
	return o->symbols && o->names && (o->gnu_hash || o->hash);
}

/* Has symbol i this name, and is it defined here? */
static bool tls_is_symbol(const struct tls_object *o, uint32_t i, const char *name, Elf64_Sym *out)
{
	size_t n = strlen(name) + 1;
	char text[NAME_MAX_BYTES];

	return n <= sizeof(text) && tls_read(o, o->symbols + (uint64_t)i * sizeof(*out), out, sizeof(*out)) &&
	       out->st_shndx != SHN_UNDEF && tls_read(o, o->names + out->st_name, text, n) &&
	       memcmp(text, name, n) == 0;
}

/* Look up a name in the table of DT_GNU_HASH. Returns the number of its symbol, 0 if it is not there. */
static uint32_t tls_find_gnu(const struct tls_object *o, const char *name, Elf64_Sym *out)
{
	struct {
		uint32_t n_buckets, first, n_bloom, shift;
	} head;
	uint32_t h = 5381, i, hash;
	uint64_t buckets, chain;

	for (const char *s = name; *s; s++)
		h = h * 33 + (unsigned char)*s;
	if (!tls_read(o, o->gnu_hash, &head, sizeof(head)) || head.n_buckets == 0)
		return 0;
	buckets = o->gnu_hash + sizeof(head) + (uint64_t)head.n_bloom * 8;
	chain = buckets + (uint64_t)head.n_buckets * 4;
	if (!tls_read(o, buckets + (uint64_t)(h % head.n_buckets) * 4, &i, sizeof(i)) || i < head.first)
		return 0;
	for (; tls_step(o, 1); i++) {
		if (!tls_read(o, chain + (uint64_t)(i - head.first) * 4, &hash, sizeof(hash)))
			return 0;
		if ((hash | 1) == (h | 1) && tls_is_symbol(o, i, name, out))
			return i;
		if (hash & 1)
			return 0;
	}
	return 0;
}

/* The same in the table of DT_HASH. */
static uint32_t tls_find_sysv(const struct tls_object *o, const char *name, Elf64_Sym *out)
{
	uint32_t head[2], h = 0, i; /* head: number of buckets, of symbols */

	for (const char *s = name; *s; s++) {
		h = (h << 4) + (unsigned char)*s;
		h ^= (h & 0xf0000000) >> 24;
		h &= 0x0fffffff;
	}
	if (!tls_read(o, o->hash, head, sizeof(head)) || head[0] == 0 ||
	    !tls_read(o, o->hash + sizeof(head) + (uint64_t)(h % head[0]) * 4, &i, sizeof(i)))
		return 0;
	while (i && i < head[1] && tls_step(o, 1)) {
		if (tls_is_symbol(o, i, name, out))
			return i;
		if (!tls_read(o, o->hash + sizeof(head) + ((uint64_t)head[0] + i) * 4, &i, sizeof(i)))
			return 0;
	}
	return 0;
}

static uint32_t tls_find_symbol(const struct tls_object *o, const char *name, Elf64_Sym *out)
{
	return o->gnu_hash ? tls_find_gnu(o, name, out) : tls_find_sysv(o, name, out);
}

/* Read the words that the loader wrote for a relocation. Returns false if it has another type. */
static bool tls_read_slot(const struct tls_object *o, const Elf64_Rela *r, struct tls_variable *out)
{
	uint64_t word[2], slot = o->bias + r->r_offset;

	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_TPOFF64:
		*out = (struct tls_variable){ 0 };
		return tls_read(o, slot, &out->offset, sizeof(out->offset));
	case R_X86_64_DTPMOD64: /* the offset is the next word */
		if (!tls_read(o, slot, word, sizeof(word)))
			return false;
		*out = (struct tls_variable){ true, (int64_t)word[1], word[0] };
		return true;
	case R_X86_64_TLSDESC: /* a function and its argument: the offset, or a pointer to module and offset */
		if (!tls_read(o, slot, word, sizeof(word)))
			return false;
		*out = (struct tls_variable){ .offset = (int64_t)word[1] };
		if (out->offset < 0 && out->offset > -STATIC_OFFSET_MAX)
			return true;
		if (!tls_read(o, word[1], word, sizeof(word)))
			return false;
		*out = (struct tls_variable){ true, (int64_t)word[1], word[0] };
		return true;
	default:
		return false;
	}
}

/* Find a relocation of a symbol in a table. */
static bool tls_find_relocation(const struct tls_object *o, int table, uint32_t symbol, struct tls_variable *out)
{
	uint64_t n = o->n_relocations[table] < RELOCATIONS_MAX ? o->n_relocations[table] : RELOCATIONS_MAX;
	Elf64_Rela r[RELOCATIONS_PART];

	for (uint64_t at = 0; o->relocations[table] && at < n && tls_step(o, PART_STEPS); at += RELOCATIONS_PART) {
		uint64_t part = n - at < RELOCATIONS_PART ? n - at : RELOCATIONS_PART;

		if (!tls_read(o, o->relocations[table] + at * sizeof(*r), r, part * sizeof(*r)))
			return false;
		for (uint64_t i = 0; i < part; i++)
			if (ELF64_R_SYM(r[i].r_info) == symbol && tls_read_slot(o, &r[i], out))
				return true;
	}
	return false;
}

bool attach_tls_find(const struct tls_object *o, const char *name, struct tls_variable *out)
{
	uint64_t end;
	Elf64_Sym s;
	uint32_t symbol = tls_find_symbol(o, name, &s);

	if (!symbol || ELF64_ST_TYPE(s.st_info) != STT_TLS)
		return false;
	if (tls_find_relocation(o, 0, symbol, out) || tls_find_relocation(o, 1, symbol, out))
		return true;
	if (!o->is_program || o->tls_align & (o->tls_align - 1))
		return false;
	/* the block of the executable ends at the thread pointer, with the alignment of its address in the file */
	end = o->tls_size + ((0 - o->tls_address - o->tls_size) & (o->tls_align - 1));
	*out = (struct tls_variable){ .offset = (int64_t)(s.st_value - end) };
	return true;
}

uint64_t attach_tls_find_global(const struct tls_object *o, const char *name)
{
	Elf64_Sym s;

	return tls_find_symbol(o, name, &s) && ELF64_ST_TYPE(s.st_info) == STT_OBJECT ? o->bias + s.st_value : 0;
}

uint64_t attach_tls_thread_pointer(struct address_space *space, uint32_t tid)
{
	uint64_t head = 0, word[DESCRIPTOR_MAX / 8], lo;
	size_t size = 0, n;

	if (syscall(SYS_get_robust_list, tid, &head, &size) != 0 || head % 8 || head <= DESCRIPTOR_MAX)
		return 0;
	/* the descriptor begins with its own address, and has it again as third word */
	lo = head - DESCRIPTOR_MAX;
	n = space_read(space, lo, word, sizeof(word));
	if (n < sizeof(word)) { /* it may begin at the start of a mapping */
		lo = (head - 1) & ~UINT64_C(4095);
		if (space_read(space, lo, word, head - lo) != head - lo)
			return 0;
	}
	for (uint64_t i = (head - lo) / 8; i > 2; i--)
		if (word[i - 3] == lo + (i - 3) * 8 && word[i - 1] == word[i - 3])
			return word[i - 3];
	return 0;
}

uint64_t attach_tls_address(struct address_space *space, const struct tls_variable *v, uint64_t thread_pointer)
{
	uint64_t vector, n, block;

	if (!v->is_dynamic)
		return thread_pointer + (uint64_t)v->offset;
	/* the second word of the descriptor is the vector of blocks, of two words each, with its size before it */
	if (v->module == 0 || v->module > MODULES_MAX ||
	    space_read(space, thread_pointer + 8, &vector, sizeof(vector)) != sizeof(vector) ||
	    space_read(space, vector - 16, &n, sizeof(n)) != sizeof(n) || v->module > n ||
	    space_read(space, vector + v->module * 16, &block, sizeof(block)) != sizeof(block) || block + 1 <= 1)
		return 0;
	return block + (uint64_t)v->offset;
}

#else

bool attach_tls_open(struct tls_object *o, struct address_space *space, uint64_t base, bool is_program,
		     uint32_t *n_steps)
{
	(void)n_steps;
	(void)o;
	(void)space;
	(void)base;
	(void)is_program;
	return false;
}

bool attach_tls_find(const struct tls_object *o, const char *name, struct tls_variable *out)
{
	(void)o;
	(void)name;
	(void)out;
	return false;
}

uint64_t attach_tls_find_global(const struct tls_object *o, const char *name)
{
	(void)o;
	(void)name;
	return 0;
}

uint64_t attach_tls_thread_pointer(struct address_space *space, uint32_t tid)
{
	(void)space;
	(void)tid;
	return 0;
}

uint64_t attach_tls_address(struct address_space *space, const struct tls_variable *v, uint64_t thread_pointer)
{
	(void)space;
	(void)v;
	(void)thread_pointer;
	return 0;
}

#endif
