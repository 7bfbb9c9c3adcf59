/*
 * fuzz_push.c - any request that pushes profiles is read, or refused with a message
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first byte selects the protocol. For those with a query, it ends with the first newline; then comes the content type,
 * up to the next newline, and the body.
 */
#include "config.h"

#include "fuzz.h"

#include "formats/push/push.h"

enum { PROTO, JSON, INGEST, PLAIN, N_PROTOCOLS };

/* Copy a line of the input. Returns the rest. */
static const uint8_t *take_line(const uint8_t *data, const uint8_t *end, char *out, size_t max)
{
	size_t n = 0;

	while (data < end && *data != '\n' && n < max - 1)
		out[n++] = (char)*data++;
	out[n] = '\0';
	return data < end ? data + 1 : end;
}

static int read_push(int protocol, const uint8_t *data, size_t n, struct push *out, struct err *err)
{
	const uint8_t *end = data + n;
	char query[4096], type[256];

	if (protocol == PROTO)
		return push_read_proto(data, n, out, err);
	if (protocol == JSON)
		return push_read_json(data, n, out, err);
	data = take_line(data, end, query, sizeof(query));
	data = take_line(data, end, type, sizeof(type));
	if (protocol == PLAIN)
		return push_read_plain(query, data, (size_t)(end - data), out, err);
	return push_read_ingest(query, *type ? type : NULL, data, (size_t)(end - data), out, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in;
	struct push p;
	struct err err = { 0 };

	if (n == 0)
		return 0;
	in = fuzz_bytes(data + 1, n - 1);
	if (read_push((data[0] - '0') & (N_PROTOCOLS - 1), in.data, in.n, &p, &err) < 0) {
		if (!*err.msg)
			abort();
		free(in.data);
		return 0;
	}
	for (size_t i = 0; i < p.n && i < 16; i++) {
		struct profile *made = NULL;
		int rc = push_make_profile(&p, &p.item[i], &fuzz_limits, &made, &err);

		fuzz_judge(rc, made, &err);
		profile_free(made);
	}
	push_release(&p);
	free(in.data);
	return 0;
}
