/*
 * chunked.c - decode a request body with chunked transfer encoding
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/chunked.h"

enum { OVERHEAD_MAX = 8192, OVERHEAD_PER_BYTE = 16 };

enum chunked_at {
	AT_SIZE,      /* first digit of a size */
	AT_DIGITS,    /* other digits of a size */
	AT_EXTENSION, /* rest of the line */
	AT_SIZE_END,  /* the LF of a size */
	AT_DATA,      /* within the data of a chunk */
	AT_DATA_CR,   /* the CR LF after a chunk */
	AT_DATA_LF,
	AT_TRAILER,    /* at the start of a trailer line, or at the CR that ends the body */
	AT_IN_TRAILER, /* within a trailer line */
	AT_TRAILER_END,
	AT_LAST /* the LF that ends the body */
};

static int chunked_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= ' ';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Is the byte allowed in extensions and trailers? Control characters are not. */
static bool chunked_is_plain(char c)
{
	return ((unsigned char)c >= ' ' && c != 0x7f) || c == '\t';
}

static bool chunked_parse_size(struct chunked *c, char b)
{
	int d = chunked_digit(b);

	if (d >= 0) {
		if (c->n_remaining >> 40) /* limit each size, so that no sum of sizes overflows 64 bits */
			return false;
		c->n_remaining = c->n_remaining * 16 + (uint64_t)d;
		c->state = AT_DIGITS;
		return true;
	}
	if (c->state == AT_SIZE)
		return false;
	c->state = b == '\r' ? AT_SIZE_END : AT_EXTENSION;
	return b == '\r' || b == ';' || b == ' ' || b == '\t';
}

/* Parse a byte that is not data. Returns false if it is not allowed there. */
static bool parse_byte(struct chunked *c, char b)
{
	switch ((enum chunked_at)c->state) {
	case AT_SIZE:
	case AT_DIGITS:
		return chunked_parse_size(c, b);
	case AT_EXTENSION:
		if (b == '\r')
			c->state = AT_SIZE_END;
		return b == '\r' || chunked_is_plain(b);
	case AT_SIZE_END:
		c->state = c->n_remaining ? AT_DATA : AT_TRAILER;
		return b == '\n';
	case AT_DATA_CR:
		c->state = AT_DATA_LF;
		return b == '\r';
	case AT_DATA_LF:
		c->state = AT_SIZE;
		return b == '\n';
	case AT_TRAILER:
		c->state = b == '\r' ? AT_LAST : AT_IN_TRAILER;
		return b == '\r' || chunked_is_plain(b);
	case AT_IN_TRAILER:
		if (b == '\r')
			c->state = AT_TRAILER_END;
		return b == '\r' || chunked_is_plain(b);
	case AT_TRAILER_END:
		c->state = AT_TRAILER;
		return b == '\n';
	case AT_DATA:
	case AT_LAST:
		break;
	}
	return b == '\n';
}

static enum chunked_status chunked_add_data(struct chunked *c, const char *data, size_t n, struct vec *out)
{
	if (out && !vec_add(out, data, n, 1, SIZE_MAX))
		return CHUNKED_NO_MEMORY;
	c->n_remaining -= n;
	c->n_body += n;
	if (!c->n_remaining)
		c->state = AT_DATA_CR;
	return CHUNKED_MORE;
}

enum chunked_status chunked_decode(struct chunked *c, const char *data, size_t *n, uint64_t max, struct vec *out)
{
	size_t i = 0, all = *n;
	enum chunked_status is = CHUNKED_MORE;

	while (i < all && is == CHUNKED_MORE) {
		if (c->state == AT_DATA) {
			size_t m = c->n_remaining < all - i ? (size_t)c->n_remaining : all - i;

			is = chunked_add_data(c, data + i, m, out);
			i += m;
			continue;
		}
		if (c->state == AT_LAST)
			is = CHUNKED_DONE;
		/* limit the overhead, since otherwise a body could consist almost entirely of chunk sizes */
		if (!parse_byte(c, data[i++]) || ++c->n_overhead > OVERHEAD_MAX + OVERHEAD_PER_BYTE * c->n_body)
			is = CHUNKED_BAD;
		else if (c->state == AT_DATA && c->n_remaining > max - c->n_body)
			is = CHUNKED_TOO_LONG;
	}
	*n = i;
	return is;
}
