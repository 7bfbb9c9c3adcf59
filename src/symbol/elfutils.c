/*
 * elfutils.c - load libdw, libelf and liblzma on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libdw needs the two others, so their functions are found in it too.
 */
#include "config.h"

#define ELFUTILS_TABLE
#include "symbol/elfutils.h"

#include "base/library.h"

#include <pthread.h>
#include <stddef.h>

static struct err failure;

/* Functions that callers may use although elf_begin has failed. */
static Elf *no_begin(int fd, Elf_Cmd command, Elf *parent)
{
	(void)fd;
	(void)command;
	(void)parent;
	return NULL;
}

static int no_end(Elf *elf)
{
	(void)elf;
	return 0;
}

static int no_dwarf_end(Dwarf *dwarf)
{
	(void)dwarf;
	return 0;
}

static const char *no_errmsg(int error)
{
	(void)error;
	return failure.msg;
}

struct elfutils elfutils;

static void elfutils_load(void)
{
#define FUNCTION(name) { #name, offsetof(struct elfutils, name) },
	static const struct library_function functions[] = { ELFUTILS_FUNCTIONS(FUNCTION) };
#undef FUNCTION

	if (library_load("libdw.so.1", functions, sizeof(functions) / sizeof(functions[0]), &elfutils,
			 "names of functions need libdw: apt-get install libdw1", &failure) < 0)
		elfutils = (struct elfutils){ .elf_begin = no_begin,
					      .elf_end = no_end,
					      .elf_errmsg = no_errmsg,
					      .dwarf_end = no_dwarf_end,
					      .dwarf_errmsg = no_errmsg };
}

unsigned elfutils_version(unsigned version)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, elfutils_load);
	return elfutils.elf_version ? elfutils.elf_version(version) : EV_NONE;
}
