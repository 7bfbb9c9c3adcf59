/*
 * addresses.c - write a profile of many distinct addresses of a program, without names
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: addresses PROGRAM COUNT OUT
 *
 * The addresses are spread over .text, always the same; each address has its own sample. The mapping uses the addresses
 * of the program headers; a position-independent program, whose first segment is at 0, is mapped at a fixed address.
 */
#include "config.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ID = 64 };

static const uint64_t pie_start = 0x555555554000;

struct program {
	const char *path;
	uint64_t text, text_size;     /* addresses of the section in the file */
	uint64_t start, size, offset; /* its segment */
	uint64_t bias;                /* load address minus file address */
	char build_id[2 * MAX_ID + 1];
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "addresses: %s: %s\n", what, why);
	exit(2);
}

static void read_at(FILE *f, uint64_t off, void *out, size_t n)
{
	if (fseek(f, (long)off, SEEK_SET) || fread(out, 1, n, f) != n)
		die("program", "read failed");
}

static void read_note(FILE *f, const Elf64_Shdr *sh, struct program *p)
{
	uint8_t note[16 + MAX_ID];
	size_t n = sh->sh_size < sizeof(note) ? sh->sh_size : sizeof(note);

	read_at(f, sh->sh_offset, note, n);
	for (size_t i = 16; i < n; i++)
		snprintf(p->build_id + 2 * (i - 16), 3, "%02x", note[i]);
}

static void read_program(struct program *p)
{
	FILE *f = fopen(p->path, "rb");
	Elf64_Ehdr eh;
	Elf64_Shdr sh, names;

	if (!f)
		die(p->path, "open failed");
	read_at(f, 0, &eh, sizeof(eh));
	read_at(f, eh.e_shoff + (uint64_t)eh.e_shstrndx * sizeof(sh), &names, sizeof(names));
	for (unsigned i = 0; i < eh.e_shnum; i++) {
		char name[32] = "";

		read_at(f, eh.e_shoff + (uint64_t)i * sizeof(sh), &sh, sizeof(sh));
		if (fseek(f, (long)(names.sh_offset + sh.sh_name), SEEK_SET) || !fread(name, 1, sizeof(name) - 1, f))
			continue;
		if (!strcmp(name, ".text")) {
			p->text = sh.sh_addr;
			p->text_size = sh.sh_size;
		} else if (!strcmp(name, ".note.gnu.build-id")) {
			read_note(f, &sh, p);
		}
	}
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		Elf64_Phdr ph;

		read_at(f, eh.e_phoff + (uint64_t)i * sizeof(ph), &ph, sizeof(ph));
		if (ph.p_type == PT_LOAD && p->text - ph.p_vaddr < ph.p_memsz) {
			p->start = ph.p_vaddr & ~(uint64_t)4095;
			p->size = (ph.p_memsz + 8191) & ~(uint64_t)4095;
			p->offset = ph.p_offset & ~(uint64_t)4095;
		}
	}
	p->bias = eh.e_type == ET_DYN ? pie_start : 0;
	fclose(f);
}

static void put_varint(FILE *f, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		putc((int)(v & 0x7f) | 0x80, f);
	putc((int)v, f);
}

static unsigned size_of(uint64_t v)
{
	unsigned n = 1;

	while (v >>= 7)
		n++;
	return n;
}

/* Write a message of numbers: field i + 1 is v[i]; zeros are omitted. */
static void put_message(FILE *f, unsigned field, const uint64_t *v, unsigned n)
{
	uint64_t size = 0;

	for (unsigned i = 0; i < n; i++)
		size += v[i] ? 1 + size_of(v[i]) : 0;
	put_varint(f, field << 3 | 2);
	put_varint(f, size);
	for (unsigned i = 0; i < n; i++)
		if (v[i]) {
			put_varint(f, (uint64_t)(i + 1) << 3);
			put_varint(f, v[i]);
		}
}

static void put_text(FILE *f, const char *text)
{
	put_varint(f, 6 << 3 | 2);
	put_varint(f, strlen(text));
	fputs(text, f);
}

int main(int argc, char **argv)
{
	struct program p = { .path = argc == 4 ? argv[1] : "" };
	uint64_t n = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	FILE *f = argc == 4 ? fopen(argv[3], "wb") : NULL;

	if (!f || !n)
		die("usage", "addresses PROGRAM COUNT OUT");
	read_program(&p);
	if (n > p.text_size)
		die(p.path, "has fewer bytes of code than that");
	put_message(f, 1, (uint64_t[]){ 1, 2 }, 2);
	for (uint64_t i = 1; i <= n; i++)
		put_message(f, 2, (uint64_t[]){ i, 1 + i % 97 }, 2);
	put_message(f, 3, (uint64_t[]){ 1, p.bias + p.start, p.bias + p.start + p.size, p.offset, 3, 4 }, 6);
	for (uint64_t i = 1; i <= n; i++) /* one address in each of n sections of the code */
		put_message(f, 4,
			    (uint64_t[]){ i, 1,
					  p.bias + p.text + (i - 1) * p.text_size / n + i * 7919 % (p.text_size / n) },
			    3);
	for (const char *const *t = (const char *const[]){ "", "samples", "count", p.path, p.build_id, NULL }; *t; t++)
		put_text(f, *t);
	return fclose(f) ? 2 : 0;
}
