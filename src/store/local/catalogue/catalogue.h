/*
 * catalogue.h - index.db: which segments, series, marks and pins a store has
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An SQLite database in WAL mode, with a checksum in each page. One process writes; any number read. It contains nothing
 * that upkeep_repair cannot rebuild from the segments. All SQL of the store is in catalogue*.c. Times are ns since 1970; the
 * span of a chapter is that of its first and last start, the span of a segment is [t0, t1).
 *
 * A catalogue is used by one thread at a time: that of the writer with the maintenance lock held.
 */
#ifndef STORE_LOCAL_CATALOGUE_CATALOGUE_H
#define STORE_LOCAL_CATALOGUE_CATALOGUE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/local/format/segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalogue;

enum catalogue_mode { CATALOGUE_READ, CATALOGUE_WRITE, CATALOGUE_CREATE };

/*
 * Open DIRECTORY/index.db. CATALOGUE_CREATE makes it if it is missing.
 *
 * Fails  ERR_IO when it is missing or cannot be opened; ERR_FORMAT when it is damaged, or newer than this program. The
 *        message names the file and the remedy
 */
int catalogue_open(const char *directory, enum catalogue_mode mode, struct catalogue **out, struct err *err);
void catalogue_close(struct catalogue *c); /* takes NULL; keeps -wal and -shm, which readers need */

/* Bytes of index.db and its -wal and -shm; the largest size that the next transaction may give them. */
uint64_t catalogue_bytes(const struct catalogue *c);
uint64_t catalogue_bytes_max(const struct catalogue *c);

/* The largest size of index.db; a transaction that needs more fails with ERR_LIMIT. */
int catalogue_set_limit(struct catalogue *c, uint64_t bytes, struct err *err);

/*
 * Begin and end a transaction; every function below that changes something needs one. catalogue_commit is durable when it
 * returns, and moves the WAL into the database. catalogue_rollback may be called without a transaction.
 */
int catalogue_begin(struct catalogue *c, struct err *err);
int catalogue_commit(struct catalogue *c, struct err *err);
void catalogue_rollback(struct catalogue *c);

/*
 * A commit that fails may be found by the next process that opens the catalogue: its pages can be in the WAL although they could not
 * be synced. A later commit replaces them. So after a failure, one that changes nothing is tried; until one succeeds, it is
 * uncertain whether the transaction took place, and its files must be kept. catalogue_settle tries again.
 */
bool catalogue_is_uncertain(const struct catalogue *c);
int catalogue_settle(struct catalogue *c, struct err *err);

/* Move the WAL into the database, as far as no reader needs it. */
void catalogue_checkpoint(struct catalogue *c);

/* --- properties: "uuid", "cap", "retain_raw", "next_journal" ... --- */

/* Returns 1 if there is such a property, 0 if not, or ERR_*. */
int catalogue_get_text(struct catalogue *c, const char *key, struct buf *out, struct err *err);
int catalogue_get_number(struct catalogue *c, const char *key, int64_t *out, struct err *err);
int catalogue_set_text(struct catalogue *c, const char *key, const char *value, struct err *err);
int catalogue_set_number(struct catalogue *c, const char *key, int64_t value, struct err *err);

/* --- segments --- */

enum { CATALOGUE_FILE_MAX = 80 }; /* of the name of a file with its 0; pins have the longest */

struct catalogue_segment {
	int64_t id;
	char file[CATALOGUE_FILE_MAX]; /* below the directory of the store: "seg/raw/2026/ULID.cps" */
	enum store_tier tier;
	unsigned level, class; /* of compaction; class of retention, 0 */
	int64_t t0, t1, made;
	uint64_t profiles, bytes; /* allocated bytes */
	uint32_t crc;             /* of the directory section */
};

/*
 * Add a segment and its chapters. s is the opened file; tier, level and times come from its header.
 *
 * row   file, bytes and crc are given; the rest is filled in
 */
int catalogue_add_segment(struct catalogue *c, struct catalogue_segment *row, const struct segment *s, struct err *err);

/* Remove the row and its chapters; not the file, whose name is remembered until 1,000 more are removed. */
int catalogue_remove_segment(struct catalogue *c, int64_t id, struct err *err);

/* Was a segment of this file removed? A crash can leave the file. Returns 1, 0 or ERR_*. */
int catalogue_is_removed(struct catalogue *c, const char *file, struct err *err);

/* Add the series and marks of a chapter, or extend their spans. To be called for each chapter of a new segment. */
int catalogue_add_series(struct catalogue *c, const struct chapter *ch, struct err *err);
int catalogue_add_mark(struct catalogue *c, const char *service, const struct store_mark *m, struct err *err);

/* Forget the series and marks of a service, before they are added again from what remains. */
int catalogue_remove_service(struct catalogue *c, const char *service, struct err *err);

/* Remove the series and marks of times before which their service has no chapter any more. */
int catalogue_prune(struct catalogue *c, struct err *err);

struct catalogue_segments {
	struct catalogue_segment *row; /* [n] sorted by t1, then id */
	size_t n;
};

/* All segments of a tier; of all tiers if tier is N_TIERS. */
int catalogue_get_segments(struct catalogue *c, enum store_tier tier, struct catalogue_segments *out, struct err *err);
void catalogue_segments_release(struct catalogue_segments *s);

/* Bytes of the largest chapter of a segment; 0 without chapters, or ERR_*. */
int64_t catalogue_largest_chapter(struct catalogue *c, int64_t id, struct err *err);

/* Is there a segment of this file? Returns 1, 0 or ERR_*. */
int catalogue_has_file(struct catalogue *c, const char *file, struct err *err);

/* --- pins --- */

struct catalogue_pin {
	const char *name, *file, *spec; /* file: "pin/NAME.cpx" */
	int64_t made;
	uint64_t bytes;
};

int catalogue_add_pin(struct catalogue *c, const struct catalogue_pin *p, struct err *err);
int catalogue_remove_pin(struct catalogue *c, const char *name, struct err *err);

/* Called for each pin, or only for the pin of this name if name is not NULL. Strings live until fn returns. */
typedef int catalogue_pin_fn(void *arg, const struct catalogue_pin *p, struct err *err);
int catalogue_each_pin(struct catalogue *c, const char *name, catalogue_pin_fn *fn, void *arg, struct err *err);

/* All pins, sorted by name, in the memory of an arena. */
int catalogue_get_pins(struct catalogue *c, struct arena *mem, struct catalogue_pin **out, size_t *n, struct err *err);

/* --- data that was removed --- */

struct catalogue_loss {
	int64_t ts, t0, t1; /* the time of removal; the span of the data */
	enum store_tier tier;
	const char *
		what; /* "retain", "cap", "rm", "damaged"; "retain to 10m", "cap to 1h", "by rules": the resolution was reduced */
	uint64_t profiles, bytes;
};

int catalogue_add_loss(struct catalogue *c, const struct catalogue_loss *l, struct err *err);

/* Called for each loss that meets [t0, t1), oldest first. */
typedef int catalogue_loss_fn(void *arg, const struct catalogue_loss *l, struct err *err);
int catalogue_each_loss(struct catalogue *c, int64_t t0, int64_t t1, catalogue_loss_fn *fn, void *arg, struct err *err);

/* --- reading --- */

/*
 * A read transaction: until catalogue_read_end, all functions see the same state. It must last milliseconds only, since the WAL
 * grows meanwhile: open the files, then end it. If a file is gone, it was removed since: end, and start again.
 */
int catalogue_read_begin(struct catalogue *c, struct err *err);
void catalogue_read_end(struct catalogue *c);

/* Selects chapters. */
struct catalogue_query {
	const char *service; /* with * and ? if is_pattern; NULL: all */
	bool is_pattern;
	int64_t t0, t1; /* profiles that start in [t0, t1) */
};

struct catalogue_chapter {
	const char *service, *file;
	enum store_tier tier;
	int64_t segment; /* id */
	uint64_t offset, length;
	int64_t t0, t1; /* first and last start */
	uint64_t profiles;
	uint32_t crc; /* of the directory of the segment */
};

struct catalogue_selection {
	struct catalogue_chapter *chapter; /* [n_chapters] sorted by service, t0, segment */
	size_t n_chapters;
	int64_t next_journal; /* journals of this number and higher are not in segments yet: see journal_list */
	struct arena *arena;
};

int catalogue_select(struct catalogue *c, const struct catalogue_query *q, struct catalogue_selection *out,
		     struct err *err);
void catalogue_selection_release(struct catalogue_selection *s);

/*
 * The chapters of the services of q that begin before q->t0, by t1, newest first; with after, those that end at or after
 * q->t1, by t0, oldest first. At most max. For the snapshot before a window, and "the last profile before it".
 */
int catalogue_select_beside(struct catalogue *c, const struct catalogue_query *q, bool after, size_t max,
			    struct catalogue_selection *out, struct err *err);

/* Called for each service that has a chapter, by name. */
typedef int catalogue_service_fn(void *arg, const char *service, struct err *err);
int catalogue_each_service(struct catalogue *c, catalogue_service_fn *fn, void *arg, struct err *err);

/* A series that segments contain or contained; those of journals alone are missing. Strings live until fn returns. */
struct catalogue_series {
	const char *service, *kind;
	const uint8_t *hash;             /* [16] */
	const struct store_label *label; /* [n_labels] sorted by name */
	size_t n_labels;
	int64_t first, last;
};

/* Called for each series of the services of q that meets [t0, t1), sorted by service, kind, id. kind "" is all. */
typedef int catalogue_series_fn(void *arg, const struct catalogue_series *s, struct err *err);
int catalogue_each_series(struct catalogue *c, const struct catalogue_query *q, const char *kind,
			  catalogue_series_fn *fn, void *arg, struct err *err);

/* Called for each mark in [t0, t1) of the services of q, oldest first; kind "" is all. */
typedef int catalogue_mark_fn(void *arg, const char *service, const struct store_mark *m, struct err *err);
int catalogue_each_mark(struct catalogue *c, const struct catalogue_query *q, const char *kind, catalogue_mark_fn *fn,
			void *arg, struct err *err);

/* Sums for local_get_stat: number of segments, bytes and profiles by tier, first and last start, number of services. */
struct catalogue_stat {
	uint64_t segments, services, pin_bytes;
	uint64_t bytes[N_TIERS], profiles[N_TIERS];
	int64_t first, last; /* 0, 0 without chapters */
};
int catalogue_get_stat(struct catalogue *c, struct catalogue_stat *out, struct err *err);

/* Check every page and the relations between the tables. Fails with ERR_FORMAT, naming what is damaged. */
int catalogue_verify(struct catalogue *c, struct err *err);

#endif
