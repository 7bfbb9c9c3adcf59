/*
 * fuzz_pyroscope.c - any request of Pyroscope's API is read, or refused with a message; its selector, type and JSON too
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first byte selects the method, the second whether the rest is JSON.
 */
#include "config.h"

#include "fuzz.h"

#include "store/pyroscope/message.h"
#include "store/pyroscope/names.h"

#include <string.h>

/* Print a selector again: it must be read with the same conditions. */
static void check_selector(const char *text, struct arena *mem)
{
	struct label_match *match, *again;
	struct buf printed = { 0 };
	struct err err = { 0 };
	size_t n, n_again;

	if (pyro_parse_selector(text, mem, &match, &n, &err) < 0) {
		if (!*err.msg)
			abort();
		return;
	}
	buf_addz(&printed, "{");
	for (size_t i = 0; i < n; i++) {
		buf_addz(&printed, i ? "," : "");
		pyro_add_match(match[i].name, match[i].op, match[i].value, &printed);
	}
	buf_addz(&printed, "}");
	if (pyro_parse_selector(printed.data, mem, &again, &n_again, &err) < 0 || n_again != n)
		abort();
	for (size_t i = 0; i < n; i++)
		if (strcmp(again[i].name, match[i].name) != 0 || strcmp(again[i].value, match[i].value) != 0 ||
		    again[i].op != match[i].op)
			abort();
	buf_release(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct pyro_method *m;
	struct pyro_request r;
	struct pyro_type type;
	struct buf json = { 0 };
	struct err err = { 0 };
	struct bytes in;

	if (n < 2)
		return 0;
	m = &pyro_methods[data[0] % pyro_n_methods];
	in = fuzz_bytes(data + 2, n - 2);
	pyro_request_init(&r);
	if (pyro_request_read(m, (const char *)in.data, in.n, data[1] & 1, &r, &err) < 0) {
		if (!*err.msg)
			abort();
	} else {
		check_selector(r.selector, r.memory);
		for (size_t i = 0; i < r.matchers.n; i++)
			check_selector(r.matchers.item[i], r.memory);
		pyro_parse_id(r.profile_type, r.memory, &type, &err);
	}
	pyro_add_json(m->response, in.data, in.n, &json, &err);
	buf_release(&json);
	pyro_request_release(&r);
	free(in.data);
	return 0;
}
