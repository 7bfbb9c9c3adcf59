/*
 * stop.h - work that another thread may end, and how far it is
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Who waits for an answer has a struct stop and gives it along with the question. Loops over what a
 * profile can have millions of look at it and leave early; what they made until then is well formed but not
 * whole, and the function that was asked gives ERR_STOPPED instead of it. Once set it stays set until all
 * that was asked with it has come back; only then may it be used again.
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

/* All zero: go on. */
struct stop {
	atomic_bool is_set;
	_Atomic(const char *) what; /* is being done, as "adding up"; NULL before anything is */
	atomic_uint_fast64_t done;  /* steps of that; may end a little short of all */
	atomic_uint_fast64_t all;   /* 0 when unknown */
};

enum { STOP_STEPS = 1024 }; /* between two looks */

/* From any thread, or a signal handler: end what is being done. */
static inline void stop_set(struct stop *s)
{
	atomic_store_explicit(&s->is_set, true, memory_order_relaxed);
}

/* Is it to end? NULL never. Whoever has once seen true, and whoever waited for them, sees true from then on. */
static inline bool stop_is_set(const struct stop *s)
{
	return s && atomic_load_explicit(&s->is_set, memory_order_relaxed);
}

/* Say what is being done, and of how many steps; 0 when that is unknown. */
static inline void stop_begin(struct stop *s, const char *what, uint64_t all)
{
	if (!s)
		return;
	atomic_store_explicit(&s->all, 0, memory_order_relaxed);
	atomic_store_explicit(&s->done, 0, memory_order_relaxed);
	atomic_store_explicit(&s->what, what, memory_order_relaxed);
	atomic_store_explicit(&s->all, all, memory_order_relaxed);
}

/* Step i of a loop: count, and tell whether it is to end. Several threads may share the steps. */
static inline bool stop_step(struct stop *s, uint64_t i)
{
	if (!s || i % STOP_STEPS)
		return false;
	if (i)
		atomic_fetch_add_explicit(&s->done, STOP_STEPS, memory_order_relaxed);
	return stop_is_set(s);
}

/* So many steps are done. */
static inline void stop_reach(struct stop *s, uint64_t done)
{
	if (s)
		atomic_store_explicit(&s->done, done, memory_order_relaxed);
}

/* Gives ERR_STOPPED and its sentence when it is set, else 0. */
int stop_check(const struct stop *s, struct err *err);

/* How much is done, in percent, or -1 when that is unknown; what is set to what is being done, or NULL. */
int stop_percent(const struct stop *s, const char **what);

#endif
