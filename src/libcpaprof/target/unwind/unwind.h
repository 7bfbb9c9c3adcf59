/*
 * unwind.h - find return addresses from registers and a stack, with .eh_frame
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Made for a signal handler in another program's process. Functions whose names end in _sig take no lock, allocate no
 * memory, call no function of the C library and use no thread-local storage. They end after a bounded number of steps,
 * whatever the bytes contain, and need about 1 KiB of stack. They read only the ranges of stack and the objects that
 * they are given.
 *
 * Addresses are those of the target, the process that is walked. Bytes are pointers in the process that walks. The
 * two differ when a copy of a stack or another process is walked.
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
#error "the unwinder supports only x86-64 and aarch64"
#endif

/* Registers of one frame. x86-64: r is indexed by DWARF register numbers; aarch64: x29, x30, sp. */
struct unwind_regs {
	uint64_t pc;
	uint64_t r[UNWIND_REGS];
	uint32_t known; /* bit i: r[i] is known; pc and the stack pointer always are */
};

/* Addresses [lo, hi) of a stack. Every byte of it can be read. */
struct unwind_range {
	uint64_t lo, hi;
	const unsigned char *bytes; /* the contents from lo on; (void *)lo for a stack in place */
};

/*
 * One loaded object. Fill it in with cpi_unwind_object_init_sig.
 *
 * Bytes that are not available are NULL, with an empty range. Without eh no function has CFI. Without text, guesses
 * cannot check that a call precedes a return address.
 */
struct unwind_object {
	uint64_t lo, hi;           /* address range of the object */
	uint64_t eh_lo, eh_hi;     /* address range of .eh_frame_hdr and .eh_frame */
	uint64_t text_lo, text_hi; /* address range of its code */
	const unsigned char *eh, *text;
	uint64_t hdr;   /* address of .eh_frame_hdr; 0: none */
	uint64_t frame; /* address of .eh_frame; 0: reachable only through the table */
	uint64_t table; /* first entry of the search table */
	uint32_t n_table;
	int32_t first_key, last_key; /* first and last address of a table in the common encoding, relative to hdr */
	uint8_t table_enc;           /* encoding of the table; DW_EH_PE_omit: search .eh_frame from its start */
};

/*
 * Find the object that contains an address. Returns NULL if there is none. The result is valid until the next call with
 * the same room, in which it may be stored. Called from signal handlers.
 */
typedef const struct unwind_object *unwind_find_fn(void *arg, uint64_t pc, struct unwind_object *room);

/* The CFI of one pc, in a short form for walks. */
struct unwind_rule {
	uint64_t pc;
	uint32_t tag;    /* identifies the object: low bits of the address of .eh_frame_hdr */
	int32_t cfa_off; /* CFA = r[cfa_reg] + cfa_off */
	int16_t ra;      /* the return address is at CFA + 8 * ra; or SLOT_SAME, SLOT_LOST */
	int16_t saved[UNWIND_SAVED];
	uint8_t cfa_reg;
	uint8_t flags;
};

/* One frame of the last walk. */
struct unwind_frame {
	uint64_t pc, sp, fp;
	uint64_t fp_slot; /* address where the caller's frame pointer was saved; 0: not saved, unchanged; 1: unknown */
};

enum { UNWIND_CACHE_BITS = 5, UNWIND_CACHE_OBJECTS = 1 << UNWIND_CACHE_BITS };

/*
 * Cache of one thread between walks. All zeros at first, except rule, which points to mask + 1 rules, and frame and
 * fresh, which point to max_frames each. Only one walk at a time may use it. A rule remains valid when objects are
 * unloaded and loaded, because it is used only for an object at the same address.
 */
struct unwind_cache {
	struct unwind_rule *rule;
	uint32_t mask;       /* number of rules minus 1; the number of rules is a power of two */
	uint32_t max_frames; /* 0: do not remember frames */
	uint32_t first_frame;
	uint32_t n_hit, n_miss, n_same; /* rule found, rule not found, frames shared with the last walk; for tests */
	struct unwind_frame *frame;     /* [first_frame, max_frames): frames of the last walk, root last */
	struct unwind_frame *fresh;
	uint64_t stack_hi; /* identifies the stack of these frames */
	const unsigned char *stack_bytes;
	struct unwind_object object[UNWIND_CACHE_OBJECTS];
};

/* The data that a walk reads. */
struct unwind_source {
	const struct unwind_range *range; /* [n_ranges] the thread's stack, its alternate stack, ... */
	uint32_t n_ranges;
	unwind_find_fn *find;
	void *arg;                  /* passed to find */
	struct unwind_cache *cache; /* or NULL */
};

/* Why a walk ended. Reports use this order. Only UNWIND_ROOT means a complete stack. */
enum unwind_end {
	UNWIND_ROOT,     /* the frame is marked as outermost by its CFI, or its return address is 0 */
	UNWIND_FULL,     /* max frames were found */
	UNWIND_NO_CFI,   /* a function without CFI, and no valid guess of its caller */
	UNWIND_BAD_CFI,  /* CFI is damaged, or needs a feature that this walker lacks */
	UNWIND_NO_REG,   /* CFI needs a register with an unknown value */
	UNWIND_BAD_SP,   /* the stack pointer would not increase, or is misaligned */
	UNWIND_OUTSIDE,  /* the stack continues outside the ranges */
	UNWIND_TOO_LONG, /* the budget of steps for one walk is used up */
	UNWIND_N_ENDS
};

struct unwind_result {
	uint32_t n;         /* frames */
	uint32_t n_guessed; /* frames found without CFI */
	enum unwind_end end;
};

/* Read the registers at a signal. uc: the ucontext_t passed to a handler with SA_SIGINFO. */
void cpi_unwind_regs_sig(const void *uc, struct unwind_regs *out) __attribute__((hot));

/* Set the registers of a thread of which only these two are known, from /proc/PID/task/TID/syscall. */
void cpi_unwind_regs_of_pc_sp_sig(uint64_t pc, uint64_t sp, struct unwind_regs *out);

/*
 * Find the callers of a frame.
 *
 * regs  where to start; out: those of the last frame that was reached
 * pc    [max] out: pc[0] is regs->pc, all others are return addresses as they are on the stack, so one less is inside
 *       the call. Frames that made no call (one that a signal interrupted, and the trampoline below it) are increased
 *       by 1, so one less is right for all but pc[0]
 * out   the number of frames and why the walk ended; on an error pc has the frames found until then
 */
void cpi_unwind_walk_sig(const struct unwind_source *from, struct unwind_regs *regs, uint64_t *pc, uint32_t max,
			 struct unwind_result *out) __attribute__((hot));

/*
 * Describe an ELF object for walks, from its program headers.
 *
 * bytes    [n] the file, or with image the object in memory, from its lowest address on
 * image    segments are at their addresses in memory, not at their offsets in the file. Only the first page and the
 *          bytes of segments are read
 * lo, hi   address range of the object in the target; addresses outside are rejected
 * hdr      address of .eh_frame_hdr if it is known; 0: take it from the program headers
 * Returns false if this is no ELF object of this machine that begins with its ELF header; out then contains the two
 * addresses and no bytes
 */
bool cpi_unwind_object_init_sig(const unsigned char *bytes, uint64_t n, bool image, uint64_t lo, uint64_t hi,
				uint64_t hdr, struct unwind_object *out);
/* The same for an object of this process, by the program headers that its loader knows, which may be anywhere in it. */
bool cpi_unwind_object_init_loaded(uint64_t lo, uint64_t hi, uint64_t hdr, const void *phdr, uint32_t n_phdrs,
				   struct unwind_object *out);

/* Does a call end at this address, in the code of the object? */
bool cpi_unwind_is_called_sig(const struct unwind_object *obj, uint64_t ra);

/* The start of a function and its FDE in .eh_frame, relative to unwind_object.hdr. */
struct unwind_function {
	int32_t start, fde;
};

/*
 * List the functions of .eh_frame, of an object that has eh, eh_lo, eh_hi and frame. Entries that cannot be read, or are
 * too far from hdr, are left out, and so is the end of a file that takes too many steps. Not for signal handlers.
 *
 * out      [max] in the order of .eh_frame
 * Returns  their number
 */
uint32_t cpi_unwind_list(const struct unwind_object *obj, struct unwind_function *out, uint32_t max);

/*
 * Use a table of functions at hdr, which must be inside [eh_lo, eh_hi).
 *
 * n        number of struct unwind_function there, sorted by start
 */
void cpi_unwind_set_table(struct unwind_object *obj, uint32_t n);

/*
 * An unwind_find_fn for this process: _dl_find_object with glibc 2.35 and later, else the published snapshot. arg:
 * the struct unwind_cache of the thread, which then caches objects, or NULL. A cached object may no longer be mapped.
 */
const struct unwind_object *cpi_unwind_find_sig(void *arg, uint64_t pc, struct unwind_object *room)
	__attribute__((hot));

/* Objects in order of address. They do not overlap. */
struct unwind_table {
	uint32_t n;
	const struct unwind_object *object;
};

/* An unwind_find_fn for a table. arg: a struct unwind_table. */
const struct unwind_object *cpi_unwind_table_find_sig(void *arg, uint64_t pc, struct unwind_object *room);

/*
 * Bind _dl_find_object. Call it once, before a handler runs. Returns false if snapshots are needed.
 *
 * is_mapped  can an address be read? dlclose of glibc unmaps an object before _dl_find_object forgets it, and words of old frames
 *            still look like return addresses into it
 */
bool cpi_unwind_init(bool (*is_mapped)(uint64_t addr));

/* If use is false, use the snapshot even if _dl_find_object exists. For tests. */
void cpi_unwind_use_dl_find_object(bool use);

/*
 * List the loaded objects in order of address. Not for handlers: takes the loader's lock.
 *
 * object  [max] out
 * Returns the number of loaded objects; if it is more than max, call again with more room
 */
uint32_t cpi_unwind_snapshot(struct unwind_object *object, uint32_t max);

/*
 * Pass all loaded objects. Handlers use these descriptions where _dl_find_object does not find enough of an object: its
 * program headers are not in its first page (llvm-bolt), or the range of one segment is found, since there are gaps
 * between them (Node). Call it after each dlopen and dlclose; not for handlers, and for one thread at a time.
 *
 * object  [n]
 */
void cpi_unwind_set_loaded(const struct unwind_object *object, uint32_t n);

/*
 * Let handlers use this table from now on. Returns the previous table, or NULL. Handlers that are running may still
 * read it, so the caller must wait for them before it frees the table.
 */
const struct unwind_table *cpi_unwind_publish(const struct unwind_table *table);

#endif
