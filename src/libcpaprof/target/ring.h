/*
 * ring.h - the ring buffer of a thread, between its handler and the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_RING_H
#define LIBCPAPROF_TARGET_RING_H

#include "libcpaprof/target/threads.h"

#include <stdbool.h>
#include <stdint.h>

/* Give the thread a ring. False when all are taken. */
bool cpi_ring_claim_sig(struct thread *t, uint32_t tid);
/* Take the ring from a thread that takes no more samples. */
void cpi_ring_retire(struct thread *t);
/*
 * Room for a record of RECORD_HEAD + max_depth + RECORD_TAIL words, in one piece. NULL when the ring is full.
 * cpi_ring_push_sig publishes n words of it.
 */
uint64_t *cpi_ring_room_sig(struct thread *t);
void cpi_ring_push_sig(struct thread *t, uint32_t n);
/* n words behind the record at at that nobody reads, or NULL. */
uint64_t *cpi_ring_spare_sig(const struct thread *t, const uint64_t *at, uint32_t n);

#endif
