/*
 * locals.h - the memory that each thread has for itself, and a table of it for the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_LOCALS_H
#define LIBCPAPROF_TARGET_LOCALS_H

#include <stdatomic.h>
#include <stdint.h>

/* What each thread has at a fixed place: no more than 64 bytes, for dlopen has little room for such. */
struct local {
	struct thread *_Atomic thread; /* NULL: look it up */
	_Atomic uint32_t label;
	_Atomic uint8_t busy;    /* a sample is being taken */
	_Atomic uint8_t ended;   /* its record is gone: no samples */
	_Atomic uint8_t blocked; /* the program believes that our signal is blocked here */
	_Atomic uint8_t pending; /* and one that was for the program came meanwhile */
	uint64_t left;           /* bytes to allocate until one is sampled */
	uint64_t random;         /* state of the generator of this thread; 0: not seeded */
	uintptr_t lo, top;       /* its stack is somewhere in [lo, top); 0: not looked for */
	uint64_t mask;           /* of signals, around fork */
	_Atomic uint16_t hook;   /* a wrapper of ours is at work: what it calls is not sampled */
	_Atomic uint8_t listed;  /* it is in the table of locals.c */
	_Atomic uint8_t handles; /* the program's handler of our signal runs, or was jumped out of */
	uint32_t drawn;          /* the rate that left was drawn with; 0: none, it is when to look again */
};
_Static_assert(sizeof(struct local) <= 64, "static TLS is scarce");

extern __thread struct local cpi_local __attribute__((tls_model("initial-exec")));

enum { N_LOCALS = 16384, LOCAL_PROBES = 64 };
/* An entry of its table: at tid % N_LOCALS, or behind that. */
struct local_at {
	_Atomic uint32_t tid; /* 0: free */
	struct local *_Atomic local;
};
/* This thread has labels. Called once in each that does, also in handlers. */
void cpi_local_list_sig(void);
/* This thread ends. */
void cpi_local_unlist(void);
/* In the child of fork: only this thread is there. */
void cpi_locals_forget(void);
const struct local_at *cpi_locals_table_sig(void);

#endif
