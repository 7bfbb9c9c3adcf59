/*
 * stop.h - cancel work from another thread, and report its progress
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The caller passes a struct stop to a long operation. Loops over millions of items check it and exit early.
 * Their data is then valid but incomplete, so the operation returns ERR_STOPPED instead. A stop that has been set
 * stays set; it may be reset only after every operation that uses it has returned.
 *
 *	for (uint32_t i = 0; i < n && !stop_step(stop, i); i++)
 *		...
 *	return stop_check(stop, err);
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cancellation flag with progress; zero-initialised: not cancelled. */
struct stop {
	atomic_bool is_set;
	_Atomic(const char *) activity; /* the current step, for example "adding up"; NULL before the first one */
	atomic_uint_fast64_t done;      /* iterations done; may end slightly below total */
	atomic_uint_fast64_t total;     /* 0 when unknown */
};

enum { STOP_CHECK_INTERVAL = 1024 }; /* iterations between checks */

/* Request cancellation; callable from any thread and from signal handlers. */
static inline void stop_set(struct stop *s)
{
	atomic_store_explicit(&s->is_set, true, memory_order_relaxed);
}

/* Has cancellation been requested? False for NULL. Once true, it stays true, also for threads that join this one. */
static inline bool stop_is_set(const struct stop *s)
{
	return s && atomic_load_explicit(&s->is_set, memory_order_relaxed);
}

/* Start an activity of this many iterations, 0 if unknown. */
static inline void stop_begin(struct stop *s, const char *activity, uint64_t total)
{
	if (!s)
		return;
	atomic_store_explicit(&s->total, 0, memory_order_relaxed);
	atomic_store_explicit(&s->done, 0, memory_order_relaxed);
	atomic_store_explicit(&s->activity, activity, memory_order_relaxed);
	atomic_store_explicit(&s->total, total, memory_order_relaxed);
}

/* Count iteration i of a loop; true if the loop must end. Several threads may share the iterations. */
static inline bool stop_step(struct stop *s, uint64_t i)
{
	if (!s || i % STOP_CHECK_INTERVAL)
		return false;
	if (i)
		atomic_fetch_add_explicit(&s->done, STOP_CHECK_INTERVAL, memory_order_relaxed);
	return stop_is_set(s);
}

/* Set the number of iterations done. */
static inline void stop_set_done(struct stop *s, uint64_t done)
{
	if (s)
		atomic_store_explicit(&s->done, done, memory_order_relaxed);
}

/* ERR_STOPPED with a message if cancellation has been requested, else 0. */
int stop_check(const struct stop *s, struct err *err);

/* Progress in percent, or -1 if unknown; *activity is set to the current activity, or NULL. */
int stop_percent(const struct stop *s, const char **activity);

#endif
