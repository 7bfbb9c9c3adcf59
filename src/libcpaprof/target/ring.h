/*
 * ring.h - the ring buffer of a thread, written by its handler and read by the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_RING_H
#define LIBCPAPROF_TARGET_RING_H

#include "libcpaprof/target/threads.h"

#include <stdbool.h>
#include <stdint.h>

/* Claim a ring for the thread. Returns false if all are in use. */
bool cpi_ring_claim_sig(struct thread *t, uint32_t tid);
/* Retire the ring of a thread that takes no more samples. */
void cpi_ring_retire(struct thread *t);
/*
 * Reserve contiguous room for a record of RECORD_HEAD + max_depth + RECORD_TAIL words. Returns NULL when the ring is
 * full. cpi_ring_push_sig publishes the first n words of it.
 */
uint64_t *cpi_ring_reserve_sig(struct thread *t);
void cpi_ring_push_sig(struct thread *t, uint32_t n);
/* Return n free words after the record at `at`, which the collector does not read; NULL if there are none. */
uint64_t *cpi_ring_scratch_sig(const struct thread *t, const uint64_t *at, uint32_t n);

#endif
