/*
 * journal.h - the newest profiles, in a file that is appended to and synced
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A journal begins with a header of 64 bytes:
 *
 *	"CPAJNL\r\n" | u16 major 1 | u16 minor 0 | u32 0 | 16 uuid of the store | i64 number of the journal | i64 made, ns since 1970
 *	| u64 bytes allocated at first | u32 times that it was written again | u32 crc of the bytes before
 *
 * Then come batches, each at a multiple of 8; the rest of the file is zeros, at least 32 bytes. The file has the bytes allocated at
 * first, or a multiple of 4 MiB if it was extended. A batch:
 *
 *	u32 "BTCH" | u32 crc of the payload | u64 number from 1 | u32 stored | u32 raw | u32 records | u32 crc of the bytes before
 *	payload: zstd level 1 of records, padded with zeros
 *	record: u8 tag, varint service, varint length, body
 *
 * A record refers only to records before it. Tags and bodies:
 *
 *	1..10    entries of a table (enum dict_table) of the service: varint entries, then their encoding
 *	SERVICE  a name; the service must be the number of services so far
 *	PROFILE  varint series, meta, zz start ns, zz duration ns, varint rows, per row its id minus the previous, then per column a
 *	         zz value per row
 *	MARK     zz time ns; env, kind, text, each as varint length and bytes
 */
#ifndef STORE_LOCAL_FORMAT_JOURNAL_H
#define STORE_LOCAL_FORMAT_JOURNAL_H

#include "base/err.h"
#include "store/local/format/segment.h"

#include <stddef.h>
#include <stdint.h>

/* The head: the content of a journal, in memory. */
struct journal_head;

/*
 * Read a journal into a new head: all batches up to the end or the first torn one. The writer may append meanwhile.
 *
 * torn   the offset of an incomplete last batch, which the writer cuts off; 0: none
 * Fails  ERR_IO; ERR_FORMAT when the file is cut off, or a batch that is not the last is damaged: out then contains the rest,
 *        as far as it does not refer to what is lost. out is NULL if the header is damaged
 */
int journal_read(int fd, const char *name, struct journal_head **out, uint64_t *torn, struct err *err);
void head_free(struct journal_head *h); /* takes NULL */

/* The services, and the content of one as a chapter, whose blocks are not compressed much. A chapter can be made once; different
   services may be made in different threads. */
uint32_t head_n_services(const struct journal_head *h);
const char *head_service(const struct journal_head *h, uint32_t i);
int head_make_chapter(struct journal_head *h, uint32_t i, int level, struct chapter **out, struct err *err);

/* The number of profiles. */
uint64_t head_profiles(const struct journal_head *h);

/* The name of a journal below the directory of the store: "journal/00000001.cpj". */
void journal_name(int64_t seq, char name[32]);

/* The numbers of the journals of a store that are at least first, ascending; the caller frees *seq. dir: the directory. */
int journal_list(int dir, int64_t first, int64_t **seq, size_t *n, struct err *err);

#endif
