/*
 * upkeep.h - opens a store for writing, keeps it in order, and changes its content
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_UPKEEP_H
#define STORE_LOCAL_UPKEEP_UPKEEP_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "store/local/write/writer.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Open for writing; create the store if create is set. Recovers what a crash left.
 *
 * Fails  ERR_IO; when another process holds the lock, the message names it, and *holder (if not NULL) receives the content
 *        of the lock file
 */
int upkeep_open_writer(const char *directory, bool create, const struct store_writer_options *o,
		       struct store_writer **out, struct buf *holder, struct err *err);

/* Flush and close. Takes NULL. Fails like writer_flush; the writer is freed in any case. */
int upkeep_close_writer(struct store_writer *w, struct err *err);

/* Run compaction and retention as far as they are due. dry_run: only append lines that say what would be done. */
int upkeep_run(struct store_writer *w, bool now, bool dry_run, struct stop *stop, struct buf *report, struct err *err);

/* Copy a selection to pin/NAME.cpx; remove it. */
int upkeep_pin(struct store_writer *w, const char *name, const struct store_query *q, const char *spec,
	       struct err *err);
int upkeep_unpin(struct store_writer *w, const char *name, struct err *err);

/* Delete the profiles of a query. n: their number. */
int upkeep_remove(struct store_writer *w, const struct store_query *q, uint64_t *n, struct err *err);

/* Write the profiles of a query as a segment of its own (flags SEGMENT_EXPORT), and add all of such a file. */
int upkeep_export(struct store *s, const struct store_query *q, const char *path, struct stop *stop, uint64_t *n,
		  struct err *err);
int upkeep_import_segment(struct store_writer *w, const char *path, uint64_t *n, uint64_t *n_duplicates,
			  struct err *err);

/* Check every CRC and reference; deep: decode everything and compare totals. A line per damage is appended. Returns the
   number of damaged files, or ERR_*. */
int upkeep_verify(struct store *s, bool deep, struct stop *stop, struct buf *report, struct err *err);

/* Rebuild index.db from segments and journals, and move damaged files to bad/. */
int upkeep_repair(const char *directory, struct buf *report, struct err *err);

#endif
