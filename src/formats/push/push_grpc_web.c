/*
 * push_grpc_web.c - the message in a body of gRPC-Web
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A body is frames: a byte of flags, the length as four big-endian bytes, and the content, which is a message or, with flag 0x80,
 * trailers. Flag 1: the message is compressed; of the encodings, those of files are read. From PROTOCOL-WEB.md of
 * github.com/grpc/grpc.
 */
#include "config.h"

#include "formats/push/push_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_HEAD = 5, FRAME_COMPRESSED = 1, FRAME_TRAILERS = 0x80 };

/* Find the message. Fails with ERR_FORMAT. */
static int grpc_web_find_message(const uint8_t *data, size_t n, struct bytes *message, bool *is_compressed,
				 struct err *err)
{
	for (size_t at = 0, length; n - at >= FRAME_HEAD; at += length) {
		const uint8_t *head = data + at;

		length = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
		at += FRAME_HEAD;
		if (length > n - at)
			return err_set(err, ERR_FORMAT, "byte %zu: a frame of gRPC-Web is longer than the body",
				       at - FRAME_HEAD);
		if (*head & FRAME_TRAILERS)
			continue;
		*message = (struct bytes){ .data = (uint8_t *)data + at, .n = length };
		*is_compressed = *head & FRAME_COMPRESSED;
		return 0;
	}
	return err_set(err, ERR_FORMAT, "the body has no frame of gRPC-Web with a message");
}

int push_read_parca_grpc_web(const uint8_t *data, size_t n, const struct format_options *options, struct push *out,
			     struct err *err)
{
	struct bytes message = { 0 }, inflated = { 0 };
	bool is_compressed = false;
	int rc = grpc_web_find_message(data, n, &message, &is_compressed, err);

	if (rc < 0 || !is_compressed)
		return rc < 0 ? rc : push_read_parca(message.data, message.n, out, err);
	data = message.data;
	message.data = mem_alloc(message.n + 1, 1);
	memcpy(message.data, data, message.n);
	rc = format_inflate(&message, options, &inflated, err);
	rc = rc < 0 ? rc : push_read_parca(inflated.data, inflated.n, out, err);
	if (rc < 0)
		free(inflated.data);
	else
		out->owned = inflated.data;
	return rc;
}
