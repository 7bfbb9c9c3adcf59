/*
 * sampling.h - sampling model of the values of a profile, and their sampling error
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

enum sampling_rule {
	SAMPLING_STEPS,   /* multiples of a step, the value of one sample: V * step */
	SAMPLING_STACKS,  /* time, if the number of stacks is known: V * V / stacks * step */
	SAMPLING_WEIGHTS, /* unknown; each record counts as one sample: V * V */
	SAMPLING_BYTES,   /* heap bytes scaled up by the sampling rate, if objects are known */
	SAMPLING_OBJECTS, /* heap objects, if bytes are known */
	SAMPLING_DELAY,   /* sums of delays with a heavy tail, if the number of waits is known */
	SAMPLING_EXACT,   /* values are exact: 0 */
};

/* Sample type to compare, and the rule for the sampling variance of a record. */
struct sampling {
	enum gate_error error;
	enum sampling_rule rule;
	uint32_t named_type;        /* type that is compared */
	uint32_t type;              /* type whose values are V: named_type, or the time that belongs to a count */
	uint32_t partner;           /* second type for the variance; PROFILE_NONE for none */
	bool is_time;               /* are the samples of CPU or wall-clock time, or of processor events? */
	bool by_period;             /* does named_type count samples, each with the value of the period? */
	const char *unknown_reason; /* why the number of stacks is unknown, printed after "values of TYPE"; or NULL */
	double worth;               /* value of one sample in the unit of the period; 0: equal to the period */
	double step; /* STEPS: the step in units of V; STACKS: unevenness of times; DELAY: waits per sampled wait */
	double rate; /* BYTES and OBJECTS: bytes between samples, in the unit of the bytes column */
};

/*
 * Choose the type to compare. Names are compared ignoring case, and '-' equals '_'. In the table, V is the value of a
 * record that is compared, and step the value of one sample.
 *
 *	sample type                            V             variance of a record      error
 *	samples, sample, *_samples, *_sample   count         V                         POISSON
 *	the same, if 20 or more rows are all   count         V * step                  POISSON
 *	  multiples of the smallest of them,
 *	  the step
 *	samples with cpu, by an older cpa      time / period V * (2m - 1), m periods   POISSON
 *	  (comment)                                          per stack
 *	cpu with samples, by an older cpa      time          the same                  POISSON
 *	cpu with samples, by cpa               time          V * V / stacks * (2 - 1/m) POISSON
 *	a time, or *_event, unless requested:  the count     V                         POISSON
 *	  the count of its samples
 *	  (X_sample of X_event, X_samples of
 *	  X_time, samples, sample)
 *	a time, requested or alone             time          V * period                POISSON
 *	*_event, cycles ... (the name of the   events        V * period                POISSON
 *	  period type), any count with it
 *	the same, not multiples of the period  as above      V * gcd if one value      POISSON
 *	  or without one                                     equals it (times: at
 *	                                                     least 10 us); else V * V
 *	bytes (a unit of memory), period in    bytes         V * size/q * (1-q)        HEAP
 *	  bytes, with *_objects
 *	the same without *_objects             bytes         V * rate, never less than HEAP
 *	                                                     the line above
 *	*_objects with bytes                   objects       V * 1/q * (1-q)           HEAP
 *	bytes, objects with a rate of 1        as above      0                         HEAP
 *	bytes, objects without a rate          as above      V * V                     POISSON
 *	contentions, *mutex*, *block*,         count         V * step, the larger of   POISSON
 *	  *lock*, except times                               the period and the gcd
 *	delay, *wait*, the same as times       time          2 * V * V / samples of    DELAY
 *	                                                     their count, at
 *	                                                     most V * V
 *	goroutine, threadcreate, thread        count         V                         CENSUS
 *	any other count                        count         V                         POISSON
 *	anything else                          value         V * V                     POISSON
 *
 * size is bytes / objects of the record, and q = 1 - exp(-size / rate) the probability that an object is sampled. Go
 * writes a period of 1 into mutex profiles and multiplies the counts by the rate, so the step is the greatest common
 * divisor of the counts. V * V is the last resort, for rows that are one sample each (weights.h). If they are not, or
 * if counts of samples are all above 1 and look like weights, the number of stacks is unknown.
 *
 * sample_index  as requested; "" selects the profile's default, and for times and events their count
 * notes         a line is appended if the error is a guess; may be NULL
 * Fails         ERR_USAGE for a sample_index that does not exist
 */
int sampling_find(const struct profile *p, const char *sample_index, struct sampling *out, struct buf *notes,
		  struct err *err);

/* Choose the rule for a given type. */
void sampling_of_type(const struct profile *p, uint32_t type, struct sampling *out, struct buf *notes);

/* Sampling variance of a record with value v of the type, and `with` of the partner (0 without one). Neither is
   negative. */
double sampling_variance(const struct sampling *k, double v, double with);

/* CPU time of all samples, in seconds; 0 if unknown. */
double sampling_cpu_seconds(const struct profile *p);

enum weights_source {
	WEIGHTS_FOREIGN, /* the profile has no comment written by cpa */
	WEIGHTS_STACKS,  /* from cpa: samples/count counts stacks */
	WEIGHTS_PERIODS, /* from an older cpa, or merged with its files: samples/count counts periods */
};

/*
 * Parse the comments that cpa writes into profiles of CPU time.
 *
 * periods  out, for WEIGHTS_PERIODS the mean number of periods per stack, in merged files the largest one; 0 without
 *          stacks
 */
enum weights_source weights_of_comments(const struct profile *p, double *periods);

/* The share of the time in which programs waited for a processor, by a comment of cpa; 0 if there is none, the largest of
 * several. */
double weights_busy_share(const struct profile *p);

/*
 * Returns true if each row is known to be one sample: a count is 1 in every row, equal stacks with equal labels are
 * separate rows, or each row has unique labels while rows share stacks, as with timestamps.
 *
 * count  sample type that counts samples; PROFILE_NONE for none
 */
bool weights_row_is_sample(const struct profile *p, uint32_t count);

#endif
