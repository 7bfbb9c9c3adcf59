/*
 * context.h - the labels of threads, in the layout that other profilers read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From OpenTelemetry's OTEP 4947, "Thread Context", as merged on 2026-07-17: the thread-local variable
 * otel_thread_ctx_v1 points to the record of the current labels of a thread. A profiler reads it while the thread does
 * not run. Each set of labels has one record, made by api/context_records.c, which is complete before any thread points
 * to it and is never changed or freed. So setting labels is one more store, and no reader sees a part of a set.
 */
#ifndef LIBCPAPROF_TARGET_CONTEXT_H
#define LIBCPAPROF_TARGET_CONTEXT_H

#include "libcpaprof/target/labels.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The layout of the OTEP. */
struct context_record {
	uint8_t trace_id[16], span_id[8]; /* zeros: none */
	_Atomic uint8_t valid;            /* 1: valid; all other values: ignore the record */
	uint8_t trace_flags;
	uint16_t n_attrs; /* bytes of attrs */
	uint8_t attrs[];  /* for each label: index of its key, length of its value, value */
};
_Static_assert(offsetof(struct context_record, valid) == 24 && offsetof(struct context_record, n_attrs) == 26 &&
		       offsetof(struct context_record, attrs) == 28,
	       "the layout of OTEP 4947");

enum { CONTEXT_RECORD_MAX = 640 }; /* bytes of a record that readers accept */

/* otel_thread_ctx_v1 of this library, by another name: other objects may define that symbol too. */
extern __thread const struct context_record *_Atomic cpi_thread_context
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The record of each set; NULL: none yet. */
extern const struct context_record *_Atomic cpi_context_record[LABELS_ENTRIES] __attribute__((visibility("hidden")));

static inline const struct context_record *cpi_context_of_sig(uint32_t label)
{
	return label < LABELS_ENTRIES ? atomic_load_explicit(&cpi_context_record[label], memory_order_acquire) : NULL;
}

/*
 * Show the labels of this thread to other profilers. A record that another library has attached is left alone.
 *
 * before   the set until now, whose record is attached; 0: none
 */
static inline void cpi_context_attach_sig(uint32_t before, uint32_t after)
{
	const struct context_record *attached = atomic_load_explicit(&cpi_thread_context, memory_order_relaxed);

	if (attached && attached != cpi_context_of_sig(before))
		return;
	atomic_store_explicit(&cpi_thread_context, cpi_context_of_sig(after), memory_order_relaxed);
}

/* Return true if readers that look for otel_thread_ctx_v1 in this process find the variable of this library first. */
bool cpi_context_is_found(void);

#endif
