/*
 * writer_state.h - the writer of a store, for the code that shares it: writer, flush, compaction, retention, pins
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two locks. `maintenance` is held during a flush, compaction, retention, pin, removal, import of segments: it guards the
 * catalogue, cap_reserve, and the segments and pins. `lock` is held for milliseconds: it guards the active head, its journal
 * and the batch. A thread that needs both takes `maintenance` first.
 */
#ifndef STORE_LOCAL_WRITE_WRITER_STATE_H
#define STORE_LOCAL_WRITE_WRITER_STATE_H

#include "base/buf.h"
#include "base/err.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/format/segment.h"
#include "store/local/write/cap.h"
#include "store/local/write/writer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct store_journal; /* an open journal with its head */
struct store_seen;    /* finds duplicates among the segments */
struct store_spool;   /* journals that are kept */

struct store_writer {
	/* constant while it is open */
	int dir; /* descriptor of the directory */
	int lock_fd;
	char *directory;
	uint8_t uuid[16];
	int64_t (*now)(void); /* ns since 1970; never NULL */
	mode_t dir_mode, file_mode;
	gid_t gid; /* (gid_t)-1: unchanged */

	pthread_mutex_t maintenance; /* recursive */
	struct catalogue *catalogue;
	struct cap cap; /* has its own lock for the counters */
	bool has_cap;   /* cap is initialised */

	pthread_mutex_t lock;
	int64_t next_journal;          /* number of the next journal file */
	struct store_journal *active;  /* receives batches; NULL before the first append */
	size_t uncommitted;            /* memory that the appends since the last commit use */
	struct store_journal *pending; /* list: to be written as segments, oldest first */
	struct store_seen *seen;
	struct store_spool *spool; /* has its own lock */
	uint64_t generation;       /* incremented by writer_segments_changed */
	struct buf notes;          /* for writer_take_notes */
};

/* Append a line to the notes. `lock` is held, or the store is being opened. */
void writer_add_note(struct store_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- files --- */

/* Write DIR/STORE with the uuid of the writer, which is the last step of creating a store. */
int writer_write_header(struct store_writer *w, struct err *err);

/* Create or open a file of the store with its mode and group: flags as of os_open. Returns a descriptor, or ERR_IO. */
int writer_create_file(const struct store_writer *w, const char *name, int flags, struct err *err);

/* Make the folders of "seg/raw/2026/x", each with its mode and synced. */
int writer_make_folders(const struct store_writer *w, const char *name, struct err *err);

/* Remove a file and subtract its bytes; a file that is missing is no error. */
int writer_remove_file(struct store_writer *w, const char *name, enum cap_kind kind, struct err *err);

/* Remove a file whose transaction failed, unless the transaction may have taken place: then the next opening decides. */
void writer_discard_file(struct store_writer *w, const char *name, enum cap_kind kind);

/* --- segments and pins: written to tmp/, then renamed. The maintenance lock is held, and no transaction is open at begin. --- */

struct store_file;

/*
 * Begin a segment.
 *
 * info   store and made are filled in
 * bytes  the largest size expected: it is reserved under the cap. More is taken as available
 * Fails  ERR_LIMIT if there is no room, ERR_IO
 */
int writer_file_begin(struct store_writer *w, const struct segment_info *info, int level, uint64_t bytes,
		      struct store_file **out, struct err *err);
int writer_file_add(struct store_file *f, const struct chapter *c, struct err *err);

/*
 * Sync the file, rename it, sync its folder. f is freed in any case.
 *
 * name   "pin/NAME.cpx", which must not exist; NULL: "seg/TIER/YYYY/ULID.cps" by the start of the segment
 * row    file, bytes, crc for catalogue_add_segment
 * out    the opened file; may be NULL
 */
int writer_file_finish(struct store_file *f, const char *name, struct catalogue_segment *row, struct segment **out,
		       struct err *err);
void writer_file_discard(struct store_file *f); /* takes NULL */

/* To be called after a transaction that added or removed segments (with the maintenance lock, without `lock`). */
void writer_segments_changed(struct store_writer *w);

/* --- state --- */

/* Bytes of the journals, and profiles in memory that are not in segments yet. Any thread. */
void writer_get_head(struct store_writer *w, uint64_t *bytes, uint64_t *profiles);

/* --- journals and damaged files --- */

/*
 * Move a file of a store to bad/, with a text beside it that says why. A file in bad/ is never replaced: the new one gets a number.
 *
 * dir    descriptor of the store, whose name is directory
 * mode   of folders; files get its bits for reading and writing
 * bytes  out: allocated bytes of the file and the text, to be counted under the cap; may be NULL
 * Fails  ERR_IO; a file that is missing is no error
 */
int bad_move(int dir, const char *directory, mode_t mode, const char *file, const char *why, uint64_t *bytes,
	     struct err *err);

/* Like writer_flush, with the maintenance lock held. reopen: begin a new journal for what follows. */
int writer_flush_locked(struct store_writer *w, bool reopen, struct err *err);

/* Make a journal. may_free: the maintenance lock is held, so older data may be removed to make room. */
int writer_begin_journal(struct store_writer *w, int64_t seq, bool may_free, struct store_journal **out,
			 struct err *err);

/* Remove a journal that has no batch. */
void writer_drop_journal(struct store_writer *w, struct store_journal *j);

/* Move a damaged file to bad/, with a text that says why. A failure is added to the notes of the writer. */
void writer_set_aside(struct store_writer *w, const char *name, const char *why);

/* --- duplicates --- */

/* It has a connection to the catalogue of its own, so that an append does not wait for maintenance. Used with `lock` held. */
struct store_seen *seen_new(int dir, const char *directory);
void seen_free(struct store_seen *s); /* takes NULL */

/*
 * Find a profile. Chapters that are damaged are left out.
 *
 * generation  of the segments: when it changes, they are listed again
 * hash        of the series
 * content     its content_hash, if it was found
 * in_slot     out: the series has a slot of a tier at this time, so it is not known whether the profile is in it
 * Fails       ERR_IO
 */
int seen_find(struct store_seen *s, uint64_t generation, const char *service, const uint8_t hash[16],
	      const uint8_t id[16], int64_t start_ns, bool *found, uint64_t *content, bool *in_slot, struct err *err);

#endif
