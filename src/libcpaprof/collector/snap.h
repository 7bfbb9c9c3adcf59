/*
 * snap.h - a snapshot of one profile of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All kinds of profiles have this form. Two snaps can be subtracted, and all writers (profile.proto, text) read it.
 * Frames are locations of the stack table of the process, which only grows. So snaps of one process can be compared by
 * location, and are valid until the process is released.
 */
#ifndef LIBCPAPROF_COLLECTOR_SNAP_H
#define LIBCPAPROF_COLLECTOR_SNAP_H

#include "libcpaprof/collector/collect.h"
#include "libcpaprof/collector/read/busy.h"
#include "libcpaprof/collector/read/memory.h"
#include "libcpaprof/collector/read/task.h"

#include "libcpaprof/target/segment.h"

enum { SNAP_VALUES = 4, SNAP_NAME_MAX = 64 };

enum snap_kind {
	SNAP_CPU,
	SNAP_HEAP,
	SNAP_ALLOCS, /* like SNAP_HEAP, but the default sample type is alloc_space */
	SNAP_THREADS,
	SNAP_BLOCK,
	SNAP_MUTEX,
	SNAP_CREATE,
	SNAP_CUSTOM,
	SNAP_EXTERNAL, /* a process that is sampled from outside; see external.h */
	N_SNAP_KINDS
};

/* A sample type. NULL as type: the name of the profile. */
struct snap_value_type {
	const char *type, *unit;
};

/* The sample types of a kind of profile. */
struct snap_types {
	struct snap_value_type value[SNAP_VALUES], period;
	const char *default_type;
	const char *drop_frames; /* drop_frames: readers remove matching functions and their callees */
};

/* A row of a profile: one stack, label set and size class. */
struct snap_row {
	uint32_t at, n;             /* locations: frames [at, at + n) of the stack table, leaf first */
	uint32_t label;             /* id of the label set; 0: none */
	uint32_t thread;            /* thread profiles: index + 1 in snap.thread; else 0 */
	uint64_t extra;             /* extra of its stack (libcpaprof/target/stacks.h); heap: size class */
	uint64_t size;              /* heap: mean size of the objects, for the label "bytes"; else 0 */
	int64_t value[SNAP_VALUES]; /* a value per sample type */
	int64_t raw
		[SNAP_VALUES]; /* heap, as sampled, not scaled: in-use objects and bytes, allocated objects and bytes */
};

/* Counters of a CPU profile. */
struct snap_cpu {
	uint64_t n_samples, weight, lost, adopted, unsampled_ns, nested, blocked, kernel, bad, orphans;
	uint64_t cut[N_CUTS]; /* number of stacks per enum unwind_end */
	uint64_t guessed;     /* number of these that have a frame found without call frame information */
};

/* Details of a thread in a dump. */
struct snap_thread {
	uint32_t tid;
	char name[THREAD_NAME_MAX];
	char wait[32];                  /* wait reason, a word: "futex", "running", "sleep", ... */
	uint32_t holder;                /* tid of the holder of the mutex it waits for; 0: none, or not known */
	uint64_t cpu_ns;                /* CPU time that the thread has used */
	uint64_t age_ns, wait_ns;       /* time since its start; time it has waited, 0: not known */
	uint32_t creator_at, creator_n; /* the stack that created it, like at and n of a row; 0: not known */
};

/* CPU time of other processes that took no sample, by program. */
struct snap_unsampled {
	const char *program; /* its path or name; borrowed */
	uint64_t ns;
};

struct snap {
	enum snap_kind kind;
	char name[SNAP_NAME_MAX]; /* name of a custom profile, else the name in the URL: "heap", "threads" */
	struct process *p;
	struct vec row;                        /* struct snap_row, sorted by frames, label, extra, thread; distinct */
	struct vec thread;                     /* struct snap_thread */
	uint64_t start_ns, end_ns;             /* wall clock: start and end of the covered time; equal for a snapshot */
	struct busy_time busy_start, busy_end; /* of the machine; only SNAP_CPU and SNAP_EXTERNAL */
	uint64_t period;                       /* sampling period: ns of CPU time, bytes of heap; else 1 */
	bool delta;
	bool gperf; /* write text for clients of gperftools: heap_v2 */
	struct snap_cpu cpu;
	const struct snap_unsampled *unsampled; /* [n_unsampled] borrowed; written as further rows */
	size_t n_unsampled;
	int64_t sum[SNAP_VALUES]; /* sum over all rows that were added, at most INT64_MAX */
};

/*
 * Take a snapshot of a profile of a process.
 *
 * custom  SNAP_CUSTOM: number of the custom profile
 * Returns 0 or -errno: -ENOMEM; -ENOENT if the process has no such profile; -ESRCH if the process has ended and the
 *         profile needs it
 */
int snap_take(struct process *p, enum snap_kind kind, uint64_t custom, struct snap **out);

/* Sort the rows of a new snap, and merge equal rows. Returns 0 or -ENOMEM. */
int snap_sort(struct snap *s);

struct snap_frame {
	const char *pseudo;    /* name if it is a pseudo frame, else NULL */
	uint64_t addr, offset; /* offset in the file */
	uint32_t map;          /* index + 1 of the mapping; 0: not known */
	const char *path;      /* [n_path] path of the file; valid until mappings are added */
	uint32_t n_path;
};

/* Frame k of a row, k < row->n, leaf first. */
void snap_frame(const struct snap *s, const struct snap_row *row, uint32_t k, struct snap_frame *out);

/* The path of mapping i, [*n] bytes; NULL if there are no more mappings. Valid until mappings are added. */
const char *snap_mapping(const struct snap *s, uint32_t i, uint32_t *n);

/*
 * Get the next row, with all threads of the same stack and labels merged.
 *
 * i       in/out: index of the next row to read
 * Returns false at the end
 */
bool snap_next_stack(const struct snap *s, size_t *i, struct snap_row *out);

/*
 * Make a snap with the rows of equal stacks merged over all threads. Its rows are released by the caller, the rest is
 * that of s. Returns 0 or -ENOMEM.
 */
int snap_merge_threads(const struct snap *s, struct snap *out);

/*
 * Subtract an earlier snap of the same process. Rows whose values are all 0 are removed.
 *
 * alloc_only   do not subtract values that describe a moment (memory in use)
 */
int snap_subtract(struct snap *later, const struct snap *earlier, bool alloc_only);

/* Make a snap the difference since the start of its process, when all values were 0. */
void snap_make_since_start(struct snap *s);

/* Copy a snap with its rows and threads. Returns 0 or -ENOMEM. */
int snap_copy(const struct snap *s, struct snap **out);

void snap_free(struct snap *s);

/* Called with the written data. Returns 0 to continue, or -errno. */
typedef int snap_sink_fn(void *arg, const void *data, size_t n);

/* A function at an address. Texts are valid until the next call. */
struct snap_name {
	const char *function, *file; /* NULL: not known */
	uint64_t line, offset;       /* offset into the function */
	bool is_verbatim;            /* readers must not demangle the name, because it is not a symbol */
};

/*
 * Look up the functions at an address. cpa looks them up in files, a program that serves itself in its symbol tables.
 * Inlined functions come first.
 *
 * map     index + 1 of the mapping that contains addr; 0: not known
 * i       0 for the innermost function, then its callers at the same address
 * Returns false if there is no function i
 */
typedef bool snap_names_fn(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i,
			   struct snap_name *out);

#endif
