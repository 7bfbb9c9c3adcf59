/*
 * object_file.h - an open ELF file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_OBJECT_FILE_H
#define SYMBOL_OBJECT_FILE_H

#include "base/err.h"
#include "symbol/elfutils.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUILD_ID_MAX = 64 }; /* bytes; real build ids have 16 to 32, longer ones are ignored */

/* elf is NULL when no file is open; closed with object_file_close. */
struct object_file {
	int fd;
	Elf *elf;
	char *path;
	char build_id[2 * BUILD_ID_MAX + 1]; /* lower-case hexadecimal; "" for none */
};

/*
 * Open an ELF file.
 *
 * Fails   ERR_IO, ERR_FORMAT, naming the path, in pprof's words where it has any; *out is then as after
 *         object_file_close
 */
int object_file_open(const char *path, struct object_file *out, struct err *err);

/* Like object_file_open, for an open descriptor, which is closed with the file, and also on failure. */
int object_file_take(int fd, const char *path, struct object_file *out, struct err *err);

/* May be called again after closing. */
void object_file_close(struct object_file *f);

/* The bytes of the file as they are on disk. */
const uint8_t *object_file_bytes(const struct object_file *f, size_t *n);

/* The first section of this name that has bytes in the file; NULL for none. */
Elf_Scn *object_file_section(const struct object_file *f, const char *name, GElf_Shdr *shdr);

/* The bytes of the first such section, as they are on disk; NULL for none. */
const uint8_t *object_file_section_bytes(const struct object_file *f, const char *name, size_t *n);

/* Does it contain DWARF with functions? */
bool object_file_has_dwarf(const struct object_file *f);

/* Is it a debug file, with the code removed? */
bool object_file_is_debug(const struct object_file *f);

/*
 * Find the build id in the notes of segments, or else of sections. Two build ids in one place count as none, and so do
 * damaged sections.
 *
 * Like    pprof internal/elfexec GetBuildID, which fails on damaged segments
 */
void object_notes_build_id(const struct object_file *f, char out[2 * BUILD_ID_MAX + 1]);

/* Find the build id in notes that the caller has read; the size of each is a multiple of 4 bytes. */
void object_notes_build_id_in(const uint8_t *notes, size_t n, char out[2 * BUILD_ID_MAX + 1]);

#endif
