/*
 * pieces.h - the content of a large gzip file, decompressed piece by piece
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A second thread decompresses the next pieces while the caller reads one, so that neither waits, and the content is never
 * in memory as a whole. Nothing reports why decompression failed: the caller then reads the file with format_inflate,
 * which has the message.
 */
#ifndef FORMATS_COMMON_PIECES_H
#define FORMATS_COMMON_PIECES_H

#include "base/io.h"
#include "formats/common/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PIECE_BYTES = 256 << 10,      /* of all pieces but the last */
	PIECES_INPUT_MIN = 256 << 10, /* smaller files are decompressed faster at once */
};

struct pieces;

/* A piece, after the bytes that were kept from the window before. */
struct pieces_window {
	const uint8_t *data; /* [n] valid until the next call */
	size_t n;
	bool is_last;
};

/*
 * Start to decompress.
 *
 * in       borrowed; if it is mapped, pages are given back after they were read
 * Returns  NULL if in is not gzip, or is small, or ISA-L is missing; else freed with pieces_close
 */
struct pieces *pieces_open(const struct bytes *in, const struct format_options *options);

/*
 * Wait for the next window. Not to be called after the last one.
 *
 * keep     number of bytes at the end of the current window with which the next one begins, at most PIECE_BYTES
 * Returns  false if the input is damaged or exceeds a limit of the options
 */
bool pieces_next(struct pieces *s, size_t keep, struct pieces_window *out);

/*
 * Let the thread that decompresses help its reader, when all pieces are full and after the last one.
 *
 * work     returns false if there was nothing to do; if waits is set, it waits for work, and false ends its calls. NULL: no
 *          work; then it is no longer called when the function returns, so a call that waits has to be ended before
 */
void pieces_set_work(struct pieces *s, bool (*work)(void *arg, bool waits), void *arg);

/* The probable size of the content in bytes: what the end of the file says, but not far more than is usual. */
size_t pieces_content_size(const struct pieces *s);

/* After the last window: the content_hash of the content (pieces_hash_of). */
uint64_t pieces_hash(const struct pieces *s);

/* Stop the thread, and release the windows. */
void pieces_end(struct pieces *s);

/* End, and free s. Takes NULL. */
void pieces_close(struct pieces *s);

/* The hash of a content; of a large one, of the hashes of its pieces, so that a mapped file is never in memory as a whole. */
uint64_t pieces_hash_of(const struct bytes *content);

#endif
