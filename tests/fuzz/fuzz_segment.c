/*
 * fuzz_segment.c - any bytes as a segment: an error with a message, or chapters that can be read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Checksums are corrected first (segment_sums.h), so that the parsers after them are reached.
 */
#define _GNU_SOURCE
#include "config.h"

#include "fuzz.h"

#include "../unit/make_segment.h"
#include "segment_sums.h"

#include <sys/mman.h>
#include <unistd.h>

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

	segment_sums_correct(copy.data, n);
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
