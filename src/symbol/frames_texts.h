/*
 * frames_texts.h - texts that live on when the file they come from is closed, each once
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_FRAMES_TEXTS_H
#define SYMBOL_FRAMES_TEXTS_H

#include "base/arena.h"
#include "base/idtab.h"

#include <stddef.h>
#include <stdint.h>

struct frames_texts {
	struct arena *mem;
	struct idtab by_text, by_pointer;
	struct frames_text *text; /* [n] */
	size_t n, cap;
	struct frames_seen *seen; /* [n_seen] */
	size_t n_seen, cap_seen;
	uint64_t left; /* bytes that may still be taken */
};

/* mem lives longer; released with frames_texts_release, the texts stay. */
void frames_texts_init(struct frames_texts *t, struct arena *mem, uint64_t max);
void frames_texts_release(struct frames_texts *t);

/* A copy in mem: one for equal texts. The pointer must stand for the same text each time. "" for NULL,
   and when the limit is passed. */
const char *frames_texts_add(struct frames_texts *t, const char *text);

#endif
