/*
 * object_notes.h - the build id in the notes of an ELF file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_OBJECT_NOTES_H
#define SYMBOL_OBJECT_NOTES_H

#include "symbol/object_file.h"

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
