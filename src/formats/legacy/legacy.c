/*
 * legacy.c - build a profile from samples of addresses, for all legacy formats
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samples are collected first. Then locations, functions and mappings are numbered.
 *
 * The legacy formats have no drop_frames and keep_frames, so each kind of profile gets built-in expressions, which
 * match whole names. Their order is visible when such a profile is written.
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Functions of memory allocators. */
static const char *const heap_drop[] = { "calloc",
					 "cfree",
					 "malloc",
					 "free",
					 "memalign",
					 "do_memalign",
					 "(__)?posix_memalign",
					 "pvalloc",
					 "valloc",
					 "realloc",

					 "tcmalloc::.*",
					 "tc_calloc",
					 "tc_cfree",
					 "tc_malloc",
					 "tc_free",
					 "tc_memalign",
					 "tc_posix_memalign",
					 "tc_pvalloc",
					 "tc_valloc",
					 "tc_realloc",
					 "tc_new",
					 "tc_delete",
					 "tc_newarray",
					 "tc_deletearray",
					 "tc_new_nothrow",
					 "tc_newarray_nothrow",

					 "malloc_zone_malloc",
					 "malloc_zone_calloc",
					 "malloc_zone_valloc",
					 "malloc_zone_realloc",
					 "malloc_zone_memalign",
					 "malloc_zone_free",

					 "runtime\\..*",

					 "BaseArena::.*",
					 "(::)?do_malloc_no_errno",
					 "(::)?do_malloc_pages",
					 "(::)?do_malloc",
					 "DoSampledAllocation",
					 "MallocedMemBlock::MallocedMemBlock",
					 "_M_allocate",
					 "__builtin_(vec_)?delete",
					 "__builtin_(vec_)?new",
					 "__gnu_cxx::new_allocator::allocate",
					 "__libc_malloc",
					 "__malloc_alloc_template::allocate",
					 "allocate",
					 "cpp_alloc",
					 "operator new(\\[\\])?",
					 "simple_alloc::allocate",
					 NULL };

/* Functions of the Go runtime that are kept because they call functions of the program. */
static const char *const heap_keep[] = { "runtime\\.panic", "runtime\\.reflectcall", "runtime\\.call[0-9]*", NULL };

/* Functions of allocators in programs with jemalloc, also with the prefixes of its crates for Rust. */
static const char *const jemalloc_drop[] = {
	"(_rjem_)?(je_)?([cmv]alloc|pvalloc|realloc|[mrx]allocx|aligned_alloc|(posix_)?memalign)",
	"(_rjem_)?je_.*",
	"__r(ust|dl|g)_(re)?alloc(_zeroed)?",
	"(void\\* )?(fallbackN|n)ewImpl",
	"operator new(\\[\\])?",
	NULL
};

/* Handlers of the profiling signal. */
static const char *const cpu_drop[] = { "ProfileData::Add",
					"ProfileData::prof_handler",
					"CpuProfiler::prof_handler",
					"__pthread_sighandler",
					"__restore",
					NULL };

/* Functions of locks that record lock waits. */
static const char *const lock_drop[] = { "RecordLockProfileData",
					 "(base::)?RecordLockProfileData.*",
					 "(base::)?SubmitMutexProfileData.*",
					 "(base::)?SubmitSpinLockProfileData.*",

					 "(base::Mutex::)?AwaitCommon.*",
					 "(base::Mutex::)?Unlock.*",
					 "(base::Mutex::)?UnlockSlow.*",
					 "(base::Mutex::)?ReaderUnlock.*",
					 "(base::MutexLock::)?~MutexLock.*",

					 "(Mutex::)?AwaitCommon.*",
					 "(Mutex::)?Unlock.*",
					 "(Mutex::)?UnlockSlow.*",
					 "(Mutex::)?ReaderUnlock.*",
					 "(MutexLock::)?~MutexLock.*",

					 "(SpinLock::)?Unlock.*",
					 "(SpinLock::)?SlowUnlock.*",
					 "(SpinLockHolder::)?~SpinLockHolder.*",
					 NULL };

static const char *const no_frames[] = { NULL };

static const struct {
	const char *const *drop, *const *keep;
} frame_lists[] = {
	[FRAMES_CPU] = { cpu_drop, no_frames },
	[FRAMES_HEAP] = { heap_drop, heap_keep },
	[FRAMES_LOCK] = { lock_drop, no_frames },
	[FRAMES_JEMALLOC] = { jemalloc_drop, no_frames },
};

/* Join a list into an expression with alternatives. */
static str_id legacy_join(struct strtab *str, const char *const *list)
{
	struct buf text = { 0 };
	str_id id;

	for (size_t i = 0; list[i]; i++) {
		if (i)
			buf_addz(&text, "|");
		buf_addz(&text, list[i]);
	}
	id = strtab_addz(str, buf_text(&text));
	buf_release(&text);
	return id;
}

void legacy_set_frames(struct builder *b, enum legacy_frames which)
{
	struct profile_meta *meta = builder_meta(b);

	assert((size_t)which < sizeof(frame_lists) / sizeof(frame_lists[0]));
	meta->drop_frames = legacy_join(builder_strings(b), frame_lists[which].drop);
	meta->keep_frames = legacy_join(builder_strings(b), frame_lists[which].keep);
}

/* ---- collect samples ---- */

void legacy_init(struct legacy *l, const struct format_options *options)
{
	*l = (struct legacy){ .options = options, .b = builder_new() };
	idtab_init(&l->by_addr, 0);
	l->frame = mem_grow(NULL, &l->cap_frames, 1, sizeof(*l->frame)); /* never NULL */
}

void legacy_release(struct legacy *l)
{
	builder_free(l->b);
	free(l->addr);
	idtab_release(&l->by_addr);
	free(l->frame);
	free(l->sample);
	free(l->value);
	free(l->block);
	memmap_release(&l->map);
	free(l->line);
	free(l->func);
}

void legacy_add_type(struct legacy *l, const char *name, const char *unit)
{
	struct strtab *str = builder_strings(l->b);

	builder_type(l->b, strtab_addz(str, name), strtab_addz(str, unit));
}

void legacy_set_period(struct legacy *l, int64_t period, const char *name, const char *unit)
{
	struct strtab *str = builder_strings(l->b);
	struct profile_meta *meta = builder_meta(l->b);

	meta->period = period;
	meta->period_type = (struct value_type){ strtab_addz(str, name), strtab_addz(str, unit) };
	meta->has_period_type = true;
}

int legacy_check_count(const struct format_options *options, uint64_t n, const char *what, struct err *err)
{
	if (format_exceeds(n, options->max_count))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; raise the limit with --max-count",
			       options->max_count, what);
	if (n >= PROFILE_NONE)
		return err_set(err, ERR_LIMIT, "more than %" PRIu32 " %s", PROFILE_NONE - 1, what);
	return 0;
}

bool legacy_find(const struct legacy *l, uint64_t addr, uint32_t *index)
{
	uint64_t h = hash_u64(addr);

	for (size_t pos = idtab_start(&l->by_addr, h); idtab_next(&l->by_addr, h, &pos, index);)
		if (l->addr[*index] == addr)
			return true;
	return false;
}

/* The index of an address in l->addr; a new address is added. */
static int legacy_find_or_add(struct legacy *l, uint64_t addr, uint32_t *index, struct err *err)
{
	int rc;

	if (legacy_find(l, addr, index))
		return 0;
	if ((rc = legacy_check_count(l->options, (uint64_t)l->n_addrs + 1, "locations", err)) < 0)
		return rc;
	l->addr = mem_grow(l->addr, &l->cap_addrs, (size_t)l->n_addrs + 1, sizeof(*l->addr));
	l->addr[l->n_addrs] = addr;
	idtab_put(&l->by_addr, hash_u64(addr), l->n_addrs);
	*index = l->n_addrs++;
	return 0;
}

int legacy_add_frame(struct legacy *l, uint64_t addr, enum legacy_adjust adjust, struct err *err)
{
	size_t depth = l->n_frames - l->sample_start;
	uint32_t index;
	int rc;

	assert(l->sample_start <= l->n_frames);
	if (format_exceeds(depth + 1, l->options->max_depth))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " frames; raise the limit with --max-depth",
			       l->options->max_depth);
	if (depth >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more than %" PRIu32 " frames", UINT32_MAX);
	if (adjust == ADJUST_ALL || (adjust == ADJUST_CALLERS && depth > 0))
		addr--;
	if ((rc = legacy_find_or_add(l, addr, &index, err)) < 0)
		return rc;
	l->frame = mem_grow(l->frame, &l->cap_frames, l->n_frames + 1, sizeof(*l->frame));
	l->frame[l->n_frames++] = index;
	return 0;
}

int legacy_add_frames(struct legacy *l, struct slice text, enum legacy_adjust adjust, struct err *err)
{
	struct slice digits;

	while (slice_next_address(&text, &digits)) {
		uint64_t addr;
		int rc;

		if (!slice_hex(digits, &addr))
			return err_set(err, ERR_FORMAT, "address of more than 64 bits");
		if ((rc = legacy_add_frame(l, addr, adjust, err)) < 0)
			return rc;
	}
	return 0;
}

int legacy_end_sample(struct legacy *l, const int64_t *values, const int64_t *block, struct err *err)
{
	size_t n = l->n_samples, n_types = builder_n_types(l->b);
	int rc = legacy_check_count(l->options, n + 1, "samples", err);

	assert(l->sample_start <= l->n_frames && values);
	assert(n == 0 || !block == !l->block);
	if (rc < 0)
		return rc;
	l->sample = mem_grow(l->sample, &l->cap_samples, n + 1, sizeof(*l->sample));
	l->sample[n] = (struct legacy_sample){ l->sample_start, (uint32_t)(l->n_frames - l->sample_start) };
	l->value = mem_grow(l->value, &l->cap_values, (n + 1) * n_types, sizeof(*l->value));
	memcpy(l->value + n * n_types, values, n_types * sizeof(*values));
	if (block) {
		l->block = mem_grow(l->block, &l->cap_blocks, n + 1, sizeof(*l->block));
		l->block[n] = *block;
	}
	l->n_samples++;
	l->sample_start = l->n_frames;
	return 0;
}

void legacy_discard_sample(struct legacy *l)
{
	assert(l->sample_start <= l->n_frames);
	l->n_frames = l->sample_start;
}

int legacy_read_maps(struct legacy *l, struct lines *in, struct err *err)
{
	while (!slice_is_map_heading(in->line))
		if (!lines_next(in))
			return 0;
	return memmap_read(&l->map, in, builder_strings(l->b), l->options, err);
}

/* ---- number everything ---- */

/* State of legacy_finish. */
struct legacy_finisher {
	struct legacy *l;
	unsigned flags;
	uint32_t n, *used; /* [n] index in legacy.addr of the locations, in order of first use */
	uint32_t *loc;     /* [n_addrs] location of an address, or PROFILE_NONE */
	uint32_t *map;     /* [n] */
};

static void number_locations(struct legacy_finisher *f)
{
	const struct legacy *l = f->l;

	f->used = mem_alloc(l->n_addrs, sizeof(*f->used));
	f->loc = mem_alloc(l->n_addrs, sizeof(*f->loc));
	memset(f->loc, 0xff, l->n_addrs * sizeof(*f->loc));
	for (size_t s = 0; s < l->n_samples; s++) {
		const uint32_t *frame = l->frame + l->sample[s].first;

		for (uint32_t i = 0; i < l->sample[s].n; i++) {
			if (f->loc[frame[i]] != PROFILE_NONE)
				continue;
			assert(f->n < l->n_addrs);
			f->loc[frame[i]] = f->n;
			f->used[f->n++] = frame[i];
		}
	}
}

/* Is this address in Java's location table? Then it is not a machine address. */
static bool legacy_is_named(const struct legacy *l, uint32_t index)
{
	return l->line && l->line[index].is_known;
}

static int legacy_add_mappings(struct legacy_finisher *f, struct err *err)
{
	struct legacy *l = f->l;
	uint64_t *addr = mem_alloc(f->n, sizeof(*addr));
	struct mapping none = { .id = 1 };
	uint32_t id;
	int rc = 0;

	for (uint32_t i = 0; i < f->n; i++)
		addr[i] = legacy_is_named(l, f->used[i]) ? 0 : l->addr[f->used[i]];
	f->map = mem_alloc(f->n, sizeof(*f->map));
	memmap_normalize(&l->map, builder_strings(l->b));
	memmap_assign(&l->map, builder_strings(l->b), addr, f->n, f->map);
	free(addr);
	for (size_t i = 0; rc == 0 && i < l->map.n; i++) {
		l->map.map[i].id = i + 1;
		rc = builder_mapping(l->b, &l->map.map[i], &id, err);
	}
	if (l->map.n > 0)
		return rc;
	/* a profile without mappings gets an empty one */
	memset(f->map, 0, f->n * sizeof(*f->map));
	return builder_mapping(l->b, &none, &id, err);
}

static int legacy_add_function(struct legacy *l, struct legacy_func *f, struct err *err)
{
	struct builder_function fn = { .name = f->name, .sysname = f->name, .file = f->file };

	if (f->id != PROFILE_NONE)
		return 0;
	fn.id = ++l->n_funcs_used;
	return builder_function(l->b, &fn, &f->id, err);
}

static int legacy_add_locations(struct legacy_finisher *f, struct err *err)
{
	struct legacy *l = f->l;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < f->n; i++) {
		uint32_t index = f->used[i], id;
		bool named = legacy_is_named(l, index);
		struct builder_location loc = { .id = (uint64_t)i + 1, .map = f->map[i] };
		struct builder_line line = { 0 };

		if (!(f->flags & FINISH_CLEAR_ADDRESSES))
			loc.addr = l->addr[index];
		if (named && (rc = legacy_add_function(l, &l->func[l->line[index].func], err)) == 0) {
			line.func = l->func[l->line[index].func].id;
			line.no = l->line[index].no;
		}
		if (rc == 0)
			rc = builder_location(l->b, &loc, &line, named, &id, err);
	}
	return rc;
}

static int legacy_add_sample(struct legacy_finisher *f, size_t s, str_id bytes, struct err *err)
{
	struct legacy *l = f->l;
	uint32_t *frame = l->frame + l->sample[s].first, n = l->sample[s].n, label;
	bool labelled = l->block && l->block[s];
	struct builder_label block = { .key = bytes };
	int rc;

	assert(s < l->n_samples && l->sample[s].first + n <= l->n_frames);
	if (labelled) {
		block.num = l->block[s];
		if ((rc = builder_label(l->b, &block, &label, err)) < 0)
			return rc;
	}
	if ((f->flags & FINISH_DROP_REPEATED_LEAF) && n > 1 && l->addr[frame[0]] == l->addr[frame[1]] + 1) {
		frame[1] = frame[0];
		frame++;
		n--;
	}
	for (uint32_t i = 0; i < n; i++)
		frame[i] = f->loc[frame[i]];
	return builder_sample(l->b, l->value + s * builder_n_types(l->b), frame, n, &label, labelled, err);
}

int legacy_finish(struct legacy *l, enum legacy_frames frames, unsigned flags, struct profile **out, struct err *err)
{
	struct legacy_finisher f = { .l = l, .flags = flags };
	str_id bytes = l->block ? strtab_addz(builder_strings(l->b), "bytes") : 0;
	int rc;

	number_locations(&f);
	rc = legacy_add_mappings(&f, err);
	if (rc == 0)
		rc = legacy_add_locations(&f, err);
	for (size_t s = 0; rc == 0 && s < l->n_samples; s++)
		rc = legacy_add_sample(&f, s, bytes, err);
	free(f.used);
	free(f.loc);
	free(f.map);
	if (rc < 0)
		return rc;
	legacy_set_frames(l->b, frames);
	*out = builder_seal(l->b);
	return 0;
}
