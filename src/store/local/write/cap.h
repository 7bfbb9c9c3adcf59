/*
 * cap.h - the limit of bytes below the directory of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bytes are those of allocated blocks, as du counts them. Every write first reserves its bytes, so that the sum never
 * exceeds the cap:
 *
 *	rc = cap_reserve(cap, n, err);             frees older data if that is needed
 *	... write a file of at most n bytes ...
 *	cap_settle(cap, CAP_SEGMENTS, n, actual);  the file is counted instead of the reservation
 *
 * Counters may be read and changed by any thread. cap_reserve and cap_recount need the maintenance lock, since they
 * delete files and change the catalogue.
 */
#ifndef STORE_LOCAL_WRITE_CAP_H
#define STORE_LOCAL_WRITE_CAP_H

#include "base/buf.h"
#include "base/err.h"
#include "base/time.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/write/retain.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum cap_kind { CAP_SEGMENTS, CAP_JOURNALS, CAP_PINS, CAP_BAD, CAP_SPOOL, CAP_OTHER, N_CAP_KINDS };

enum {
	CAP_BYTES_MIN = 64 << 20,
	CAP_KEEP_SECONDS = S_PER_HOUR, /* the newest raw data, which is never removed to make room */
};

struct cap {
	int dir; /* descriptor of the directory; borrowed */
	struct catalogue *catalogue;
	uint64_t limit;
	struct retain retain;
	/* make some room by a coarser resolution of old data: downsample_make_room; NULL: the oldest raw segments are removed */
	int (*make_room)(void *arg, uint64_t bytes, bool *is_done, struct err *err);
	/* remove a journal that is kept for sinks: the last resort; returns false if there is none */
	bool (*drop_spool)(void *arg);
	void *make_room_arg; /* of both */
	bool is_making_room;
	int64_t (*now)(void); /* ns since 1970 */
	uint64_t used[N_CAP_KINDS], reserved;
	uint64_t n_removed, bytes_removed; /* segments removed to make room or by retention, since cap_init */
	uint64_t n_changes;                /* of used, to find files that change while they are counted */
	int64_t counted;                   /* time of the last count */
	struct catalogue_stat stat;        /* of the last writer_get_stat that could read the catalogue */
	pthread_mutex_t lock;              /* of the counters and stat */
};

/* The cap of a new store: the smaller of 10 GiB and a tenth of the file system. */
uint64_t cap_default(int dir);

/*
 * Count the files of a store.
 *
 * limit   at least CAP_BYTES_MIN; a smaller one is an error
 * retain  owned by c from then on
 * Fails  ERR_USAGE, ERR_IO
 */
int cap_init(struct cap *c, int dir, struct catalogue *catalogue, uint64_t limit, const struct retain *retain,
	     int64_t (*now)(void), struct err *err);
void cap_destroy(struct cap *c);

/* Count again. */
int cap_recount(struct cap *c, struct err *err);

/* All bytes used. */
uint64_t cap_used(struct cap *c);

/* The counters by kind. */
void cap_get_used(struct cap *c, uint64_t used[N_CAP_KINDS]);

/*
 * Reserve n bytes. Frees space, one step at a time, until there is room: damaged and temporary files; data older than
 * the retention; then old data gets a coarser resolution, or is removed if it has the coarsest. Each step adds a row to the losses.
 *
 * what   what the bytes are for, in messages
 * Fails  ERR_LIMIT when nothing is left to free: "the cap of 64.0 MiB is used up: ..."
 */
int cap_reserve(struct cap *c, uint64_t n, const char *what, struct err *err);

/* Reserve without freeing anything; any thread. */
bool cap_try_reserve(struct cap *c, uint64_t n);

/* Replace a reservation by the actual bytes of a file. actual = 0: nothing was written. */
void cap_settle(struct cap *c, enum cap_kind kind, uint64_t reserved, uint64_t actual);

/* Subtract a file that was removed. */
void cap_release(struct cap *c, enum cap_kind kind, uint64_t bytes);

/* Allocated bytes of an open file. */
uint64_t cap_file_bytes(int fd);

/* Bytes of a journal and the largest size of a segment under this cap. */
uint64_t cap_journal_bytes(const struct cap *c);
uint64_t cap_segment_bytes(const struct cap *c);

/* Remove the oldest segments of a tier of about so many bytes, but nothing of the last hour. is_done: there was none */
int cap_remove_oldest(struct cap *c, enum store_tier tier, uint64_t bytes, bool *is_done, struct err *err);

/* Remove segments that no rule of the retention keeps. dry_run: only append lines that say what would be removed. */
int cap_retain(struct cap *c, bool dry_run, struct buf *report, struct err *err);

#endif
