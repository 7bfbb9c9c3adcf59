/*
 * legacy_frames.c - frames that say how a profile was taken, not what was going on
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The legacy formats cannot carry drop_frames and keep_frames, so there are built-in ones for each
 * kind of profile: expressions for whole names. Their order shows when such a profile is written.
 */
#include "config.h"

#include "reader/legacy.h"

#include "base/buf.h"

/* The allocator, up to what the program called. */
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

/* Parts of the Go runtime that stand below or between frames of the program. */
static const char *const heap_keep[] = { "runtime\\.panic", "runtime\\.reflectcall", "runtime\\.call[0-9]*", NULL };

/* The handler of the profiling signal. */
static const char *const cpu_drop[] = { "ProfileData::Add",
					"ProfileData::prof_handler",
					"CpuProfiler::prof_handler",
					"__pthread_sighandler",
					"__restore",
					NULL };

/* Locks that record how long they were waited for. */
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

static const char *const nothing[] = { NULL };

static const struct {
	const char *const *drop, *const *keep;
} frame_lists[] = {
	[FRAMES_CPU] = { cpu_drop, nothing },
	[FRAMES_HEAP] = { heap_drop, heap_keep },
	[FRAMES_LOCK] = { lock_drop, nothing },
};

/* All of a list as alternatives of one expression. */
static str_id join(struct strtab *str, const char *const *list)
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

	meta->drop_frames = join(builder_strings(b), frame_lists[which].drop);
	meta->keep_frames = join(builder_strings(b), frame_lists[which].keep);
}
