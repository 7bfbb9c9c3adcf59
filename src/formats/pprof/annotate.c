/*
 * annotate.c - add comments to a profile.proto without decoding the rest
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/common/format.h"
#include "formats/pprof/pprof.h"
#include "formats/pprof/proto_int.h"
#include "wire/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void add_varint(struct buf *out, uint64_t v)
{
	uint8_t *at = (uint8_t *)buf_room(out, WIRE_VARINT_MAX);

	out->len += (size_t)(wire_put(at, v) - at);
}

static void annotate_add_string(struct buf *out, const char *s)
{
	size_t n = strlen(s);

	add_varint(out, PROFILE_STRING << 3 | WIRE_BYTES);
	add_varint(out, n);
	buf_add(out, s, n);
}

int annotate(const uint8_t *data, size_t n, const char *const *comment, size_t n_comments, struct buf *out,
	     struct err *err)
{
	struct cursor c = { .at = data, .end = data + n };
	struct field f;
	uint64_t n_strings = 0;

	assert(out && (comment || n_comments == 0));
	while (cursor_field(&c, &f))
		n_strings += f.number == PROFILE_STRING && f.type == WIRE_BYTES;
	if (c.error)
		return err_set(err, ERR_FORMAT, "%s", c.error);
	if (n_strings == 0) { /* string 0 must be "" */
		annotate_add_string(out, "");
		n_strings = 1;
	}
	for (size_t i = 0; i < n_comments; i++)
		annotate_add_string(out, comment[i]);
	for (size_t i = 0; i < n_comments; i++) {
		add_varint(out, PROFILE_COMMENT << 3 | WIRE_VARINT);
		add_varint(out, n_strings + i);
	}
	return 0;
}

int annotate_read(struct bytes *in, const struct format_options *options, const char *const *comment, size_t n_comments,
		  struct buf *out, struct profile **p, struct err *err)
{
	struct bytes inflated = { 0 };
	struct buf all = { 0 };
	int rc = format_inflate(in, options, &inflated, err);

	if (rc < 0)
		return rc;
	buf_add(&all, inflated.data, inflated.n);
	if (annotate(inflated.data, inflated.n, comment, n_comments, &all, err) < 0 ||
	    pprof_read((const uint8_t *)all.data, all.len, options, p, err) < 0) {
		*in = inflated;
		buf_release(&all);
		return ERR_UNKNOWN;
	}
	free(inflated.data);
	buf_add(out, all.data, all.len);
	buf_release(&all);
	return 0;
}
