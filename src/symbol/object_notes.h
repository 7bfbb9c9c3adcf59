/*
 * object_notes.h - the build id in the notes of an ELF file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_OBJECT_NOTES_H
#define SYMBOL_OBJECT_NOTES_H

#include "symbol/object_file.h"

/*
 * Find the build id: in the notes of segments, else in those of sections. Two in one place are as
 * good as none, and so are sections that do not end where they should.
 *
 * Like    pprof internal/elfexec GetBuildID, but that ends at segments that are damaged
 */
void object_notes_build_id(const struct object_file *f, char out[2 * BUILD_ID_MAX + 1]);

/* The same for notes that somebody else read, which are a multiple of 4 bytes each. */
void object_notes_build_id_in(const uint8_t *notes, size_t n, char out[2 * BUILD_ID_MAX + 1]);

#endif
