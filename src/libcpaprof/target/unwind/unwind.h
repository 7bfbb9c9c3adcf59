/*
 * unwind.h - from registers and a stack to return addresses, by .eh_frame
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Made for a signal handler in somebody else's process: functions that end in _sig take no lock,
 * allocate nothing, call nothing of the C library, use no thread-local storage, end after a bounded
 * number of steps whatever the bytes say, and need about 1 KiB of stack. They read only from the
 * ranges of stack and the objects that they are given.
 *
 * Addresses are those of the process that is walked, the target; bytes are pointers in the process
 * that walks. The two differ when a copy of a stack is walked, or another process.
 */
#ifndef LIBCPAPROF_TARGET_UNWIND_UNWIND_H
#define LIBCPAPROF_TARGET_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
enum { UNWIND_REGS = 16, UNWIND_FP = 6, UNWIND_SP = 7, UNWIND_SAVED = 6 };
#elif defined(__aarch64__)
enum { UNWIND_REGS = 3, UNWIND_FP = 0, UNWIND_LR = 1, UNWIND_SP = 2, UNWIND_SAVED = 1 };
#else
#error "only x86-64 and aarch64 have an unwinder"
#endif

/* Registers of one frame. x86-64: r by the numbers of DWARF; aarch64: x29, x30, sp. */
struct unwind_regs {
	uint64_t pc;
	uint64_t r[UNWIND_REGS];
	uint32_t known; /* bit i: r[i] is known; pc and the stack pointer always are */
};

/* Addresses [lo, hi) of a stack, of which every byte can be read. */
struct unwind_range {
	uint64_t lo, hi;
	const unsigned char *bytes; /* what is at lo; (void *)lo for a stack in place */
};

/*
 * One loaded object. Fill it with cpi_unwind_object_init.
 *
 * Bytes that are not to be had are NULL with an empty range: without eh nothing has CFI, without
 * text a guessed return address is not checked against the call before it.
 */
struct unwind_object {
	uint64_t lo, hi;           /* where it is loaded */
	uint64_t eh_lo, eh_hi;     /* where .eh_frame_hdr and .eh_frame are */
	uint64_t text_lo, text_hi; /* its code */
	const unsigned char *eh, *text;
	uint64_t hdr;   /* address of .eh_frame_hdr; 0: there is none */
	uint64_t frame; /* address of .eh_frame; 0 when only the table leads there */
	uint64_t table; /* first entry of the search table */
	uint32_t n_table;
	int32_t first_key, last_key; /* of a table in the usual encoding: its first and last address, from hdr */
	uint8_t table_enc;           /* encoding of its entries; DW_EH_PE_omit: search .eh_frame from its start */
};

/*
 * The object that holds an address, or NULL. The answer is good until the next call with the same
 * room, which the function may use to hold it. Called from signal handlers.
 */
typedef const struct unwind_object *unwind_find_fn(void *arg, uint64_t pc, struct unwind_object *room);

/* What CFI says about one pc, as far as a walk needs it. */
struct unwind_rule {
	uint64_t pc;
	uint32_t tag;    /* low bits of the address of .eh_frame_hdr: whose rule this is */
	int32_t cfa_off; /* CFA = r[cfa_reg] + cfa_off */
	int16_t ra;      /* the return address is at CFA + 8 * ra; or UNWIND_KEPT, UNWIND_LOST */
	int16_t saved[UNWIND_SAVED];
	uint8_t cfa_reg;
	uint8_t flags;
};

/* One frame of the last walk. */
struct unwind_frame {
	uint64_t pc, sp, fp;
	uint64_t fp_slot; /* where its caller's frame pointer was saved; 0: nowhere, it stays; 1: not known */
};

enum { UNWIND_CACHE_OBJECTS = 8 };

/*
 * Memory of one thread between walks: zeros at first, but for rule, which points to mask + 1 of them, and
 * frame and fresh, which point to max_frames each. One walk at a time may use it. A rule stays right when
 * objects come and go: it is taken only for an object at the same place.
 */
struct unwind_cache {
	struct unwind_rule *rule;
	uint32_t mask;       /* a power of two, less one */
	uint32_t max_frames; /* 0: do not remember frames */
	uint32_t first_frame;
	uint32_t n_hit, n_miss, n_same; /* rules that were there and were not, frames of the last walk; for tests */
	struct unwind_frame *frame;     /* [first_frame, max_frames) those of the last walk, root last */
	struct unwind_frame *fresh;
	uint64_t stack_hi; /* of which stack they are */
	const unsigned char *stack_bytes;
	struct unwind_object object[UNWIND_CACHE_OBJECTS];
};

/* What a walk reads from. */
struct unwind_from {
	const struct unwind_range *range; /* [n_ranges] the thread's stack, its alternate stack, ... */
	uint32_t n_ranges;
	unwind_find_fn *find;
	void *arg;                  /* of find */
	struct unwind_cache *cache; /* or NULL */
};

/* Why a walk ended. The order is that of reports; UNWIND_ROOT alone is a whole stack. */
enum unwind_end {
	UNWIND_ROOT,     /* CFI says that nobody called this function, or the return address is 0 */
	UNWIND_FULL,     /* max frames */
	UNWIND_NO_CFI,   /* a function without CFI, and no guess at its caller holds */
	UNWIND_BAD_CFI,  /* CFI that is broken, or that asks for what this walker does not do */
	UNWIND_NO_REG,   /* CFI asks for a register that is not known */
	UNWIND_BAD_SP,   /* the stack pointer would not grow, or is not aligned */
	UNWIND_OUTSIDE,  /* the stack goes on outside the ranges */
	UNWIND_TOO_LONG, /* the budget of steps for one walk is used up */
	UNWIND_N_ENDS
};

struct unwind_result {
	uint32_t n;         /* frames */
	uint32_t n_guessed; /* of them, found without CFI */
	enum unwind_end end;
};

/* The registers at a signal. uc: the ucontext_t that a handler with SA_SIGINFO is given. */
void cpi_unwind_regs_sig(const void *uc, struct unwind_regs *out);

/* The registers of a thread of which only these two are known, as /proc/PID/task/TID/syscall shows. */
void cpi_unwind_regs_peeked_sig(uint64_t pc, uint64_t sp, struct unwind_regs *out);

/*
 * The callers of a frame.
 *
 * regs  where to start; changed: those of the last frame that was reached
 * pc    [max] out: pc[0] is regs->pc, all others are return addresses as they are on the stack,
 *       so that one less is in the call. Frames that no call made (one that a signal interrupted,
 *       and the trampoline below it) have 1 added, so one less is right for all but pc[0]
 * Ends also when something is wrong, with what was found so far and why in out->end.
 */
void cpi_unwind_walk_sig(const struct unwind_from *from, struct unwind_regs *regs, uint64_t *pc, uint32_t max,
			 struct unwind_result *out);

/*
 * What a walk needs to know of an ELF object, from its program headers.
 *
 * bytes    [n] the file, or with image the object as it is in memory, from the lowest address on
 * image    segments are where they are loaded, not where they are in the file. Of the bytes, only
 *          the ELF header and what segments cover is read
 * lo, hi   where the object is in the target; bytes outside are not believed
 * hdr      address of .eh_frame_hdr when it is known, else 0: the program headers say
 * Gives false when this is no ELF object of this machine that begins with its ELF header; out then
 * has the two addresses and no bytes.
 */
bool cpi_unwind_object_init_sig(const unsigned char *bytes, uint64_t n, bool image, uint64_t lo, uint64_t hi,
				uint64_t hdr, struct unwind_object *out);

/*
 * An unwind_find_fn for this process: _dl_find_object where glibc has it (2.35), else the snapshot.
 * arg: the struct unwind_cache of the thread, which then keeps objects, or NULL.
 */
const struct unwind_object *cpi_unwind_find_sig(void *arg, uint64_t pc, struct unwind_object *room);

/* Objects in order of address, without overlaps. */
struct unwind_table {
	uint32_t n;
	const struct unwind_object *object;
};

/* An unwind_find_fn for a table. arg: a struct unwind_table. */
const struct unwind_object *cpi_unwind_table_find_sig(void *arg, uint64_t pc, struct unwind_object *room);

/* Call once before a handler runs: binds _dl_find_object. Gives false when snapshots are needed. */
bool cpi_unwind_init(void);

/* False sends cpi_unwind_find_sig to the snapshot although there is _dl_find_object; for tests. */
void cpi_unwind_use_dl_find_object(bool use);

/*
 * The objects that are loaded now, in order of address. Not for handlers: takes the loader's lock.
 *
 * object  [max] out
 * Gives the number of objects there are, which may be more than max; then call again with more.
 */
uint32_t cpi_unwind_snapshot(struct unwind_object *object, uint32_t max);

/*
 * Let handlers use these objects from now on. Gives the table before, or NULL; handlers that were
 * running may still read it, so the caller waits for those before it frees it.
 */
const struct unwind_table *cpi_unwind_publish(const struct unwind_table *table);

#endif
