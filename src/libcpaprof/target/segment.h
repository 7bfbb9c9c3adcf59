/*
 * segment.h - the memory that a profiled process and its collector share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector makes it, lays it out (segment_lay_out) and keeps that layout for itself; the target
 * maps it, claims what it needs and writes. The collector takes everything in it for hostile: indices
 * are masked or checked, nothing is a pointer, nothing is read twice. Offsets count from the start.
 *
 * A process has one slot of procs, a sampled thread one ring. Each ring has one producer (the signal
 * handler of the thread that owns it) and one consumer (the collector):
 *
 *	RING_FREE -> RING_OWNED   by the thread, at its first sample
 *	          -> RING_RETIRED by the thread when it ends; the collector when its process has ended
 *	          -> RING_FREE    by the collector, when it has read all
 *
 * What is counted per stack, and which objects live, is in the tables of the process (libcpaprof/target/stacks.h), of
 * which it claims one set when it first needs them. Sets of labels are of all processes (libcpaprof/target/labels.h).
 *
 * A record of a ring is words of 64 bits, never broken at the end of the ring:
 *
 *	[type:4 flags:12 frames:16 weight:32] [label:32 tid:32] address of each frame, leaf first [time]
 *
 * where addresses are of instructions that ran or called: a return address is already one less. The time,
 * ns of CLOCK_MONOTONIC, is there when the type has RECORD_TIMED.
 */
#ifndef LIBCPAPROF_TARGET_SEGMENT_H
#define LIBCPAPROF_TARGET_SEGMENT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENT_MAGIC 0x31676573617063ULL /* "cpaseg1" */

enum {
	SEGMENT_VERSION = 3,
	SEGMENT_RINGS_SIZE = 64 << 20, /* of addresses, up to the end of the rings; memory is taken as it is touched */
	LABELS_SIZE = 16 << 20,
	TABLES_SIZE = 64 << 20, /* of one process */
	TABLES_MOST = 64,
	SEGMENT_PAGE = 4096,
	N_PROCS = 256,
	N_PROCS_KEPT = 64, /* of them: not for children of fork that have nothing to tell yet */
	RING_WORDS = 8192, /* 64 KiB; a power of two */
	RECORD_HEAD = 2,   /* words in front of the frames */
	RECORD_TAIL = 1,   /* and behind them, at most */
	FRAMES_MAX = 254,
	MODULES_MAX = 32 << 10, /* bytes of modules per process; a power of two */
	MODULE_PATH_MAX = 1024,
	MODULE_ID_MAX = 64,
	N_CUTS = 8, /* reasons why a stack is not whole: enum unwind_end */
};

enum segment_section {
	SECTION_PROCS,   /* struct segment_proc [N_PROCS] */
	SECTION_RINGS,   /* struct segment_ring [n_rings] */
	SECTION_MODULES, /* [N_PROCS] of MODULES_MAX bytes: struct segment_module, a ring */
	SECTION_WORDS,   /* [n_rings] of RING_WORDS words */
	SECTION_LABELS,  /* LABELS_SIZE bytes: libcpaprof/target/labels.h */
	SECTION_TABLES,  /* [n_tables] of TABLES_SIZE bytes: libcpaprof/target/stacks.h */
	N_SECTIONS = 16, /* the rest is for tables to come, and 0 */
};

enum { ACTIVE_MASK = 0x3fffffff }; /* linux/futex.h: FUTEX_TID_MASK. 0: handlers take their timers down */
enum segment_follow { FOLLOW_MAIN, FOLLOW_ALL };
enum segment_flag {
	FLAG_HEAP_LABELS = 1,
	FLAG_LABELS_STAY = 2, /* new threads begin without labels */
	FLAG_SERVED = 4,      /* somebody may ask for any process: children of fork take their slots at once */
};

/*
 * The state of what a process takes and has not filled yet: a slot, a ring, tables. It says who, for that
 * process may end there and then; the collector gives it back then.
 */
enum { CLAIM_SETUP = 1, CLAIM_BITS = 2 };

static inline uint32_t segment_claim(uint32_t pid)
{
	return pid << CLAIM_BITS | CLAIM_SETUP;
}

struct segment_head {
	uint64_t magic;
	uint32_t version;
	_Atomic uint32_t hz; /* of CPU time; changes between recordings */
	uint32_t max_depth, follow;
	uint64_t size, nonce[2];
	uint32_t n_rings, n_tables;
	uint64_t section[N_SECTIONS]; /* where each begins */
	_Atomic uint32_t main_pid;    /* the program that was started, through all it executes */
	_Atomic uint32_t active;  /* the thread that collects, in ACTIVE_MASK; the kernel takes it out when that ends */
	_Atomic uint32_t refused; /* processes that found no slot */
	/* what is asked for; may change at any time */
	_Atomic uint32_t cpu;            /* timers are to run */
	_Atomic uint32_t flags;          /* of enum segment_flag */
	_Atomic uint64_t heap_rate;      /* mean bytes between samples; 1: all, 0: none */
	_Atomic uint64_t block_rate;     /* ns; waits as long are all kept; 1: all, 0: none */
	_Atomic uint64_t mutex_fraction; /* one of so many contended unlocks; 0: none */
	_Atomic uint32_t engine;         /* enum engine_asked */
	_Atomic uint32_t signal;         /* of the timers; 0: the usual */
	_Atomic uint32_t times;          /* not 0: samples have times */
	_Atomic uint32_t recording;      /* of CPU time, the last one that began: set before cpu is; never 0 then */
};

enum proc_state { PROC_FREE, PROC_LIVE = 2 }; /* or segment_claim */
enum engine_asked { ASKED_TIMER, ASKED_PERF, ASKED_ITIMER };
enum proc_engine { ENGINE_THREADS = 1, ENGINE_PROCESS = 2, ENGINE_NONE = 4, ENGINE_PERF = 8 }; /* bits: what was used */

/* Bits: why heap profiles end, or cannot be had. */
enum proc_heap {
	HEAP_UNKNOWN = 1,   /* nobody looked: never told */
	HEAP_FOREIGN = 2,   /* the program, or a library in front of ours, has its own malloc */
	HEAP_SANITIZER = 4, /* it is a sanitizer's */
	HEAP_DEEPBIND = 8,  /* an object was loaded with RTLD_DEEPBIND, which calls malloc past us */
	HEAP_NO_TABLES = 16 /* no tables were left for this process */
};

struct segment_proc {
	_Alignas(64) _Atomic uint32_t state;
	_Atomic uint32_t serial; /* one more with each process that takes the slot */
	uint32_t pid;
	uint32_t parent, parent_serial; /* slot + 1 it was forked from; 0: it was executed */
	uint32_t signal;
	uint64_t start_ns;              /* wall clock */
	_Atomic uint32_t engine, error; /* bits of proc_engine; errno of the last timer that failed */
	_Atomic uint32_t modules;       /* bytes of them that were written since ever */
	_Atomic uint32_t modules_read;  /* and read */
	_Atomic uint32_t generation;    /* of what is mapped: how often code went */
	_Atomic uint32_t orphans;       /* signals in threads nobody knew */
	_Atomic uint64_t lost;          /* weight of samples that found no ring */
	_Atomic uint64_t adopted;       /* weight of threads before they got a timer */
	_Atomic uint32_t heap;          /* bits of proc_heap */
	uint64_t locals; /* where its table of locals is: struct local_at [N_LOCALS] of libcpaprof/target/locals.h */
	_Atomic uint32_t moved;      /* times that the program took our signal */
	_Atomic uint32_t perf_error; /* errno of the last event that could not be had, or was taken away */
	_Atomic uint32_t armed;      /* the recording that all its threads have timers for; 0: none has one */
};

enum ring_state { RING_FREE, RING_OWNED = 2, RING_RETIRED }; /* or segment_claim */

struct segment_ring {
	_Atomic uint32_t state;
	uint32_t proc, serial; /* slot of the owner, and its serial; set before RING_OWNED is seen */
	_Atomic uint32_t tid;
	_Atomic uint64_t head; /* words written since ever */
	/* since ever, whoever owned it */
	_Atomic uint64_t lost;   /* weight of samples that found the ring full */
	_Atomic uint64_t nested; /* weight of samples that came while one was taken */
	_Atomic uint64_t cut[N_CUTS];
	_Alignas(64) _Atomic uint64_t tail; /* words read since ever */
};

enum record_type {
	RECORD_PAD,
	RECORD_CPU,
	RECORD_AGAIN,    /* the weight belongs to the stack of the record before it; no frames */
	RECORD_THREAD,   /* where a thread is that was asked; no weight */
	RECORD_TIMED = 8 /* a bit: the time is behind the frames */
};
/* Signals of the collector have its cookie. Those that ask a thread where it is have it with these bits changed. */
#define COOKIE_STACK 0x5a5a5a5a5a5a5a5aULL

enum record_flag { RECORD_BLOCKED = 1 }; /* no frames: the signal had been blocked */
/* The other flags are the low bits of the generation. */
enum { RECORD_GENERATION_SHIFT = 1, RECORD_GENERATIONS = 1 << 11 };

/* The first word of a record. A pad has no second one, and goes on to the end of the ring. */
static inline uint64_t record_word(enum record_type type, unsigned flags, unsigned n_frames, uint32_t weight)
{
	return (uint64_t)type << 60 | (uint64_t)(flags & 0xfff) << 48 | (uint64_t)(n_frames & 0xffff) << 32 | weight;
}

/*
 * A piece of code that is mapped. Behind it come its build id and its path, then zeros up to a multiple of 8.
 * The program comes first. One that ends at the end of the ring is not broken: before it is one of which
 * there is only size, with n_id MODULE_PAD. With start and limit 0, a number says that what had it is back.
 */
struct segment_module {
	uint32_t size; /* of all of it */
	uint16_t n_id, n_path;
	uint64_t start, limit, offset;
	uint32_t since;  /* generation */
	uint32_t number; /* 1 to MODULES_NUMBERED; 0: it has none */
};
enum { MODULE_PAD = 0xffff, MODULES_NUMBERED = 1024 };

/* Where things are. It depends on the size of the segment alone. */
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

_Static_assert(sizeof(struct segment_head) <= SEGMENT_PAGE, "the head has a page");
_Static_assert(sizeof(struct segment_ring) % 64 == 0, "rings share no cache line");

#endif
