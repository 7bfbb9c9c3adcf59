/*
 * journal_int.h - internals shared by the code that reads journals at once and batch by batch
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_FORMAT_JOURNAL_INT_H
#define STORE_LOCAL_FORMAT_JOURNAL_INT_H

#include "base/buf.h"
#include "base/err.h"
#include "store/local/format/journal_file.h"

#include <stdint.h>

struct journal_reader {
	int fd;
	const char *name;
	uint64_t offset, size;
	uint64_t number; /* of the next batch */
	struct journal_head *head;
	struct buf stored, raw;
	struct err *damage;     /* the first damage; its code is 0 if there is none */
	uint64_t first_damaged; /* batch */
	uint64_t n_refused;     /* records after the damage that refer to it */
};

/* The head of a batch. */
struct journal_batch {
	uint32_t crc, stored, raw, records;
	uint64_t number;
};

enum batch_state { BATCH_VALID, BATCH_NONE, BATCH_BAD };

/* Read the header of a journal. Fails with ERR_FORMAT, ERR_IO. */
int journal_read_header(const struct journal_reader *r, struct journal_info *info, struct err *err);

/* Read the batch at the offset into r->raw. Fails with ERR_IO. */
int journal_read_batch(struct journal_reader *r, struct journal_batch *b, enum batch_state *state, struct err *err);

/* Find a valid head of a later batch at or after an offset; 0 if there is none. Unwritten parts are skipped. */
uint64_t journal_find_later_batch(const struct journal_reader *r, uint64_t offset, uint64_t *number);

/* Read the records of a batch. A record that is refused is damage; those after it are read. */
void journal_read_records(struct journal_reader *r, const struct journal_batch *b);

/* Continue after the batch. */
void journal_pass_batch(struct journal_reader *r, const struct journal_batch *b);

/* Continue at a later batch, and note the damage. */
void journal_skip_damage(struct journal_reader *r, uint64_t offset, uint64_t number);

#endif
