/*
 * kinds.h - how the values of a profile were sampled, and what that says about their error
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_KINDS_H
#define REPORT_GATE_KINDS_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "report/gate/gate_int.h"

#include <stdbool.h>
#include <stdint.h>

enum kinds_rule {
	KINDS_STEPS,   /* multiples of what one sample is worth, the step: V * step */
	KINDS_WEIGHTS, /* records of unknown make, each taken for one sample: V * V */
	KINDS_BYTES,   /* scaled up by the rate of a heap profile, with the objects at hand */
	KINDS_OBJECTS, /* and the other way round */
	KINDS_DELAY,   /* sums of waits with a heavy tail, with the number of waits at hand */
	KINDS_EXACT,   /* nothing was left out: 0 */
};

/* What is compared, and how the sampling variance of a record comes from its values. */
struct kinds {
	enum gate_error error;
	enum kinds_rule rule;
	uint32_t type;    /* of the profile, whose values are V */
	uint32_t partner; /* the type that the variance needs too; PROFILE_NONE */
	bool by_period;   /* V counts samples, which are worth what the period says */
	double step;      /* of STEPS, in units of V; of DELAY, waits per sampled one */
	double rate;      /* of BYTES and OBJECTS: bytes between samples, in the unit of the column of bytes */
};

/*
 * Choose what is compared. Names are compared without case, '-' is '_'.
 *
 *	sample type                            V             variance of a record      error
 *	samples, sample, *_samples, *_sample   count         V                         POISSON
 *	a time, or *_event, when nothing is    the count     V                         POISSON
 *	  asked for: the count beside it
 *	  (X_sample of X_event, X_samples of
 *	  X_time, samples, sample)
 *	a time, asked for or alone             time          V * period                POISSON
 *	*_event, cycles ... (the name of the   events        V * period                POISSON
 *	  period type), any count with it
 *	the same, no multiples of the period   as above      V * step, the step that   POISSON
 *	  or without one                                     all are multiples of and
 *	                                                     some value is (times: at
 *	                                                     least 10 us); else V * V
 *	bytes (a unit of memory), period in    bytes         V * size/q * (1-q)        HEAP
 *	  bytes, *_objects beside it
 *	the same without *_objects             bytes         V * rate, never less than HEAP
 *	                                                     the line above
 *	*_objects beside bytes                 objects       V * 1/q * (1-q)           HEAP
 *	bytes, objects with a rate of 1        as above      0                         HEAP
 *	bytes, objects without a rate          as above      V * V                     POISSON
 *	contentions, *mutex*, *block*,         count         V * step, the larger of   POISSON
 *	  *lock* that are no times                           the period and what all
 *	                                                     are multiples of
 *	delay, *wait*, the same as times       time          2 * V * V / samples of    DELAY
 *	                                                     the count beside it, at
 *	                                                     most V * V
 *	goroutine, threadcreate, thread        count         V                         CENSUS
 *	any other count                        count         V                         POISSON
 *	anything else                          value         V * V                     POISSON
 *
 * size is bytes / objects of the record, q = 1 - exp(-size / rate) the chance that an object is sampled. Go says
 * 1 for the period of mutex profiles and multiplies the counts by the rate, which is why all being multiples tells.
 *
 * sample_index  as asked for; "" takes the profile's default, and for times and events the count beside it
 * notes         a line is appended where the error is a guess; may be NULL
 * Fails         ERR_USAGE for a sample_index that does not exist
 */
int kinds_find(const struct profile *p, const char *sample_index, struct kinds *out, struct buf *notes,
	       struct err *err);

/* The same for a type that is known by its place. */
void kinds_of_type(const struct profile *p, uint32_t type, struct kinds *out, struct buf *notes);

/* The sampling variance of a record: v of the type, with of the partner (0 without one). Neither is negative. */
double kinds_variance(const struct kinds *k, double v, double with);

/* The CPU time of all samples, in seconds; 0 when nothing tells. */
double kinds_cpu_seconds(const struct profile *p);

#endif
