/*
 * sample.h - samples of one thread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_SAMPLE_H
#define LIBCPAPROF_TARGET_SAMPLE_H

#include "libcpaprof/target/threads.h"

#include <stdbool.h>
#include <stdint.h>

/* Allocate the walker's caches for n rings. Without them walks take longer. */
void cpi_sample_init(uint32_t n);
/* Is this address in the memory of the caches? */
bool cpi_sample_is_memory(uintptr_t at);
/* Take a sample of this thread, at the point where the signal interrupted it. */
void cpi_sample_sig(struct thread *t, const void *context, uint32_t weight) __attribute__((hot));
/* Report the current stack of this thread to the collector, without any weight. */
void cpi_sample_report_stack_sig(struct thread *t, const void *context);
/* Charge a thread for the periods since its last sample. Its handler must not run now or later. */
void cpi_sample_charge_rest(struct thread *t, bool is_blocked);

/* Retire the ring of a thread that takes no more samples. */
void cpi_ring_retire(struct thread *t);

#endif
