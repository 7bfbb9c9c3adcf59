/*
 * snap.h - one profile of a process at one moment, as data
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All kinds of profiles become this; the differences between two moments are taken here, and
 * everything that writes (profile.proto, texts) reads this. Frames are locations of the table of the
 * process, which only grows, so snaps of one process can be compared by them, and are good as long as it.
 */
#ifndef LIBCPAPROF_COLLECTOR_SNAP_H
#define LIBCPAPROF_COLLECTOR_SNAP_H

#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/memory.h"

#include "libcpaprof/target/segment.h"

enum { SNAP_VALUES = 4, SNAP_NAME_MAX = 64, THREAD_NAME_MAX = 16 };

enum snap_kind {
	SNAP_CPU,
	SNAP_HEAP,
	SNAP_ALLOCS, /* as heap, but alloc_space comes first to mind */
	SNAP_THREADS,
	SNAP_BLOCK,
	SNAP_MUTEX,
	SNAP_CREATE,
	SNAP_CUSTOM,
	N_SNAP_KINDS
};

/* A row of a profile: a stack, with the same labels and class of sizes. */
struct snap_row {
	uint32_t at, n;             /* its locations: frames [at, at + n) of the table, leaf first */
	uint32_t label;             /* set of labels; 0: none */
	uint32_t thread;            /* threads: index + 1 in snap.thread; 0: none */
	uint64_t extra;             /* as of its stack (libcpaprof/target/stacks.h); heap: class of sizes */
	uint64_t size;              /* heap: mean bytes of its objects, for the label bytes; else 0 */
	int64_t value[SNAP_VALUES]; /* in the order of the sample types */
	int64_t raw
		[SNAP_VALUES]; /* heap, as sampled, without weights: in-use objects, bytes, allocated objects, bytes */
};

/* How CPU time was sampled. */
struct snap_cpu {
	uint64_t n_samples, weight, lost, adopted, unsampled, nested, blocked, bad, orphans, cut[N_CUTS];
};

/* What else is known of a thread of a dump. */
struct snap_thread {
	uint32_t tid;
	char name[THREAD_NAME_MAX];
	char wait[32];                  /* in words: "futex", "running", "sleep", ... */
	uint32_t holder;                /* the thread that holds the mutex it waits for; 0: none, or not known */
	uint64_t cpu_ns;                /* that it used */
	uint64_t age_ns, wait_ns;       /* since it began; since it waits, 0: not known */
	uint32_t creator_at, creator_n; /* the stack that created it, as of rows; 0 frames: not known */
};

struct snap {
	enum snap_kind kind;
	char name[SNAP_NAME_MAX]; /* of a custom profile; else what it is served as: "heap", "threads" */
	struct process *p;
	struct vec row;            /* struct snap_row, in order of frames, labels, extra, thread; distinct */
	struct vec thread;         /* struct snap_thread */
	uint64_t start_ns, end_ns; /* wall clock: of what is counted. One moment: the same */
	uint64_t period;           /* ns of CPU time, bytes of heap; else 1 */
	bool delta;
	bool gperf; /* its text is for clients of gperftools: heap_v2 */
	struct snap_cpu cpu;
	int64_t sum[SNAP_VALUES]; /* of what rows were made of: no more than fits */
};

/*
 * Take a profile of a process now.
 *
 * custom  SNAP_CUSTOM: its number
 * Gives   0, or -errno: -ENOMEM; -ENOENT when the process has none such; -ESRCH when it is gone and
 *         has to be there
 */
int snap_take(struct process *p, enum snap_kind kind, uint64_t custom, struct snap **out);

/* Put the rows of a snap that is being made in order, and add up those that are the same. Gives 0 or -ENOMEM. */
int snap_sort(struct snap *s);

struct snap_frame {
	const char *place;     /* its name when it is no code, else NULL */
	uint64_t addr, offset; /* offset: in the file */
	uint32_t map;          /* index + 1 of the mapping that holds it; 0: not known */
	const char *path;      /* [n_path] of the file; good until the process is looked at again */
	uint32_t n_path;
};

/* Frame k of a row, k < row->n, leaf first. */
void snap_frame(const struct snap *s, const struct snap_row *row, uint32_t k, struct snap_frame *out);

/*
 * The next of the rows, all threads with the same stack and labels as one.
 *
 * i       where it begins; out: behind it
 * Gives   false behind the last one
 */
bool snap_next_stack(const struct snap *s, size_t *i, struct snap_row *out);

/*
 * Subtract what an earlier snap of the same process has. Rows without any value go.
 *
 * alloc_only   leave values that are of a moment (in use) as they are at the end
 */
int snap_minus(struct snap *later, const struct snap *earlier, bool alloc_only);

/* The same rows and threads once more. Gives 0 or -ENOMEM. */
int snap_copy(const struct snap *s, struct snap **out);

void snap_free(struct snap *s);

/* Takes what is written. Gives 0 to go on, else -errno. */
typedef int snap_sink_fn(void *arg, const void *data, size_t n);

/* A function that stands for an address. Texts are good until the next call. */
struct snap_name {
	const char *function, *file; /* NULL: not known */
	uint64_t line, offset;       /* into the function */
};

/*
 * Who knows names: the program that collects, from files; a program of itself, from its own tables.
 * Inlined functions come first.
 *
 * map     index + 1 of the mapping that holds it; 0: not known
 * i       0 for the innermost function, then its callers at the same address
 * Gives   false when there is none such
 */
typedef bool snap_names_fn(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i,
			   struct snap_name *out);

/*
 * Write a snap.
 *
 * debug   0: profile.proto, packed with gzip; 1, 2: the texts of Go's runtime/pprof (2: threads one by one)
 * names   NULL: addresses only (texts then have addresses and mappings). In profile.proto they are hints: it does not say
 *         that mappings have functions, so readers that have the files look there, and others keep what they got
 * Gives   0, -errno, or what the sink gave; -EINVAL for the text of a CPU profile, which there is none of
 */
int snap_write(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg);

#endif
