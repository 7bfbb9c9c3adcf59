/*
 * journal.h - the newest profiles, in a file that is appended to and synced
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A journal begins with a header of 64 bytes. Then come batches, each at a multiple of 8:
 *
 *	u32 "BTCH" | u32 crc of the payload | u64 number from 1 | u32 stored | u32 raw | u32 records | u32 crc of the bytes before
 *	payload: zstd level 1 of records, padded with zeros
 *	record: u8 tag, varint service, varint length, body
 *	tags: a table of a dictionary (enum dict_table): varint items, then their encoding; SERVICE; PROFILE; MARK
 */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include "base/err.h"
#include "store/segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The head: the content of a journal, in memory. */
struct head;

/* Read a journal into a new head: all batches up to the end or the first torn one.
 *
 * torn   the offset of an incomplete last batch, which the writer cuts off; 0: none
 * Fails  ERR_IO; ERR_FORMAT when a batch that is not the last is damaged: out then contains the batches before it */
int journal_read(int fd, const char *name, struct head **out, uint64_t *torn, struct err *err);
void head_free(struct head *h);

/* The services, and the content of one as a chapter, whose blocks are not compressed much. */
uint32_t head_n_services(const struct head *h);
const char *head_service(const struct head *h, uint32_t i);
int head_make_chapter(const struct head *h, uint32_t i, int level, struct chapter **out, struct err *err);

#endif
