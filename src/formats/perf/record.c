/*
 * record.c - records other than samples: processes, mappings, what was lost
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/str.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>
#include <stdio.h>

enum { AT_PID = 8, AT_TID = 12, AT_START = 16, AT_LEN = 24, AT_OFFSET = 32 };
enum { MAP_EXEC = 4, PAGE = 4096 };

/* The text at an offset, up to its NUL. Returns false if the record ends before it. */
static bool record_text(const struct perf_record *rec, size_t at, const char **s, size_t *n)
{
	if (rec->n < at)
		return false;
	*s = (const char *)rec->p + at;
	*n = strnlen(*s, rec->n - at);
	return true;
}

/* Is it the jitdump of a process: jit-PID.dump? */
static bool record_is_dump(const char *name, size_t n)
{
	static const char end[] = ".dump", start[] = "/jit-";
	size_t n_end = sizeof(end) - 1;

	return n > n_end && memcmp(name + n - n_end, end, n_end) == 0 && memmem(name, n, start, sizeof(start) - 1);
}

/*
 * The kernel: the name of its mapping ends with a symbol, and the offset is the address of the symbol when it was
 * recorded, from which symbols of another boot are moved.
 */
static bool record_kernel_name(struct perf_reader *r, const char *name, size_t n, struct perf_mapped *m, str_id *symbol)
{
	const char *end = memchr(name, ']', n);
	size_t n_name = end ? (size_t)(end + 1 - name) : 0;

	if (!memmem(name, n_name, "kernel.kallsyms", sizeof("kernel.kallsyms") - 1))
		return false;
	m->file = strtab_add(builder_strings(r->b), name, n_name);
	*symbol = strtab_add(builder_strings(r->b), name + n_name, n - n_name);
	if (*symbol && m->offset > m->start && m->offset < m->limit)
		m->start = m->offset;
	m->offset = 0;
	return true;
}

/* A module of the kernel, called [name] as in perf and in /proc/kallsyms. */
static bool record_module_name(struct perf_reader *r, const char *name, size_t n, struct perf_mapped *m)
{
	const char *base = memrchr(name, '/', n), *end;
	char text[128];
	size_t n_base;

	base = base ? base + 1 : name;
	n_base = n - (size_t)(base - name);
	end = memmem(base, n_base, ".ko", 3);
	n_base = end ? (size_t)(end - base) : 0;
	if (n_base == 0 || n_base + 3 > sizeof(text))
		return false;
	snprintf(text, sizeof(text), "[%.*s]", (int)n_base, base);
	for (char *at = text; (at = strchr(at, '-'));)
		*at = '_';
	m->file = strtab_addz(builder_strings(r->b), text);
	return true;
}

static int record_add_kernel(struct perf_reader *r, const struct perf_record *rec, const char *name, size_t n,
			     struct perf_mapped *m, struct err *err)
{
	bool is_guest = (rec->misc & PERF_MISC_MODE) == PERF_GUEST_KERNEL;
	str_id symbol = 0, file = strtab_add(builder_strings(r->b), name, n);
	uint32_t module;
	int rc;

	m->is_kernel = true;
	if (!record_kernel_name(r, name, n, m, &symbol) && !record_module_name(r, name, n, m))
		m->file = file;
	if (!m->build_id)
		m->build_id = perfdata_feature_find_build_id(r, m->file);
	if (!m->build_id)
		m->build_id = perfdata_feature_find_build_id(r, file);
	rc = perfdata_module_find(r, m, &module, err);
	if (rc < 0)
		return rc;
	r->module[module].kernel_symbol = symbol;
	return perfdata_maps_set(r, is_guest ? &r->guest : &r->kernel, m->start, m->limit, module, err);
}

static int record_add_user(struct perf_reader *r, uint32_t pid, const char *name, size_t n, struct perf_mapped *m,
			   bool is_code, struct err *err)
{
	struct perf_process *p;
	uint32_t module = PERF_NONE;
	char map[64];
	int rc = perfdata_process_find(r, pid, &p, err);

	if (rc < 0)
		return rc;
	if (is_code && profile_is_memory(name, n)) {
		snprintf(map, sizeof(map), "/tmp/perf-%" PRId32 ".map", (int32_t)pid);
		m->file = strtab_addz(builder_strings(r->b), map);
		m->owner = pid + 1;
		m->offset = 0;
	} else if (is_code) {
		m->file = strtab_add(builder_strings(r->b), name, n);
		m->build_id = m->build_id ? m->build_id : perfdata_feature_find_build_id(r, m->file);
	}
	rc = is_code ? perfdata_module_find(r, m, &module, err) : 0;
	rc = rc < 0 ? rc : perfdata_maps_set(r, &p->maps, m->start, m->limit, module, err);
	if (rc == 0 && is_code && !m->owner && p->program == PERF_NONE)
		p->program = module;
	/* programs map their jitdump so that tools find it */
	return rc == 0 && is_code && record_is_dump(name, n) ? perfdata_frame_mapping(r, module, err) : rc;
}

/* MMAP and MMAP2. */
static int record_add_mapping(struct perf_reader *r, const struct perf_record *rec, struct err *err)
{
	enum { AT_NAME = 40, AT_ID_SIZE = 40, AT_ID = 44, AT_PROT = 64, AT_NAME2 = 72, ID_MAX = 20 };
	bool is_2 = rec->type == PERF_MMAP2, is_code;
	struct perf_mapped m = { 0 };
	const char *name;
	uint64_t len;
	uint32_t pid;
	size_t n;

	if (!record_text(rec, is_2 ? AT_NAME2 : AT_NAME, &name, &n)) {
		skipped_add(&r->damaged, 0);
		return 0;
	}
	pid = perfdata_u32(r, rec->p + AT_PID);
	m.start = perfdata_u64(r, rec->p + AT_START);
	len = perfdata_u64(r, rec->p + AT_LEN);
	m.offset = perfdata_u64(r, rec->p + AT_OFFSET);
	m.limit = len > UINT64_MAX - m.start ? UINT64_MAX : m.start + len;
	is_code = is_2 ? perfdata_u32(r, rec->p + AT_PROT) & MAP_EXEC : !(rec->misc & PERF_MISC_MMAP_DATA);
	if (len == 0)
		return 0;
	if (is_2 && rec->misc & PERF_MISC_BUILD_ID)
		m.build_id = perfdata_feature_hex(r, rec->p + AT_ID, rec->p[AT_ID_SIZE]);
	switch (rec->misc & PERF_MISC_MODE) {
	case PERF_KERNEL:
	case PERF_GUEST_KERNEL:
		return record_add_kernel(r, rec, name, n, &m, err);
	case PERF_GUEST_USER:
		return 0;
	}
	return pid == (uint32_t)PERF_ALL_PIDS ? record_add_kernel(r, rec, name, n, &m, err)
					      : record_add_user(r, pid, name, n, &m, is_code, err);
}

/* A function of the kernel that was made at run time, such as a program of BPF. */
static int record_add_symbol(struct perf_reader *r, const struct perf_record *rec, struct err *err)
{
	enum { AT_ADDR = 8, AT_SIZE = 16, AT_FLAGS = 22, AT_NAME = 24, IS_REMOVED = 1 };
	struct perf_mapped m = { .is_kernel = true };
	uint32_t module;
	const char *name;
	size_t n;
	int rc;

	if (!record_text(rec, AT_NAME, &name, &n)) {
		skipped_add(&r->damaged, 0);
		return 0;
	}
	m.start = perfdata_u64(r, rec->p + AT_ADDR);
	m.limit = m.start + perfdata_u32(r, rec->p + AT_SIZE);
	if (m.limit <= m.start || perfdata_u16(r, rec->p + AT_FLAGS) & IS_REMOVED)
		return 0; /* samples of it may still come */
	m.file = strtab_add(builder_strings(r->b), name, n);
	rc = perfdata_module_find(r, &m, &module, err);
	if (rc == 0 && r->module[module].func == PERF_NONE)
		rc = perfdata_frame_function(r, m.file, &r->module[module].func, err);
	return rc < 0 ? rc : perfdata_maps_set(r, &r->kernel, m.start, m.limit, module, err);
}

/* FORK and EXIT: pid, parent's pid, tid, parent's tid, time. */
static int record_add_task(struct perf_reader *r, const struct perf_record *rec, struct err *err)
{
	enum { AT_PARENT = 12, AT_OWN_TID = 16, AT_PARENT_TID = 20, SIZE = 32 };
	uint32_t pid, tid;

	if (rec->n < SIZE) {
		skipped_add(&r->damaged, 0);
		return 0;
	}
	pid = perfdata_u32(r, rec->p + AT_PID);
	tid = perfdata_u32(r, rec->p + AT_OWN_TID);
	if (rec->type == PERF_FORK)
		return perfdata_process_fork(r, pid, perfdata_u32(r, rec->p + AT_PARENT), tid,
					     perfdata_u32(r, rec->p + AT_PARENT_TID), !(rec->misc & PERF_MISC_EXEC),
					     err);
	perfdata_process_exit(r, pid, tid);
	return 0;
}

static int record_add_comm(struct perf_reader *r, const struct perf_record *rec, struct err *err)
{
	enum { AT_NAME = 16 };
	const char *name;
	size_t n;

	if (!record_text(rec, AT_NAME, &name, &n)) {
		skipped_add(&r->damaged, 0);
		return 0;
	}
	return perfdata_process_comm(r, perfdata_u32(r, rec->p + AT_PID), perfdata_u32(r, rec->p + AT_TID), name, n,
				     rec->misc & PERF_MISC_EXEC, err);
}

static void record_add_lost(struct perf_reader *r, const struct perf_record *rec)
{
	size_t at = rec->type == PERF_LOST ? PERF_HEADER_SIZE + sizeof(uint64_t) : PERF_HEADER_SIZE;
	uint64_t *to = rec->type == PERF_LOST ? &r->n_lost_records : &r->n_lost_samples;

	if (rec->n < at + sizeof(uint64_t))
		skipped_add(&r->damaged, 0);
	else if (__builtin_add_overflow(*to, perfdata_u64(r, rec->p + at), to))
		*to = UINT64_MAX;
}

int perfdata_record_process(struct perf_reader *r, const struct perf_record *rec, struct err *err)
{
	/* types without information on samples: READ, THROTTLE, SWITCH, NAMESPACES, CGROUP, BPF_EVENT, ... */
	static const bool is_ignored[PERF_TYPES_KNOWN] = {
		[5] = true,  [6] = true,  [8] = true,  [12] = true, [14] = true, [15] = true, [16] = true,
		[18] = true, [19] = true, [20] = true, [21] = true, [64] = true, [65] = true, [66] = true,
		[67] = true, [69] = true, [73] = true, [74] = true, [75] = true, [76] = true, [77] = true,
		[78] = true, [79] = true, [80] = true, [82] = true, [84] = true, [85] = true, [86] = true,
	};

	switch (rec->type) {
	case PERF_SAMPLE:
		return perfdata_sample_add(r, rec, err);
	case PERF_CALLCHAIN_DEFERRED:
		return perfdata_sample_add_deferred(r, rec, err);
	case PERF_MMAP:
	case PERF_MMAP2:
		return record_add_mapping(r, rec, err);
	case PERF_COMM:
		return record_add_comm(r, rec, err);
	case PERF_FORK:
	case PERF_EXIT:
		return record_add_task(r, rec, err);
	case PERF_KSYMBOL:
		return record_add_symbol(r, rec, err);
	case PERF_STAT:
		r->has_counts = true;
		return 0;
	case PERF_LOST:
	case PERF_LOST_SAMPLES:
		record_add_lost(r, rec);
		return 0;
	}
	if (rec->type == PERF_AUX || (rec->type >= 70 && rec->type <= 72))
		skipped_add(&r->aux, 0);
	else if (rec->type >= PERF_TYPES_KNOWN || !is_ignored[rec->type])
		skipped_add(&r->type[rec->type < PERF_TYPES_KNOWN ? rec->type : PERF_TYPES_KNOWN], 0);
	return 0;
}
