/*
 * fuzz_push_parts.c - any request of Datadog, Parca or OTLP, and any recording of Java with labels, is read or refused
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first byte selects the protocol. Of recordings the labels are the input: the recording itself is cut after its begin.
 */
#include "config.h"

#include "fuzz.h"

#include "formats/push/push.h"

enum { DATADOG, GRPC_WEB, PARCA_JSON, OTLP, LABELS, N_PROTOCOLS };

/* The begin of a recording. */
static const uint8_t recording[] = { 'F', 'L', 'R', 0, 0, 2, 0, 0 };

static int read_parts(int protocol, const uint8_t *data, size_t n, struct push *out, struct err *err)
{
	static struct push_item item;

	switch (protocol) {
	case DATADOG:
		return push_read_datadog("multipart/form-data; boundary=b", data, n, out, err);
	case GRPC_WEB:
		return push_read_parca_grpc_web(data, n, &fuzz_limits, out, err);
	case PARCA_JSON:
		return push_read_parca_json(data, n, out, err);
	case OTLP:
		return push_read_otlp(data, n, out, err);
	default:
		item = (struct push_item){ .id = "",
					   .kind = "",
					   .data = recording,
					   .n = sizeof(recording),
					   .contexts = data,
					   .n_contexts = n };
		*out = (struct push){ .item = &item, .n = 1, .skipped = "" };
		return 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in;
	struct push p;
	struct err err = { 0 };

	if (n == 0)
		return 0;
	in = fuzz_bytes(data + 1, n - 1);
	if (read_parts(data[0] % N_PROTOCOLS, in.data, in.n, &p, &err) < 0) {
		if (!*err.msg)
			abort();
		free(in.data);
		return 0;
	}
	for (size_t i = 0; i < p.n && i < 16; i++) {
		struct push_parts parts = { 0 };
		int rc = push_make_parts(&p, &p.item[i], &fuzz_limits, &parts, &err);

		if (rc < 0 && !*err.msg)
			abort();
		for (size_t k = 0; k < parts.n; k++)
			fuzz_judge(rc, parts.part[k].profile, &err);
		push_parts_release(&parts);
	}
	push_release(&p);
	free(in.data);
	return 0;
}
