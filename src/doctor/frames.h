/*
 * frames.h - the kind of work of a function, by its name and binary
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCTOR_FRAMES_H
#define DOCTOR_FRAMES_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they decide: a stack with frames of several kinds has the first of these kinds. */
enum frame_kind {
	FRAME_GC,       /* the garbage collector of Go */
	FRAME_ALLOC,    /* allocates or frees memory */
	FRAME_SPIN,     /* gives up the processor and tries again: sched_yield, runtime.Gosched, spin locks */
	FRAME_LOCK,     /* takes or releases a lock, or wakes its waiters */
	FRAME_SYSCALL,  /* a system call; its time in the kernel counts for it */
	FRAME_RUNTIME,  /* Go's runtime, the C library, the loader, the C++ library */
	FRAME_PROFILER, /* serves or makes profiles */
	FRAME_OWN,      /* everything else: the program and its libraries */
	FRAME_NEUTRAL,  /* does not decide: a signal within a function */
	N_FRAME_KINDS
};

/* The kind of a function of this name [n]. FRAME_OWN if its name is not known. */
enum frame_kind doctor_frame_of_name(const char *name, size_t n);

/* The kinds of all functions, to be freed by the caller: [n_funcs]. */
uint8_t *doctor_frame_kinds(const struct profile *p);

/*
 * Find the kind of a stack: the first of those of the frames before the first FRAME_OWN.
 *
 * kind     from doctor_frame_kinds
 * own      the innermost function that is FRAME_OWN; PROFILE_NONE: none
 * caller   its caller with another name that is FRAME_OWN; PROFILE_NONE: none
 */
enum frame_kind doctor_frame_of_stack(const struct profile *p, const uint8_t *kind, uint32_t stack, uint32_t *own,
				      uint32_t *caller);

/* Index of the sample type with this name; the last type if there is none. */
uint32_t doctor_frame_type(const struct profile *p, const char *name);

/* Does the profile have a sample type of this name? */
bool doctor_frame_has_type(const struct profile *p, const char *name);

#endif
