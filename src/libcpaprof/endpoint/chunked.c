/*
 * chunked.c - the body of a request that comes in chunks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/chunked.h"

#include <string.h>

enum { EXTRA_MOST = 8192, OVERHEAD = 16 };

enum at {
	AT_SIZE,      /* before the first digit of a size */
	AT_DIGITS,    /* behind a digit */
	AT_EXTENSION, /* until the end of the line */
	AT_SIZE_END,  /* the LF of a size */
	AT_DATA,      /* in a chunk */
	AT_DATA_CR,   /* the CR LF behind it */
	AT_DATA_LF,
	AT_TRAILER,    /* where a line of the trailer begins, or the CR that ends all */
	AT_IN_TRAILER, /* in such a line */
	AT_TRAILER_END,
	AT_LAST /* the LF that ends all */
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= ' ';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What comes between sizes and data and in trailers: any line without control bytes. */
static bool is_plain(char c)
{
	return ((unsigned char)c >= ' ' && c != 0x7f) || c == '\t';
}

static bool take_size(struct chunked *c, char b)
{
	int d = digit(b);

	if (d >= 0) {
		if (c->left >> 40) /* so no sum of sizes leaves 64 bits */
			return false;
		c->left = c->left * 16 + (uint64_t)d;
		c->at = AT_DIGITS;
		return true;
	}
	if (c->at == AT_SIZE)
		return false;
	c->at = b == '\r' ? AT_SIZE_END : AT_EXTENSION;
	return b == '\r' || b == ';' || b == ' ' || b == '\t';
}

/* A byte that is no data. Gives false when it may not be there. */
static bool take_byte(struct chunked *c, char b)
{
	switch ((enum at)c->at) {
	case AT_SIZE:
	case AT_DIGITS:
		return take_size(c, b);
	case AT_EXTENSION:
		if (b == '\r')
			c->at = AT_SIZE_END;
		return b == '\r' || is_plain(b);
	case AT_SIZE_END:
		c->at = c->left ? AT_DATA : AT_TRAILER;
		return b == '\n';
	case AT_DATA_CR:
		c->at = AT_DATA_LF;
		return b == '\r';
	case AT_DATA_LF:
		c->at = AT_SIZE;
		return b == '\n';
	case AT_TRAILER:
		c->at = b == '\r' ? AT_LAST : AT_IN_TRAILER;
		return b == '\r' || is_plain(b);
	case AT_IN_TRAILER:
		if (b == '\r')
			c->at = AT_TRAILER_END;
		return b == '\r' || is_plain(b);
	case AT_TRAILER_END:
		c->at = AT_TRAILER;
		return b == '\n';
	case AT_DATA:
	case AT_LAST:
		break;
	}
	return b == '\n';
}

static enum chunked_is take_data(struct chunked *c, const char *data, size_t n, struct vec *out)
{
	if (out) {
		void *to = vec_room(out, n, 1, SIZE_MAX);

		if (!to)
			return CHUNKED_NO_MEMORY;
		memcpy(to, data, n);
		out->n += n;
	}
	c->left -= n;
	c->all += n;
	if (!c->left)
		c->at = AT_DATA_CR;
	return CHUNKED_MORE;
}

enum chunked_is chunked_take(struct chunked *c, const char *data, size_t *n, uint64_t most, struct vec *out)
{
	size_t i = 0, all = *n;
	enum chunked_is is = CHUNKED_MORE;

	while (i < all && is == CHUNKED_MORE) {
		if (c->at == AT_DATA) {
			size_t m = c->left < all - i ? (size_t)c->left : all - i;

			is = take_data(c, data + i, m, out);
			i += m;
			continue;
		}
		if (c->at == AT_LAST)
			is = CHUNKED_DONE;
		/* Each chunk may cost a size and line ends; a body made of nothing else is no body. */
		if (!take_byte(c, data[i++]) || ++c->extra > EXTRA_MOST + OVERHEAD * c->all)
			is = CHUNKED_BAD;
		else if (c->at == AT_DATA && c->left > most - c->all)
			is = CHUNKED_MUCH;
	}
	*n = i;
	return is;
}
