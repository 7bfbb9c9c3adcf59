/*
 * locals.h - the data of each thread, and a table of it for the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_LOCALS_H
#define LIBCPAPROF_TARGET_LOCALS_H

#include <stdatomic.h>
#include <stdint.h>

/* The data of a thread. At most 64 bytes, since dlopen has little room for static TLS. */
struct local {
	struct thread *_Atomic thread; /* NULL: not looked up yet */
	_Atomic uint32_t label;
	_Atomic uint8_t busy;       /* a sample of this thread is being taken */
	_Atomic uint8_t ended;      /* the thread is ending and has no entry any more: do not sample it */
	_Atomic uint8_t blocked;    /* enum guard_mask: does the program believe that our signal is blocked here? */
	_Atomic uint8_t pending;    /* a signal for the program arrived while the program blocked it */
	uint64_t bytes_to_sample;   /* bytes to allocate until the next sample */
	uint64_t random;            /* state of the random number generator; 0: not seeded */
	uintptr_t lo, top;          /* the stack of the thread is in [lo, top); 0: not looked up yet */
	uint64_t mask;              /* signal mask, saved during fork */
	_Atomic uint16_t hook;      /* depth of our own calls: allocations and locks inside are not sampled */
	_Atomic uint8_t is_listed;  /* the thread is in the table of locals.c */
	_Atomic uint8_t in_handler; /* the program's handler of our signal is running, or was left by longjmp */
	uint32_t drawn_rate;        /* rate for which bytes_to_sample was drawn; 0: sampling was off then */
};
_Static_assert(sizeof(struct local) <= 64, "static TLS is scarce");

extern __thread struct local cpi_local __attribute__((tls_model("initial-exec")));

enum { N_LOCALS = 16384, LOCAL_PROBES = 64 };
/* Entry of a hash table by thread id, which begins to probe at tid % N_LOCALS. */
struct local_at {
	_Atomic uint32_t tid; /* 0: free */
	struct local *_Atomic local;
};
/* Add this thread to the table when it first gets labels. Does nothing if it is in the table. Safe in handlers. */
void cpi_local_register_sig(void);
/* Remove this thread from the table, when it ends. */
void cpi_local_unregister(void);
/* In the child of fork: keep only this thread. */
void cpi_locals_forget(void);
const struct local_at *cpi_locals_table_sig(void);

#endif
