/*
 * threads_lines.c - format the lines of a dump of threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/threads_lines.h"

#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { WIDTH = THREADS_WIDTH, INDENT = 4 };

void attach_threads_add_piece(struct buf *out, const char *piece, size_t n, size_t *column)
{
	size_t width = utf8_count(piece, n);

	if (*column + 1 + width > WIDTH - 1) {
		buf_addz(out, "\n ");
		*column = 1;
	}
	buf_addz(out, " ");
	buf_add(out, piece, n);
	*column += 1 + width;
}

void attach_threads_add_place(struct buf *out, const char *file, size_t n, uint64_t line)
{
	const char *slash = n ? memrchr(file, '/', n) : NULL, *base = slash ? slash + 1 : file;
	struct buf safe = { 0 };

	if (n) {
		utf8_add_safe(&safe, base, (size_t)(file + n - base));
		utf8_add_short(out, buf_text(&safe), safe.len, THREADS_PLACE_MAX);
		if (line)
			buf_addf(out, ":%" PRIu64, line);
	}
	buf_release(&safe);
}

void attach_threads_add_line(struct buf *out, const char *function, const struct buf *place, size_t column)
{
	size_t n_place = utf8_count(buf_text(place), place->len), most = WIDTH - 1 - INDENT - 2 - n_place, n;
	struct buf safe = { 0 }, cut = { 0 };

	assert(n_place + INDENT + 2 < WIDTH);
	utf8_add_safe(&safe, function, strlen(function));
	utf8_add_short(&cut, buf_text(&safe), safe.len, n_place ? most : most + 2);
	n = utf8_count(buf_text(&cut), cut.len);
	buf_fill(out, ' ', INDENT);
	buf_add(out, cut.data, cut.len);
	if (n_place) {
		buf_fill(out, ' ', n < column && column <= most ? column - n + 2 : 2);
		buf_add(out, place->data, place->len);
	}
	buf_addz(out, "\n");
	buf_release(&safe);
	buf_release(&cut);
}
