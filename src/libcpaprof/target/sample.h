/*
 * sample.h - a sample of one thread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_SAMPLE_H
#define LIBCPAPROF_TARGET_SAMPLE_H

#include "libcpaprof/target/threads.h"

#include <stdbool.h>
#include <stdint.h>

/* Memory for the walker, for n rings. Without it walks take longer. */
void cpi_sample_init(uint32_t n);
/* The walker's memory that goes with ring i. */
struct walk_memory *cpi_sample_memory_sig(uint32_t i);
/* Is that address of this memory? */
bool cpi_sample_is_memory(uintptr_t at);
/* Take a sample of this thread, which the signal interrupted. */
void cpi_sample_sig(struct thread *t, const void *context, uint32_t weight);
/* Tell the collector where this thread is, which the signal interrupted. */
void cpi_sample_tell_sig(struct thread *t, const void *context);
/* Charge a thread with what it used since the last sample. Its handler is not at work, and will not be. */
void cpi_sample_end(struct thread *t);

#endif
