/*
 * select.h - the chapters that a query reads, with their files open
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The content of a selection is the state of the store at one moment, and it never changes: segments are immutable, and an
 * open file can still be read after compaction has removed its name.
 */
#ifndef STORE_LOCAL_READ_SELECT_H
#define STORE_LOCAL_READ_SELECT_H

#include "base/err.h"
#include "store/local/format/journal.h"
#include "store/local/format/segment.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The chapters of a window, or those before or after it. */
enum select_which { SELECT_WINDOW, SELECT_BEFORE, SELECT_AFTER };

/* A segment, pin or journal. */
struct select_file;

/* A chapter that may contain profiles of the query. */
struct select_chapter {
	const char *service;
	struct select_file *file;
	enum store_tier tier;
	uint32_t index; /* in its file */
	int64_t t0, t1; /* first and last start in ns */
	uint64_t profiles, bytes;
};

struct selection {
	struct select_chapter
		*chapter; /* [n] sorted by t0, those before a window by t1, newest first; journals are last */
	size_t n;
	struct select_file *file; /* [n_files] */
	size_t n_files;
	bool is_partial; /* a journal could not be read as a whole: store_get_damage has the reason */
	struct arena *arena;
};

/*
 * Open all chapters of the services and the span of a query, or of its pin. Labels and kinds are not checked.
 *
 * Fails  ERR_IO; a damaged segment or pin is only reported by select_read. The chapters of a damaged journal are those that
 *        can be read: which services lost profiles is not known, so it is a problem of the store, not of a chapter
 */
int select_open(struct store *s, const struct store_query *q, struct selection *out, struct err *err);

/* The chapters of one segment, whose descriptor is closed. A damaged file is only reported by select_read. */
void select_open_segment(int fd, const char *name, const struct store_query *q, struct selection *out);

/* Chapters of segments that begin before q->t0, by last start, newest first; with after, those that end at or after q->t1, by
   first start, oldest first. At most max. */
int select_beside(struct store *s, const struct store_query *q, bool after, size_t max, struct selection *out,
		  struct err *err);

/*
 * A selection of chapters that are in memory.
 *
 * name     of their place, for messages
 * chapter  [n] owned by the selection from now on, with the array
 */
void select_take_chapters(const char *name, struct chapter **chapter, size_t n, enum select_which which,
			  struct selection *out);

/* Takes a zeroed selection. */
void select_close(struct selection *s);

/*
 * Decode a chapter. Several threads may do this at the same time, with different chapters.
 *
 * out    released with select_release, before select_close
 * Fails  ERR_FORMAT, ERR_IO: naming service, file and span
 */
int select_read(const struct select_chapter *c, struct chapter **out, struct err *err);

/*
 * The same in two steps: by segment_read_chapter_frames, and by segment_read_stacks. Chapters of journals have all
 * from the first on. When the blocks have been read, the pages of the file, and then the stacks may be released.
 */
int select_read_frames(const struct select_chapter *c, struct chapter **out, struct err *err);
int select_read_stacks(const struct select_chapter *c, struct chapter *chapter, struct err *err);
void select_drop_pages(const struct select_chapter *c);
void select_drop_stacks(const struct select_chapter *c, struct chapter *chapter);
void select_release(const struct select_chapter *c, struct chapter *chapter); /* takes NULL */

/* The number of rows of a chapter of a segment, without reading it; 0 if it is damaged. */
uint32_t select_count_rows(const struct select_chapter *c);

/* Is the chapter kept for further reads, as those of journals are? */
bool select_is_kept(const struct select_chapter *c);

/* Add the name of the service, the file and the span before a message about a chapter. Returns the code. */
int select_damage(const struct select_chapter *c, struct err *err);

/* Is a service one of the query? */
bool select_service(const struct store_query *q, const char *service);

/* Does the value of a label satisfy a condition? Returns 1 or 0. Fails with ERR_LIMIT (regex). */
int select_match(const struct label_match *m, const char *value, struct err *err);

/* Does a series of a chapter have the kind and the labels of the query? Returns 1 or 0. Fails with ERR_LIMIT (regex). */
int select_series(const struct store_query *q, const struct chapter *c, const struct dict_series *s, struct err *err);

/*
 * Divide the conditions of a query: own is the query, and its sample_match are the conditions on labels that no series of the
 * services has.
 *
 * sel    of q
 * own    borrows from q; released with select_split_release, but not after a failure
 */
int select_split(struct store *s, const struct selection *sel, const struct store_query *q, struct store_query *own,
		 struct err *err);
void select_split_release(struct store_query *own, const struct store_query *q);

/* Append the conditions on samples: "route=/a,tenant!=x". has_label: [n_sample_match] do samples have the label? */
void select_describe_samples(const struct store_query *q, const bool *has_label, struct buf *out);

/* The rows of a dictionary that satisfy the conditions on samples. Zero-initialised, all do. */
struct select_rows {
	bool *set, *row; /* [n] of label sets, of rows */
	uint32_t n_sets, n_rows;
	size_t cap_sets, cap_rows;
};

/* Decide about the rows that were added to the dictionary since the last call. Fails with ERR_LIMIT (regex). */
int select_rows_extend(struct select_rows *r, const struct store_query *q, const struct dict *d, struct err *err);
void select_rows_release(struct select_rows *r);

static inline bool select_has_row(const struct select_rows *r, uint32_t row)
{
	return !r->row || r->row[row];
}

/* Does a series that adds up others lack a label that the query selects or keeps, and has it all else that is selected? Then a part of
   the answer is not known, and select_fail_merged is the error. Returns ERR_USAGE. */
bool select_is_merged(const struct store_query *q, const struct chapter *c, const struct dict_series *s);
int select_fail_merged(const struct store_query *q, const struct chapter *c, const struct dict_series *s,
		       struct err *err);

/* The first of the latest q->limit profiles: profiles at t0 of series with a lower hash are before it. */
struct select_cut {
	int64_t t0; /* INT64_MIN: there are not more profiles */
	uint8_t hash[16];
};
int select_find_cut(const struct store_query *q, const struct selection *sel, struct select_cut *cut, struct err *err);

/* The start of the window of a series: that of the query or of the cut. */
int64_t select_window_start(const struct store_query *q, const struct select_cut *cut, const uint8_t hash[16]);

/* Add the bytes of the dictionary and the blocks of a chapter, and the profiles and times of one in a journal. */
int select_add_stat(const struct select_chapter *c, struct store_stat *out, struct err *err);

/* Append a span for messages: "14:00..15:00 UTC", with dates unless both are of today. */
void select_print_span(int64_t t0, int64_t t1, struct buf *out);

/* Append a time like the ends of select_print_span, with the zone. */
void select_print_time(int64_t ns, struct buf *out);

/*
 * The error of a query without profiles: the nearest profile before or after its window; or similar services; or the kinds of
 * the service; or the labels that no series has.
 *
 * Returns ERR_IO; another error if the store cannot be read
 */
int nearest_error(struct store *s, const struct store_query *q, struct err *err);

/*
 * Check that each condition on samples names a label that samples of the services have.
 *
 * q          after select_split
 * has_label  NULL or [n_sample_match]: false if no sample has the label, but the condition leaves nothing out, as route!=x
 * notes      NULL, or receives a line with the values of each label: no sample satisfies the conditions
 * Fails      ERR_IO, naming similar labels of series and samples
 */
int nearest_check_samples(struct store *s, const struct store_query *q, bool *has_label, struct buf *notes,
			  struct err *err);

#endif
