/*
 * fuzz_stacks.c - any bytes as a stack dump
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "formats/dump/stacks.h"

#include <assert.h>
#include <string.h>

/* Check that a text is part of the input. */
static void check_text(struct stacks_text t, const char *text, size_t n)
{
	assert(t.n == 0 || (t.s >= text && t.n <= n && (size_t)(t.s - text) <= n - t.n));
}

static void check_frame(const struct stacks_frame *f, const char *text, size_t n)
{
	check_text(f->function, text, n);
	check_text(f->file, text, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in = fuzz_bytes(data, n);
	const char *text = (const char *)in.data;
	struct stacks s;
	struct err err = { 0 };

	if (stacks_parse(text, in.n, &s, &err) < 0) {
		assert(*err.msg);
		free(in.data);
		return 0;
	}
	assert(s.n > 0);
	for (size_t i = 0; i < s.n; i++) {
		const struct stacks_thread *t = &s.thread[i];

		assert(t->first <= s.n_frames && t->n <= s.n_frames - t->first);
		check_text(t->name, text, n);
		check_text(t->state, text, n);
		check_text(t->details, text, n);
		check_text(t->labels, text, n);
		check_frame(&t->creator, text, n);
		for (uint32_t k = 0; k < t->n; k++)
			check_frame(&s.frame[t->first + k], text, n);
	}
	stacks_release(&s);
	free(in.data);
	return 0;
}
