/*
 * segment.h - the memory that a profiled process and its collector share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector creates the segment, lays it out (segment_lay_out) and keeps its own copy of the layout. The target
 * maps the segment, claims the parts it needs and writes to them. The collector treats all contents as hostile: indices
 * are masked or checked, nothing is a pointer, nothing is read twice. Offsets count from the start.
 *
 * Each process has one slot in procs, and each sampled thread has one ring. Each ring has one producer (the signal
 * handler of the thread that owns it) and one consumer (the collector):
 *
 *	RING_FREE -> RING_OWNED   by the thread, at its first sample
 *	          -> RING_RETIRED by the thread when it ends, or by the collector when its process has ended
 *	          -> RING_FREE    by the collector, when it has read all
 *
 * Counts per stack and live objects are in the tables of the process (libcpaprof/target/stacks.h). A process claims
 * one set of tables when it first needs them. Sets of labels are shared by all processes
 * (libcpaprof/target/labels.h).
 *
 * A record of a ring consists of 64-bit words and is never split at the end of the ring:
 *
 *	[type:4 flags:12 frames:16 weight:32] [label:32 tid:32] address of each frame, leaf first [time]
 *
 * Addresses are those of instructions that ran or made a call: return addresses have already been decreased by one. The
 * time, in ns of CLOCK_MONOTONIC, is present when the type includes RECORD_TIMED.
 */
#ifndef LIBCPAPROF_TARGET_SEGMENT_H
#define LIBCPAPROF_TARGET_SEGMENT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENT_MAGIC 0x31676573617063ULL /* "cpaseg1" */

enum {
	SEGMENT_VERSION = 6,
	SEGMENT_RINGS_SIZE = 64 << 20, /* end of the rings; memory is allocated when it is touched */
	LABELS_SIZE = 16 << 20,
	TABLES_SIZE = 64 << 20, /* bytes per process */
	TABLES_MAX = 64,
	SEGMENT_PAGE = 4096,
	N_PROCS = 256,
	N_PROCS_RESERVED = 64, /* slots that children of fork can claim only when they take a sample */
	RING_WORDS = 8192,     /* 64 KiB; a power of two */
	RECORD_HEAD = 2,       /* words before the frames */
	RECORD_TAIL = 1,       /* words after the frames, at most */
	FRAMES_MAX = 254,
	MODULES_MAX = 32 << 10, /* bytes of modules per process; a power of two */
	MODULE_PATH_MAX = 1024,
	MODULE_ID_MAX = 64,
	N_CUTS = 8, /* reasons for a truncated stack: enum unwind_end */
	N_REQUESTS = 32,
};

/*
 * The first number of a descriptor of the segment that programs inherit, see libcpaprof/target/handover.h. It depends
 * on the limit of open files; select() supports no larger numbers.
 */
enum { SEGMENT_FDS = 8, SEGMENT_FDS_END = 1024 };
static inline int segment_first_fd(uint64_t limit)
{
	limit = limit < SEGMENT_FDS_END ? limit : SEGMENT_FDS_END;
	return limit > SEGMENT_FDS ? (int)limit - SEGMENT_FDS : 0;
}

enum segment_section {
	SECTION_PROCS,   /* struct segment_proc [N_PROCS] */
	SECTION_RINGS,   /* struct segment_ring [n_rings] */
	SECTION_MODULES, /* [N_PROCS] of MODULES_MAX bytes: struct segment_module, a ring */
	SECTION_WORDS,   /* [n_rings] of RING_WORDS words */
	SECTION_LABELS,  /* LABELS_SIZE bytes: libcpaprof/target/labels.h */
	SECTION_TABLES,  /* [n_tables] of TABLES_SIZE bytes: libcpaprof/target/stacks.h */
	N_SECTIONS = 16, /* all others are reserved, and 0 */
};

enum { ACTIVE_MASK = 0x3fffffff }; /* FUTEX_TID_MASK of linux/futex.h. 0: handlers delete their timers */
enum segment_follow { FOLLOW_MAIN, FOLLOW_ALL };
/* Reasons why a program that should be profiled is executed without our library. */
enum segment_unprofiled {
	UNPROFILED_UNREADABLE,  /* it could not read the file of our library */
	UNPROFILED_UNREACHABLE, /* it could not map the segment */
	UNPROFILED_UNLOADABLE,  /* it cannot load libraries of ours: it is static, or has its own privileges */
	UNPROFILED_LIMIT,       /* its limit of memory leaves no room for the segment */
	UNPROFILED_CLEARED,     /* it gets an environment without our variables */
	N_UNPROFILED
};
enum segment_flag {
	FLAG_HEAP_LABELS = 1,
	FLAG_LABELS_NOT_INHERITED = 2, /* new threads start without labels */
	FLAG_SERVED = 4,               /* clients may request any process: children of fork claim a slot immediately */
};

/*
 * State of a slot, ring or set of tables that a process has claimed and not initialised yet. It contains the pid,
 * because the process may end at this point; the collector then frees it.
 */
enum { CLAIM_SETUP = 1, CLAIM_BITS = 2 };

static inline uint32_t segment_claim(uint32_t pid)
{
	return pid << CLAIM_BITS | CLAIM_SETUP;
}

/* Add n to a counter, up to max. Returns the value before; max if n does not fit. */
static inline uint32_t segment_count_up_sig(_Atomic uint32_t *count, uint32_t n, uint32_t max)
{
	uint32_t before = atomic_load_explicit(count, memory_order_relaxed);

	do {
		if (n > max || before > max - n)
			return max;
	} while (!atomic_compare_exchange_weak(count, &before, before + n));
	return before;
}

/*
 * A request to sample a process without our library. The collector frees a REQUEST_SPAWNED. It sets a REQUEST_EXEC to
 * REQUEST_DONE; then the process frees it, or the collector does if the process has ended.
 */
enum request_state { REQUEST_EXEC = 1, REQUEST_DONE, REQUEST_SPAWNED };
enum { REQUEST_BITS = 2 };

static inline uint32_t segment_request(uint32_t pid, enum request_state state)
{
	return pid << REQUEST_BITS | (uint32_t)state;
}

struct segment_head {
	uint64_t magic;
	uint32_t version;
	_Atomic uint32_t hz; /* samples per second of CPU time; changes between recordings */
	uint32_t max_depth, follow;
	uint64_t size, nonce[2];
	uint32_t n_rings, n_tables;
	uint64_t section[N_SECTIONS]; /* offset of each section */
	_Atomic uint32_t main_pid;    /* pid of the program that was started; the same after exec */
	_Atomic uint32_t active; /* tid of the collector, in ACTIVE_MASK; cleared by the kernel when that thread ends */
	_Atomic uint32_t n_refused;                  /* processes that found no free slot */
	_Atomic uint32_t n_rings_used;               /* rings from this index on have never been claimed */
	_Atomic uint32_t n_unprofiled[N_UNPROFILED]; /* programs executed without our library, by reason */
	/* requests of the collector; may change at any time */
	_Atomic uint32_t cpu;            /* CPU time is sampled if not 0 */
	_Atomic uint32_t flags;          /* bits of enum segment_flag */
	_Atomic uint64_t heap_rate;      /* mean bytes between samples; 1: all, 0: none */
	_Atomic uint64_t block_rate;     /* ns; all waits of this length or more are recorded; 1: all waits, 0: none */
	_Atomic uint64_t mutex_fraction; /* one in this many contended unlocks is recorded; 0: none */
	_Atomic uint32_t engine;         /* enum engine_request */
	_Atomic uint32_t signal;         /* signal of the timers; 0: the default */
	_Atomic uint32_t times;          /* samples have times if not 0 */
	_Atomic uint32_t recording;      /* number of the last CPU recording; set before cpu; 0: there was none */
	/* written by the programs */
	_Atomic uint32_t has_unfollowed; /* has a child executed a program that only FOLLOW_ALL would profile? */
	_Atomic uint32_t n_forked;       /* children of fork that have not executed such a program */
	/* programs that cannot load our library; see libcpaprof/target/request.h */
	_Atomic uint32_t answers;             /* set by the collector if it answers requests */
	_Atomic uint32_t n_requests;          /* number of requests so far, a futex */
	_Atomic uint32_t request[N_REQUESTS]; /* values of segment_request, futexes; 0: free */
	/* children of fork that ended without a slot, and whose parent had ended: their CPU time and number */
	_Atomic uint64_t slotless_ns;
	_Atomic uint32_t n_slotless;
};

enum proc_state { PROC_FREE, PROC_LIVE = 2 }; /* or a value of segment_claim */
enum engine_request { REQUEST_TIMER, REQUEST_PERF, REQUEST_ITIMER };
enum proc_engine { ENGINE_THREADS = 1, ENGINE_PROCESS = 2, ENGINE_NONE = 4, ENGINE_PERF = 8 }; /* bits: in use */

/* Bits: reasons why heap profiling stopped or is impossible. */
enum proc_heap {
	HEAP_UNKNOWN = 1,   /* not checked yet; never reported */
	HEAP_FOREIGN = 2,   /* malloc is the program's own, or that of a library before ours */
	HEAP_SANITIZER = 4, /* malloc is a sanitizer's */
	HEAP_DEEPBIND = 8,  /* an object loaded with RTLD_DEEPBIND bypasses our malloc */
	HEAP_NO_TABLES = 16 /* no free tables were left for this process */
};

struct segment_proc {
	_Alignas(64) _Atomic uint32_t state;
	_Atomic uint32_t serial; /* incremented for each process that takes the slot */
	uint32_t pid;
	uint32_t parent, parent_serial; /* slot + 1 of the process it was forked from; 0: it was executed */
	uint32_t signal;
	uint64_t start_ns;              /* wall clock */
	uint64_t pid_namespace;         /* inode of the pid namespace, to which pid belongs; 0: not known */
	_Atomic uint32_t engine, error; /* bits of proc_engine; errno of the last timer that failed */
	_Atomic uint32_t modules;       /* bytes of modules written in total */
	_Atomic uint32_t modules_read;  /* bytes of modules read in total */
	_Atomic uint32_t generation;    /* number of times that code was unloaded */
	_Atomic uint32_t n_orphans;     /* signals received by threads that are not in the table */
	_Atomic uint64_t lost;          /* weight of samples without a ring */
	_Atomic uint64_t adopted;       /* periods that threads used before they had a timer */
	_Atomic uint32_t heap;          /* bits of proc_heap */
	uint64_t locals; /* address of its table of locals: struct local_at [N_LOCALS] of libcpaprof/target/locals.h */
	_Atomic uint32_t n_signal_changes; /* number of times the program replaced our handler */
	_Atomic uint32_t perf_error;       /* errno of the last perf event that failed to open or was closed */
	_Atomic uint32_t armed;            /* number of the recording for which all its threads have timers; 0: none */
	/*
	 * Number of its threads that call exec, and PROC_SENDING while the collector sends it a signal. A signal that
	 * arrives within exec would reach the next program, which has no handler for it and would end. So the collector
	 * only sends when this is 0, and exec waits until it has sent.
	 */
	_Atomic uint32_t execs;
	_Atomic uint64_t cpu_ns;      /* CPU time of the process when it last called exit or exec; 0: never */
	_Atomic uint64_t slotless_ns; /* CPU time of its children of fork that ended without a slot */
	_Atomic uint32_t n_slotless;  /* number of these children */
};

#define PROC_SENDING (1U << 31)

enum ring_state { RING_FREE, RING_OWNED = 2, RING_RETIRED }; /* or a value of segment_claim */

struct segment_ring {
	_Atomic uint32_t state;
	uint32_t proc, serial; /* slot and serial of the owner; set before RING_OWNED */
	_Atomic uint32_t tid;
	_Atomic uint64_t head; /* words written in total */
	/* totals over all owners */
	_Atomic uint64_t lost;   /* weight of samples while the ring was full */
	_Atomic uint64_t nested; /* weight of samples during another sample */
	_Atomic uint64_t cut[N_CUTS];
	_Atomic uint64_t guessed;           /* stacks with a frame found without CFI */
	_Alignas(64) _Atomic uint64_t tail; /* words read in total */
};

enum record_type {
	RECORD_PAD,
	RECORD_CPU,
	RECORD_REPEAT,   /* adds weight to the stack of the previous record; no frames */
	RECORD_THREAD,   /* current stack of a thread, on request; no weight */
	RECORD_KERNEL,   /* weight in the kernel, which perf events may not count; no frames */
	RECORD_TIMED = 8 /* flag of a type: the time follows the frames */
};
/*
 * Signals of the collector carry its cookie. A request for the current stack of a thread has these bits of it
 * inverted.
 */
#define COOKIE_STACK 0x5a5a5a5a5a5a5a5aULL

enum record_flag { RECORD_BLOCKED = 1 }; /* the signal had been blocked; the record has no frames */
/* The other flags are the low bits of the generation. */
enum { RECORD_GENERATION_SHIFT = 1, RECORD_GENERATIONS = 1 << 11 };

/* The first word of a record. A pad (RECORD_PAD) has no second word and extends to the end of the ring. */
static inline uint64_t record_word(enum record_type type, unsigned flags, unsigned n_frames, uint32_t weight)
{
	return (uint64_t)type << 60 | (uint64_t)(flags & 0xfff) << 48 | (uint64_t)(n_frames & 0xffff) << 32 | weight;
}

/*
 * A piece of mapped code. Its build id and its path follow, then zeros up to a multiple of 8. The program comes first.
 * A record that would be split at the end of the ring is preceded by a pad, which has only a size, and MODULE_PAD as
 * n_id. Start and limit 0 mean that the object with this number is mapped again.
 */
struct segment_module {
	uint32_t size; /* size of the whole record in bytes */
	uint16_t n_id, n_path;
	uint64_t start, limit, offset;
	uint32_t since;  /* generation in which it was mapped */
	uint32_t number; /* 1 to MODULES_NUMBERED; 0: none */
};
enum { MODULE_PAD = 0xffff, MODULES_NUMBERED = 1024 };

/* The offsets of all sections. They depend only on the size of the segment. */
struct segment_layout {
	uint64_t section[N_SECTIONS];
	uint32_t n_rings, n_tables;
};

static inline uint64_t segment_size(uint32_t n_tables)
{
	return SEGMENT_RINGS_SIZE + LABELS_SIZE + (uint64_t)n_tables * TABLES_SIZE;
}

static inline struct segment_layout segment_lay_out(uint64_t segment)
{
	struct segment_layout l = { 0 };
	uint64_t at = SEGMENT_PAGE, size = SEGMENT_RINGS_SIZE,
		 per_ring = sizeof(struct segment_ring) + RING_WORDS * sizeof(uint64_t);

	l.section[SECTION_PROCS] = at;
	at += N_PROCS * sizeof(struct segment_proc);
	l.section[SECTION_MODULES] = at;
	at += (uint64_t)N_PROCS * MODULES_MAX;
	l.section[SECTION_RINGS] = at;
	l.n_rings = size > at + SEGMENT_PAGE ? (uint32_t)((size - at - SEGMENT_PAGE) / per_ring) : 0;
	at += l.n_rings * sizeof(struct segment_ring);
	l.section[SECTION_WORDS] = (at + SEGMENT_PAGE - 1) / SEGMENT_PAGE * SEGMENT_PAGE;
	l.section[SECTION_LABELS] = SEGMENT_RINGS_SIZE;
	l.section[SECTION_TABLES] = SEGMENT_RINGS_SIZE + LABELS_SIZE;
	l.n_tables = segment > segment_size(0) ? (uint32_t)((segment - segment_size(0)) / TABLES_SIZE) : 0;
	return l;
}

_Static_assert(sizeof(struct segment_head) <= SEGMENT_PAGE, "the head fits into a page");
_Static_assert(sizeof(struct segment_ring) % 64 == 0, "rings do not share a cache line");

#endif
