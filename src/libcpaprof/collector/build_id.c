/*
 * build_id.c - the build id of an object in the memory of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/build_id.h"

#include "libcpaprof/target/segment.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>

enum { HEADS_MAX = 64, NOTES_MAX = 4096 };

static bool peek(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

static uint32_t find_id(const uint8_t *at, size_t n, uint8_t *id)
{
	while (n >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		size_t name, size;

		memcpy(&note, at, sizeof(note));
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		size = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		at += sizeof(note);
		n -= sizeof(note);
		if (name > n || size > n - name)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && name == 4 && memcmp(at, "GNU", 4) == 0) {
			if (note.n_descsz > MODULE_ID_MAX)
				return 0;
			memcpy(id, at + name, note.n_descsz);
			return note.n_descsz;
		}
		at += name + size;
		n -= name + size;
	}
	return 0;
}

uint32_t build_id_read(pid_t pid, uint64_t start, uint8_t *id)
{
	uint8_t notes[NOTES_MAX];
	ElfW(Phdr) head[HEADS_MAX];
	ElfW(Ehdr) elf;
	uint64_t first = 0;
	uint32_t n = 0;

	if (!peek(pid, start, &elf, sizeof(elf)) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf.e_phentsize != sizeof(head[0]) || elf.e_phnum > HEADS_MAX ||
	    !peek(pid, start + elf.e_phoff, head, elf.e_phnum * sizeof(head[0])))
		return 0;
	for (int i = elf.e_phnum - 1; i >= 0; i--)
		if (head[i].p_type == PT_LOAD && head[i].p_offset == 0)
			first = head[i].p_vaddr;
	for (int i = 0; i < elf.e_phnum && n == 0; i++)
		if (head[i].p_type == PT_NOTE && head[i].p_filesz <= NOTES_MAX &&
		    peek(pid, start + head[i].p_vaddr - first, notes, head[i].p_filesz))
			n = find_id(notes, head[i].p_filesz, id);
	return n;
}
