/*
 * fuzz_segment.c - any bytes as a segment: an error with a message, or chapters that can be read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Checksums are corrected first, so that the parsers after them are reached.
 */
#define _GNU_SOURCE
#include "config.h"

#include "fuzz.h"

#include "../unit/make_segment.h"
#include "store/pack.h"

#include <sys/mman.h>
#include <unistd.h>

enum { HEADER = 64, FOOTER = 48, SECTION = 32 };

static void set_crc(uint8_t *at, size_t n)
{
	uint32_t crc = pack_crc(at, n);

	memcpy(at + n, &crc, 4);
}

/* Correct the checksums of the header, of all sections that follow one another, and of the footer. */
static void correct_sums(uint8_t *data, size_t n)
{
	uint32_t crc = 0;

	if (n < HEADER + FOOTER)
		return;
	set_crc(data, HEADER - 4);
	for (size_t at = HEADER; n - FOOTER - at >= SECTION;) {
		uint64_t stored;

		memcpy(&stored, data + at + 16, 8);
		if (stored > n - FOOTER - at - SECTION)
			break;
		crc = pack_crc(data + at + SECTION, stored);
		memcpy(data + at + 4, &crc, 4);
		set_crc(data + at, SECTION - 4);
		at += SECTION + (stored + 7) / 8 * 8;
		if (at > n - FOOTER)
			break;
	}
	memcpy(data + n - FOOTER + 28, &crc, 4); /* the directory is last */
	set_crc(data + n - FOOTER, 40);
}

static int read_heads(const struct segment *s, struct err *err)
{
	for (uint32_t i = 0; i < segment_n_chapters(s); i++) {
		struct chapter *c;
		int rc = segment_read_chapter_head(s, i, &c, err);

		if (rc)
			return rc;
		chapter_free(c);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes copy = fuzz_bytes(data, n);
	int fd = memfd_create("segment", MFD_CLOEXEC), rc;
	struct buf text = { 0 };
	struct err err = { 0 };
	struct segment *s;

	correct_sums(copy.data, n);
	if (fd < 0 || write(fd, copy.data, n) != (ssize_t)n)
		abort();
	rc = segment_open(fd, "x.cps", &s, &err);
	close(fd);
	if (!rc) {
		rc = read_heads(s, &err);
		if (!rc)
			rc = segment_print(s, &text, &err);
		segment_close(s);
	}
	if (rc && ((rc != ERR_FORMAT && rc != ERR_LIMIT) || strncmp(err.msg, "x.cps: ", 7) != 0)) {
		fprintf(stderr, "status %d, error %d \"%s\"\n", rc, err.code, err.msg);
		abort();
	}
	buf_release(&text);
	free(copy.data);
	return 0;
}
