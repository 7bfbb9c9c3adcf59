/*
 * fuzz_journal.c - any bytes as a journal: an error with a message, or chapters that can be read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Checksums are corrected first, so that the parsers after them are reached.
 */
#define _GNU_SOURCE
#include "config.h"

#include "fuzz.h"

#include "store/local/format/journal.h"
#include "store/local/format/pack.h"

#include <sys/mman.h>
#include <unistd.h>

enum { HEADER = 64, BATCH = 32 };

static void set_crc(uint8_t *at, size_t n)
{
	uint32_t crc = pack_crc(at, n);

	memcpy(at + n, &crc, 4);
}

/* Correct the checksums of the header and of all batches that follow one another. */
static void correct_sums(uint8_t *data, size_t n)
{
	if (n < HEADER)
		return;
	set_crc(data, HEADER - 4);
	for (size_t at = HEADER; n >= at + BATCH;) {
		uint32_t stored, crc;

		memcpy(&stored, data + at + 16, 4);
		if (stored > n - at - BATCH)
			break;
		crc = pack_crc(data + at + BATCH, stored);
		memcpy(data + at + 4, &crc, 4);
		set_crc(data + at, BATCH - 4);
		at += BATCH + ((size_t)stored + 7) / 8 * 8;
	}
}

/* Decode all blocks of a chapter: the records were checked, so this cannot fail, except where sums overflow. */
static void read_chapter(struct journal_head *h, uint32_t i)
{
	struct buf buffer = { 0 };
	struct chapter *c;
	struct err err = { 0 };
	int rc = head_make_chapter(h, i, 1, &c, &err);

	if (rc) {
		if (!err.msg[0])
			abort();
		return;
	}
	for (uint32_t k = 0; k < c->n_blocks; k++) {
		struct block b;
		struct stored s;

		buffer.len = 0;
		if (chapter_open_block(c, k, &buffer, &b, &err))
			abort();
		if (block_profile(&b, 0, &s, &err))
			abort();
		dict_release_stored(&s);
		block_release(&b);
	}
	buf_release(&buffer);
	chapter_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes copy = fuzz_bytes(data, n);
	int rc, fd = memfd_create("journal", MFD_CLOEXEC);
	struct err err = { 0 };
	struct journal_head *h;
	uint64_t torn;

	correct_sums(copy.data, n);
	if (write(fd, copy.data, n) != (ssize_t)n)
		abort();
	rc = journal_read(fd, "fuzz.cpj", &h, &torn, &err);
	if (rc == 0 ? !h : !err.msg[0])
		abort();
	for (uint32_t i = 0; h && i < head_n_services(h); i++)
		read_chapter(h, i);
	head_free(h);
	close(fd);
	free(copy.data);
	return 0;
}
