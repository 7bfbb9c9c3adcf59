/*
 * fuzz_gcp.c - any responses of Google's Cloud Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A response is read as a page without bytes, then as the same page with bytes, and chapters are made of its profiles.
 */
#include "config.h"

#include "fuzz.h"

#include "store/gcp/gcp_store_int.h"

static void make_chapters(struct gcpstore *c)
{
	const struct store_query q = {
		.service = "*", .is_pattern = true, .kind = "", .t0 = INT64_MIN, .t1 = INT64_MAX
	};
	struct selection sel;
	struct err err;

	if (gcpstore_open_chapters(&c->local.store, &q, SELECT_WINDOW, &sel, &err) == 0)
		select_close(&sel);
	buf_release(&c->local.store.damage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct gcpstore_page page = { .token = "", .is_read = true };
	struct gcpstore c = { .memory = arena_new(), .page = &page, .n_pages = 1 };
	struct bytes bytes = fuzz_bytes(data, n);
	const char *next;
	int64_t n_skipped;
	struct err err = { 0 };

	if (gcpstore_read_page(&c, &bytes, false, &next, &n_skipped, &err) == 0) {
		gcpstore_sort(&c);
		c.is_listed = true;
		if (gcpstore_read_page(&c, &bytes, true, &next, &n_skipped, &err) == 0)
			make_chapters(&c);
	}
	gcpstore_forget(&c);
	free(c.entry);
	free(bytes.data);
	return 0;
}
