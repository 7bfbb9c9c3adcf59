/*
 * upkeep_int.h - recovery and repair, for the files of this directory
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_UPKEEP_INT_H
#define STORE_LOCAL_UPKEEP_UPKEEP_INT_H

#include "base/buf.h"
#include "base/err.h"
#include "store/local/format/segment.h"
#include "store/local/write/writer_state.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Make index.db again from the segments, pins and journals; the old one is moved to bad/. Readable properties of the old one are
 * kept: the cap, the retention, texts of pins. Segments that cannot be opened are moved to bad/. The lock of the writer is
 * held, and the catalogue is not open.
 *
 * report  a line for each problem is appended
 */
int upkeep_rebuild_index(int dir, const char *directory, struct buf *report, struct err *err);

/*
 * A segment without a row, which a crash or a damaged WAL left. It is removed if its row was removed, or if other
 * segments or the journals contain all its profiles, else it gets a row. Rows whose file is missing are removed. The
 * maintenance lock is held.
 *
 * file    "seg/raw/2026/ULID.cps"
 * report  may be NULL
 */
int upkeep_adopt_orphan(struct store_writer *w, const char *file, struct buf *report, struct err *err);

/* Remove rows of pins whose file is missing, and add rows for files without one. What was changed is added to the notes of the
   writer, which is being opened. */
int pin_recover(struct store_writer *w, struct err *err);

/* Move damaged pins to bad/, and keep their sound chapters as the pins. The maintenance lock is held. report: a line for each */
int pin_repair_all(struct store_writer *w, struct buf *report, struct err *err);

/* Open the catalogue, which is built again if it is missing or damaged. */
int recover_catalogue(struct store_writer *w, struct err *err);

/* Empty tmp/, adopt or remove segments without a row, and read the journals. */
int recover_files(struct store_writer *w, struct err *err);

/* ---- find files whose profiles are all in other files: what a crash between two steps leaves ---- */

struct repeats_file {
	const char *name;
	struct segment *segment;
	bool is_repeated; /* set by repeats_find */
};

/*
 * Mark the segments that are not needed, since the others contain all their profiles. Only segments that have blocks of one
 * series in one span are decoded. Damaged chapters are not compared.
 */
void repeats_find(struct repeats_file *file, size_t n);

/*
 * Files from which a segment was made, and which it replaces: see chapter.sources. Returns SOURCES_NONE if it was not made of others,
 * SOURCES_ALL if all of them exist: then the segment is not needed. SOURCES_SOME: it has what the missing ones had, so those that exist
 * are not needed; a line for each is appended to names, which may be NULL.
 */
enum repeats_sources { SOURCES_NONE, SOURCES_SOME, SOURCES_ALL };
enum repeats_sources repeats_find_sources(int dir, const struct segment *s, struct buf *names);

/*
 * Are all profiles of a journal in the segments? An empty journal is not.
 *
 * dir  descriptor of the store
 */
int repeats_has_journal(int dir, int64_t seq, const struct repeats_file *file, size_t n, struct err *err);

/* Are all profiles of a segment in other segments, or in the journals from a number on? Returns 1, 0 or ERR_*. */
int repeats_has_segment(int dir, const struct segment *s, const struct repeats_file *file, size_t n,
			int64_t first_journal, struct err *err);

#endif
