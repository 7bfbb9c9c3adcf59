/*
 * fuzz_window.c - any arguments that name a store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stops when a source fails without a message, when its window is empty, or when its canonical form is not
 * a source with the same canonical form.
 */
#include "config.h"

#include "fuzz.h"

#include "base/buf.h"
#include "store/window/window.h"

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static bool find_mark(void *arg, const char *service, const char *version, int64_t *time_ns)
{
	(void)arg;
	*time_ns = INT64_C(1795000000123456789);
	return *service != 'x' && *version != 'x';
}

static const struct window_clock clock_of_test = { .now_ns = INT64_C(1795359845500000000), .mark = find_mark };

/* Append the canonical form. Returns false if the text is not a source. */
static bool canonical(const char *text, struct buf *out)
{
	struct window *w = NULL;
	struct store_query q;
	struct err err = { 0 };
	int rc = window_parse(text, &w, &err);

	if (rc == 0)
		rc = window_resolve(w, &clock_of_test, &q, &err);
	demand(rc == 0 || (rc == ERR_USAGE && *err.msg), "a source fails without a message");
	if (rc == 0) {
		demand(q.t0 < q.t1, "an empty window");
		window_print(w, &q, out);
	}
	window_free(w);
	return rc == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf text = { 0 }, once = { 0 }, twice = { 0 };

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	buf_addz(&text, "store:");
	buf_add(&text, data, strnlen((const char *)data, n));
	if (canonical(buf_text(&text), &once)) {
		demand(window_is_source(buf_text(&once)), "a canonical source is not a source");
		demand(canonical(buf_text(&once), &twice), "a canonical source fails");
		demand(strcmp(buf_text(&once), buf_text(&twice)) == 0, "a canonical source has another canonical form");
	}
	buf_release(&text);
	buf_release(&once);
	buf_release(&twice);
	return 0;
}
