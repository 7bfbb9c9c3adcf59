/*
 * perf_int.h - state of the reader of perf.data
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * file.c walks the records of the file, unpack.c those that are compressed. queue.c puts them into the order of time and
 * passes them to record.c, which keeps processes and their mappings (process.c, maps.c), and passes samples to sample.c.
 * frame.c makes locations of addresses.
 */
#ifndef FORMATS_PERF_PERF_INT_H
#define FORMATS_PERF_PERF_INT_H

#include "base/err.h"
#include "base/idtab.h"
#include "formats/common/format.h"
#include "formats/common/merged_rows.h"
#include "formats/common/skipped.h"
#include "profile/builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Types of records: of the kernel, then of perf itself. */
enum {
	PERF_MMAP = 1,
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_EXIT = 4,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_MMAP2 = 10,
	PERF_AUX = 11,
	PERF_LOST_SAMPLES = 13,
	PERF_KSYMBOL = 17,
	PERF_CALLCHAIN_DEFERRED = 22,
	PERF_OF_USER = 64, /* the first type of perf itself */
	PERF_HEADER_ATTR = 64,
	PERF_TRACING_DATA = 66,
	PERF_BUILD_ID = 67,
	PERF_FINISHED_ROUND = 68,
	PERF_AUXTRACE = 71,
	PERF_STAT = 76,
	PERF_EVENT_UPDATE = 78,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83,
	PERF_TYPES_KNOWN = 87,
};

/* Bits of sample_type, in the order of fields in a sample. */
enum {
	PERF_HAS_IP = 1 << 0,
	PERF_HAS_TID = 1 << 1,
	PERF_HAS_TIME = 1 << 2,
	PERF_HAS_ADDR = 1 << 3,
	PERF_HAS_READ = 1 << 4,
	PERF_HAS_CALLCHAIN = 1 << 5,
	PERF_HAS_ID = 1 << 6,
	PERF_HAS_CPU = 1 << 7,
	PERF_HAS_PERIOD = 1 << 8,
	PERF_HAS_STREAM_ID = 1 << 9,
	PERF_HAS_RAW = 1 << 10,
	PERF_HAS_BRANCH_STACK = 1 << 11,
	PERF_HAS_REGS_USER = 1 << 12,
	PERF_HAS_STACK_USER = 1 << 13,
	PERF_HAS_IDENTIFIER = 1 << 16,
};

/* Bits of read_format. */
enum { PERF_READ_ENABLED = 1, PERF_READ_RUNNING = 2, PERF_READ_ID = 4, PERF_READ_GROUP = 8, PERF_READ_LOST = 16 };

/* Bits of the misc field of a record; the same bit means different things in different records. */
enum {
	PERF_MISC_MODE = 7,
	PERF_MISC_EXEC = 1 << 13,      /* COMM: by exec; FORK: made by perf, for a process that existed before */
	PERF_MISC_MMAP_DATA = 1 << 13, /* MMAP: not executable */
	PERF_MISC_BUILD_ID = 1 << 14,  /* MMAP2: has a build id in place of the inode */
	PERF_MISC_ID_SIZE = 1 << 15,   /* BUILD_ID: has the size of the build id */
};

enum perf_mode { PERF_UNKNOWN_MODE, PERF_KERNEL, PERF_USER, PERF_HYPERVISOR, PERF_GUEST_KERNEL, PERF_GUEST_USER };

enum { PERF_HEADER_SIZE = 8, PERF_ALL_PIDS = -1 };
#define PERF_NONE UINT32_MAX

struct perf_record {
	const uint8_t *p; /* with its header */
	uint32_t n;       /* bytes, with the header */
	uint32_t type;
	uint16_t misc;
};

/* An event, from its perf_event_attr. */
struct perf_event {
	uint32_t type, n_attr;
	uint64_t config, period, sample_type, read_format, flags, branch_type, regs_user;
	str_id name, unit;
	uint32_t column, count_column; /* sample types of values, and of the number of samples; PERF_NONE: none */
};

/* An id of an event: the kernel gives one to each event on each CPU. */
struct perf_id {
	uint64_t id;
	uint64_t value; /* of the last READ */
	uint32_t event;
};

/* A file, or other memory, that is mapped. */
struct perf_module {
	str_id file, build_id, kernel_symbol;
	uint64_t start, limit, offset; /* of its first mapping */
	uint32_t owner;                /* pid + 1, of memory that only this process has; 0: a file */
	bool is_kernel;
	uint32_t map;  /* mapping of the profile; PERF_NONE: not needed yet */
	uint32_t func; /* function of all of it (a program of BPF); PERF_NONE: none */
};

struct perf_map {
	uint64_t start, limit;
	uint64_t shift; /* subtracted from addresses to get those of the module */
	uint32_t module;
};

/* Mappings, sorted. A child has those of its parent until one of them changes them. */
struct perf_maps {
	uint32_t n_users;
	uint64_t version;       /* differs for different contents */
	uint64_t files_version; /* the same for mappings of files only */
	size_t n, cap;
	struct perf_map *map;
};

struct perf_process {
	uint32_t pid;
	uint32_t program; /* the module that was mapped first; PERF_NONE: none */
	bool has_ended;
	uint64_t n_samples;
	struct perf_maps *maps; /* NULL: none */
	void *space;            /* for the unwinder; NULL: not made yet */
	uint64_t space_version; /* of the mappings from which it was made */
};

struct perf_thread {
	uint32_t tid, pid;
	str_id comm;       /* 0: not known */
	uint32_t labels;   /* PERF_NONE: not made yet */
	uint32_t label[3]; /* in the set */
	uint32_t waiting;  /* the first sample of it that waits; PERF_NONE: none */
};

/* A sample whose user stack comes later, in a CALLCHAIN_DEFERRED. */
struct perf_waiting {
	uint64_t cookie;
	uint32_t *loc; /* [n] the stack so far; NULL: not used */
	uint32_t n;
	uint32_t labels;
	uint32_t event;
	uint64_t value;
	uint8_t *read; /* [n_read] counts; NULL: none */
	size_t n_read;
	uint32_t next; /* of the same thread, or of the unused ones */
};

struct perf_queued {
	uint64_t time;
	const uint8_t *p;
	uint32_t order; /* in the file */
	uint32_t chunk; /* of unpacked bytes + 1; 0: the file */
};

/* Unpacked bytes. */
struct perf_chunk {
	uint8_t *data;
	size_t n, cap;
	size_t n_queued; /* records in the queue */
};

/* A file of a directory. */
struct perf_part {
	const uint8_t *data;
	size_t n;
};

/* Times of the wall clock and of samples at the same moment. */
struct perf_clock {
	bool is_known;
	uint64_t wall_ns, sample_ns;
};

struct perf_frame_slot {
	uint64_t addr, key;
	uint32_t loc;
};

enum { PERF_FRAME_SLOTS = 1 << 14 };

struct perf_reader {
	const uint8_t *data;
	size_t n;
	const struct format_options *options;
	struct builder *b;
	bool is_swapped; /* the other byte order than this machine's */
	bool is_big, is_pipe;
	bool is_own_machine;    /* recorded on a machine whose registers the unwinder knows */
	size_t first, end;      /* records of the file: data[first..end) */
	struct perf_part *part; /* [n_parts + 1] files of a directory, the first one with tables; NULL: a single file */
	size_t n_parts, cut_part; /* cut_part: the index of the file that was cut */

	struct perf_event *event;
	size_t n_events, cap_events;
	struct perf_id *id;
	size_t n_ids, cap_ids;
	struct idtab id_tab;
	uint32_t last_id;       /* index of the id of the last record */
	unsigned id_at, id_end; /* place of the id in samples, and in other records from their end; 0: none */
	bool has_names;         /* of events, from the file */
	struct perf_clock clock;
	str_id *build_id; /* [n_build_ids] of the file with this name */
	size_t n_build_ids;

	/* records in the order of time */
	struct perf_queued *queue;
	size_t n_queued, cap_queue;
	uint32_t n_records;
	uint64_t time_max, time_flush; /* the largest so far, and at the last mark of a round */
	struct perf_chunk *chunk;
	size_t n_chunks, cap_chunks, n_unpacked, n_packed;
	size_t n_chunk_bytes; /* of all chunks */
	uint32_t current_chunk;
	size_t n_taken; /* bytes of the current chunk whose records were added */
	bool is_unpack_damaged;
	void *zstd; /* ZSTD_DStream; NULL: not needed yet */

	struct perf_module *module;
	size_t n_modules, cap_modules;
	struct idtab module_tab;
	struct perf_process *process;
	size_t n_processes, cap_processes, n_all_maps;
	struct idtab process_tab;
	struct perf_thread *thread;
	size_t n_threads, cap_threads;
	struct idtab thread_tab;
	uint32_t last_thread, last_process;
	uint64_t n_versions;
	struct perf_maps *kernel, *guest;

	/* the model */
	uint64_t n_locs, n_maps, n_funcs; /* ids given */
	struct idtab loc_tab;
	struct merged_rows *rows;
	struct perf_frame_slot *slot; /* [PERF_FRAME_SLOTS] locations that were needed last */
	uint32_t *stack;              /* [cap_stack] of the current sample, leaf first */
	size_t n_stack, cap_stack;
	uint32_t not_unwound; /* location of "[stack not unwound]"; PERF_NONE: not needed yet */
	str_id key_pid, key_tid, key_comm;
	struct perf_waiting *waiting;
	size_t n_waiting, cap_waiting;
	uint32_t unused_waiting;
	uint64_t first_time, last_time;

	/* skipped parts */
	uint64_t n_samples, n_lost_records, n_lost_samples, n_not_unwound;
	struct skipped damaged, unknown_event, branches, aux, zstd_damaged;
	struct skipped type[PERF_TYPES_KNOWN + 1]; /* the last one: all other types */
	bool is_cut;
	size_t cut;            /* where the file, or the last one that was cut, ends too early */
	size_t next_recording; /* where another recording follows; 0: none */
	bool is_simpleperf;    /* its return addresses are reduced already */
	bool has_symbols;      /* simpleperf has recorded symbols */
	bool has_counts;       /* it has counts of perf stat */
	bool has_directory;    /* the file is one of a directory */
	bool is_killed;        /* the recording has no end */
};

static inline uint16_t perfdata_u16(const struct perf_reader *r, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return r->is_swapped ? __builtin_bswap16(v) : v;
}

static inline uint32_t perfdata_u32(const struct perf_reader *r, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return r->is_swapped ? __builtin_bswap32(v) : v;
}

static inline uint64_t perfdata_u64(const struct perf_reader *r, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return r->is_swapped ? __builtin_bswap64(v) : v;
}

/* Read the header of a record. Returns false if it is not complete, or not a record. */
static inline bool perfdata_record_at(const struct perf_reader *r, const uint8_t *p, size_t n, struct perf_record *out)
{
	if (n < PERF_HEADER_SIZE)
		return false;
	*out = (struct perf_record){ p, perfdata_u16(r, p + 6), perfdata_u32(r, p), perfdata_u16(r, p + 4) };
	return out->n >= PERF_HEADER_SIZE && out->n <= n;
}

/* ---- file.c ---- */

/*
 * Read the next record of the file, not one inside compressed ones, and what belongs to it.
 *
 * at      position; advanced
 * Returns false at the end, or where the file was cut
 */
bool perfdata_file_next(struct perf_reader *r, size_t *at, struct perf_record *out);

/* Find the records, the events and the features. Fails with ERR_FORMAT. */
int perfdata_file_open(struct perf_reader *r, struct err *err);

/* ---- directory.c ---- */

/* Is it the block of a directory? */
bool perfdata_directory_probe(const uint8_t *data, size_t n);

/* Find the files of a directory, if it is one, and continue with the first one as the file. Fails with ERR_FORMAT. */
int perfdata_directory_split(struct perf_reader *r, struct err *err);

/* ---- event.c ---- */

struct perf_task {
	uint32_t pid, tid;
};

/* Add the event of a perf_event_attr. Fails with ERR_FORMAT, ERR_LIMIT. */
int perfdata_event_add(struct perf_reader *r, const uint8_t *attr, size_t n, struct err *err);

/* Add n ids, as they are in the file, of the last event. */
int perfdata_event_add_ids(struct perf_reader *r, const uint8_t *ids, size_t n, struct err *err);

/* The index of an id in r->id; PERF_NONE if it is unknown. */
uint32_t perfdata_event_find_id(struct perf_reader *r, uint64_t id);

/* Check that records identify their events, and make the sample types. Fails with ERR_FORMAT. */
int perfdata_event_finish(struct perf_reader *r, struct err *err);

/* The event of a record; NULL if it is unknown. */
const struct perf_event *perfdata_event_of(struct perf_reader *r, const struct perf_record *rec);

/* The time of a record; 0 if it has none. task: also its thread, unchanged if it has none; NULL: not needed. */
uint64_t perfdata_event_time(struct perf_reader *r, const struct perf_record *rec, struct perf_task *task);

/* ---- feature.c ---- */

/* Read a feature of the header; those without use are ignored, and so are damaged ones. */
void perfdata_feature_read(struct perf_reader *r, uint64_t feature, const uint8_t *p, size_t n);

/* Read a build id record. */
void perfdata_feature_build_id(struct perf_reader *r, const struct perf_record *rec);

/* The build id of a file by its name; 0 for none. */
str_id perfdata_feature_find_build_id(const struct perf_reader *r, str_id file);

/* The hexadecimal digits of a build id. */
str_id perfdata_feature_hex(struct perf_reader *r, const uint8_t *id, size_t n);

/* ---- queue.c ---- */

/* Add a record; chunk: of unpacked bytes + 1, or 0. */
int perfdata_queue_add(struct perf_reader *r, const struct perf_record *rec, uint32_t chunk, struct err *err);

/* Process what is certainly older than all that follows, after the mark of a round; in a directory, nothing is. */
int perfdata_queue_end_round(struct perf_reader *r, struct err *err);
int perfdata_queue_end(struct perf_reader *r, struct err *err);

/* ---- unpack.c ---- */

/* Unpack the bytes of a compressed record, and add the records that are complete now. */
int perfdata_unpack(struct perf_reader *r, const uint8_t *p, size_t n, size_t position, struct err *err);

/* Begin another stream: the next file of a directory. */
void perfdata_unpack_restart(struct perf_reader *r);
void perfdata_unpack_release(struct perf_reader *r);

/* ---- record.c ---- */

/* Process a record. Damaged ones are counted. */
int perfdata_record_process(struct perf_reader *r, const struct perf_record *rec, struct err *err);

/* ---- process.c ---- */

/* The thread, or the process; it is added if it is new. */
int perfdata_thread_find(struct perf_reader *r, uint32_t pid, uint32_t tid, struct perf_thread **out, struct err *err);
int perfdata_process_find(struct perf_reader *r, uint32_t pid, struct perf_process **out, struct err *err);

int perfdata_process_fork(struct perf_reader *r, uint32_t pid, uint32_t parent, uint32_t tid, uint32_t parent_tid,
			  bool has_maps, struct err *err);
int perfdata_process_comm(struct perf_reader *r, uint32_t pid, uint32_t tid, const char *name, size_t n, bool is_exec,
			  struct err *err);
void perfdata_process_exit(struct perf_reader *r, uint32_t pid, uint32_t tid);

/* The label set of the samples of a thread. */
int perfdata_thread_labels(struct perf_reader *r, struct perf_thread *t, uint32_t *out, struct err *err);
void perfdata_process_release(struct perf_reader *r);

/* ---- maps.c ---- */

/* The properties of a mapping record. */
struct perf_mapped {
	uint64_t start, limit, offset;
	str_id file, build_id;
	uint32_t owner;
	bool is_kernel;
};

/* The module with these properties; it is added if it is new. */
int perfdata_module_find(struct perf_reader *r, const struct perf_mapped *m, uint32_t *out, struct err *err);

/* Map a module, in place of all older mappings of these addresses; PERF_NONE: only remove those. */
int perfdata_maps_set(struct perf_reader *r, struct perf_maps **maps, uint64_t start, uint64_t limit, uint32_t module,
		      struct err *err);
const struct perf_map *perfdata_maps_find(const struct perf_maps *maps, uint64_t addr);

struct perf_maps *perfdata_maps_share(struct perf_maps *maps);
void perfdata_maps_drop(struct perf_reader *r, struct perf_maps **maps);

/* ---- frame.c ---- */

/* Add the location of an address to the stack. is_return: it follows the call. */
int perfdata_frame_add(struct perf_reader *r, struct perf_process *process, enum perf_mode mode, uint64_t addr,
		       bool is_return, struct err *err);

/* Add a function of a name. */
int perfdata_frame_function(struct perf_reader *r, str_id name, uint32_t *out, struct err *err);

/* Add a frame that has only a name. */
int perfdata_frame_add_named(struct perf_reader *r, const char *name, uint32_t *loc, struct err *err);

/* The mapping of a module in the profile; it is added if it is new. */
int perfdata_frame_mapping(struct perf_reader *r, uint32_t module, struct err *err);

/* ---- sample.c ---- */

int perfdata_sample_add(struct perf_reader *r, const struct perf_record *rec, struct err *err);
int perfdata_sample_add_deferred(struct perf_reader *r, const struct perf_record *rec, struct err *err);

/* Add the samples that still wait for their user stack. */
int perfdata_sample_end(struct perf_reader *r, struct err *err);

/* ---- sample_fields.c ---- */

/* The fields of a sample that are used. Pointers are into the record. */
struct perf_sample {
	uint64_t ip, time, id, period;
	uint32_t pid, tid;
	const uint8_t *read; /* after sample_type's fields before it; NULL: none */
	size_t n_read;
	const uint8_t *chain; /* [n_chain] u64 */
	uint64_t n_chain;
	const uint8_t *branch; /* [n_branches] of 24 bytes */
	uint64_t n_branches;
	uint64_t abi;        /* of the registers; 0: none */
	const uint8_t *regs; /* one u64 per bit of regs_user */
	const uint8_t *stack;
	uint64_t n_stack;
};

/* Returns false for a damaged sample. */
bool perfdata_sample_fields(const struct perf_reader *r, const struct perf_event *e, const struct perf_record *rec,
			    struct perf_sample *out);

#endif
