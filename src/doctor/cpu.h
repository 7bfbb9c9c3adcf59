/*
 * cpu.h - the kinds of work that CPU time was used for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCTOR_CPU_H
#define DOCTOR_CPU_H

#include "doctor/frames.h"
#include "profile/profile.h"

#include <stdint.h>

/* A function and its part of a kind. Texts are borrowed from the profile; "" for none. */
struct doctor_function {
	const char *name, *caller;
	int64_t ns;
};

struct doctor_cpu {
	int64_t total_ns; /* all kinds, without the profiler and time without samples */
	int64_t kind_ns[N_FRAME_KINDS];
	int64_t not_sampled_ns;
	int64_t duration_ns; /* 0: unknown */
	int64_t n_samples;   /* stacks that were sampled */
	/* For each kind, the own function that used most of it: itself or by its calls. */
	struct doctor_function top[N_FRAME_KINDS];
};

/* Add up a CPU profile. */
void doctor_cpu_make(const struct profile *p, struct doctor_cpu *out);

/* The share of a kind, 0 to 1; 0 without samples. */
double doctor_cpu_share(const struct doctor_cpu *s, enum frame_kind kind);

/* Mean number of processors in use; 0 if unknown. */
double doctor_cpu_cores(const struct doctor_cpu *s);

/* The own function with the largest value of a sample type, by itself or by the calls of FRAME_ALLOC and others. */
struct doctor_function doctor_cpu_largest(const struct profile *p, uint32_t type, int64_t *total);

#endif
