/*
 * context.h - read the process context of OpenTelemetry from the memory of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From OTEP 4719, "Process Context", version 2 of the header, as merged on 2026-04-07, and the attributes of OTEP 4947,
 * "Thread Context". The process may change it at any time, and is not trusted.
 */
#ifndef ATTACH_CONTEXT_H
#define ATTACH_CONTEXT_H

#include "base/buf.h"
#include "libcpaprof/collector/read/read_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTEXT_SIZE_MAX = 64 << 10, CONTEXT_PAIRS_READ_MAX = 256, CONTEXT_KEYS_READ_MAX = 256 };

/* Zero-initialised. */
struct process_context {
	uint64_t address;                                                    /* of the header; 0: not found */
	uint64_t published_ns;                                               /* of what was read; 0: nothing was read */
	struct buf text;                                                     /* texts in UTF-8, each with a NUL */
	uint32_t key[CONTEXT_PAIRS_READ_MAX], value[CONTEXT_PAIRS_READ_MAX]; /* [n] offsets in text: attributes */
	size_t n;
	uint32_t
		label_key[CONTEXT_KEYS_READ_MAX]; /* [n_label_keys] offsets in text: names of keys of thread contexts */
	size_t n_label_keys;
	bool has_thread_contexts; /* are the records of threads in the layout of OTEP 4947? */
	const char *problem;      /* why the context, or the last change of it, was not read; NULL: none. Constant */
};

/*
 * Read the context at c->address, if it is another one than before. On a problem, what was read before is kept.
 *
 * space   of the process
 * Returns true if there is a context
 */
bool attach_context_read(struct process_context *c, struct address_space *space);

/* Decode a message. Returns NULL, or what is wrong with it; then c is unchanged. */
const char *attach_context_decode(struct process_context *c, const uint8_t *data, size_t n);

/* Append a text that is not trusted, and a NUL. Invalid UTF-8 and NULs become U+FFFD. Returns its offset. */
uint32_t attach_context_add_text(struct buf *to, const uint8_t *text, size_t n);

/* Is this the path of a mapping with a context, in /proc/PID/maps? */
bool attach_context_is_mapping(const char *path);

/* The value of an attribute; NULL: it has none. */
const char *attach_context_value(const struct process_context *c, const char *key);

void attach_context_release(struct process_context *c);

#endif
