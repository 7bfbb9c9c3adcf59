/*
 * repair.h - restore the catalogue from the files of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_REPAIR_H
#define STORE_LOCAL_UPKEEP_REPAIR_H

#include "base/buf.h"
#include "base/err.h"

struct store_writer;

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

#endif
