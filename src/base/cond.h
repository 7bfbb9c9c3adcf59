/*
 * cond.h - condition variables with a time limit that changes of the system time do not affect
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_COND_H
#define BASE_COND_H

#include <pthread.h>

/* Freed with pthread_cond_destroy. */
void cond_init(pthread_cond_t *c);

/* Wait for a signal, at most ms milliseconds. The lock is held. A struct stop that is set signals nothing, so poll it. */
void cond_wait_ms(pthread_cond_t *c, pthread_mutex_t *lock, unsigned ms);

#endif
