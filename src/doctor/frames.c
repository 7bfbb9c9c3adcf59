/*
 * frames.c - the kind of work of a function, by its name and binary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The names are those of Go's runtime (1.18 to 1.26), of the GNU C and C++ libraries, and of common allocators. A function
 * without a name is judged by its binary.
 */
#include "config.h"

#include "doctor/frames.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "profile/stack_walk.h"

#include <assert.h>
#include <string.h>

/* A name; with a * at its end, all names that begin with it. */
struct frame_name {
	const char *name;
	enum frame_kind kind;
};

/* The first match decides. */
static const struct frame_name names[] = {
	/* clang-format off */
	{ "runtime/pprof.*", FRAME_PROFILER }, { "net/http/pprof.*", FRAME_PROFILER },
	{ "runtime.gcBgMarkWorker*", FRAME_GC }, { "runtime.gcAssist*", FRAME_GC }, { "runtime.gcDrain*", FRAME_GC },
	{ "runtime.gcStart*", FRAME_GC }, { "runtime.gcMark*", FRAME_GC }, { "runtime.gcSweep*", FRAME_GC },
	{ "runtime.gcWriteBarrier*", FRAME_GC }, { "runtime.gcFlush*", FRAME_GC }, { "runtime.bgsweep*", FRAME_GC },
	{ "runtime.bgscavenge*", FRAME_GC }, { "runtime.scanobject*", FRAME_GC }, { "runtime.greyobject*", FRAME_GC },
	{ "runtime.markroot*", FRAME_GC }, { "runtime.sweepone*", FRAME_GC }, { "runtime.(*gcWork).*", FRAME_GC },
	{ "runtime.wbBuf*", FRAME_GC }, { "runtime.(*sweepLocked).*", FRAME_GC }, { "runtime.scanstack*", FRAME_GC },
	{ "runtime.mallocgc*", FRAME_ALLOC }, { "runtime.growslice", FRAME_ALLOC }, { "runtime.newobject", FRAME_ALLOC },
	{ "malloc", FRAME_ALLOC }, { "calloc", FRAME_ALLOC }, { "realloc", FRAME_ALLOC }, { "free", FRAME_ALLOC },
	{ "cfree", FRAME_ALLOC }, { "_int_malloc", FRAME_ALLOC }, { "_int_free*", FRAME_ALLOC }, { "__libc_malloc*", FRAME_ALLOC },
	{ "__libc_calloc*", FRAME_ALLOC }, { "__libc_realloc*", FRAME_ALLOC }, { "__libc_free*", FRAME_ALLOC }, { "_int_realloc", FRAME_ALLOC },
	{ "malloc_consolidate", FRAME_ALLOC }, { "unlink_chunk*", FRAME_ALLOC }, { "sysmalloc*", FRAME_ALLOC }, { "tcache_*", FRAME_ALLOC },
	{ "aligned_alloc", FRAME_ALLOC }, { "posix_memalign", FRAME_ALLOC }, { "memalign", FRAME_ALLOC },
	{ "operator new*", FRAME_ALLOC }, { "operator delete*", FRAME_ALLOC }, { "_Znw*", FRAME_ALLOC }, { "_Zna*", FRAME_ALLOC },
	{ "_Zdl*", FRAME_ALLOC }, { "_Zda*", FRAME_ALLOC }, { "je_*", FRAME_ALLOC }, { "tc_*", FRAME_ALLOC }, { "mi_*", FRAME_ALLOC },
	{ "runtime.Gosched", FRAME_SPIN }, { "runtime.gosched_m*", FRAME_SPIN }, { "sched_yield", FRAME_SPIN }, { "__sched_yield", FRAME_SPIN },
	{ "pthread_spin_lock", FRAME_SPIN }, { "pthread_spin_trylock", FRAME_SPIN },
	{ "sync.(*Mutex).*", FRAME_LOCK }, { "sync.(*RWMutex).*", FRAME_LOCK }, { "internal/sync.(*Mutex).*", FRAME_LOCK },
	{ "sync.runtime_Sem*", FRAME_LOCK }, { "internal/sync.runtime_Sem*", FRAME_LOCK }, { "runtime.sem*", FRAME_LOCK },
	{ "runtime.lock2*", FRAME_LOCK }, { "runtime.unlock2*", FRAME_LOCK }, { "pthread_mutex_*", FRAME_LOCK },
	{ "__pthread_mutex_*", FRAME_LOCK }, { "___pthread_mutex_*", FRAME_LOCK }, { "__GI___pthread_mutex_*", FRAME_LOCK },
	{ "pthread_rwlock_*", FRAME_LOCK }, { "__pthread_rwlock_*", FRAME_LOCK }, { "__lll_lock_*", FRAME_LOCK },
	{ "lll_mutex_lock_*", FRAME_LOCK }, { "__GI___lll_lock_*", FRAME_LOCK },
	{ "syscall.*", FRAME_SYSCALL }, { "internal/runtime/syscall*", FRAME_SYSCALL }, { "runtime/internal/syscall*", FRAME_SYSCALL },
	{ "internal/poll.*", FRAME_SYSCALL }, { "golang.org/x/sys/unix.*", FRAME_SYSCALL }, { "runtime.netpoll*", FRAME_RUNTIME },
	{ "read", FRAME_SYSCALL }, { "write", FRAME_SYSCALL }, { "pread*", FRAME_SYSCALL }, { "pwrite*", FRAME_SYSCALL },
	{ "readv", FRAME_SYSCALL }, { "writev", FRAME_SYSCALL }, { "fsync", FRAME_SYSCALL }, { "fdatasync", FRAME_SYSCALL },
	{ "msync", FRAME_SYSCALL }, { "sync_file_range", FRAME_SYSCALL }, { "open", FRAME_SYSCALL }, { "open64", FRAME_SYSCALL },
	{ "openat", FRAME_SYSCALL }, { "openat64", FRAME_SYSCALL }, { "close", FRAME_SYSCALL }, { "fstat*", FRAME_SYSCALL },
	{ "stat", FRAME_SYSCALL }, { "stat64", FRAME_SYSCALL }, { "lseek*", FRAME_SYSCALL }, { "getdents*", FRAME_SYSCALL },
	{ "unlink", FRAME_SYSCALL }, { "rename", FRAME_SYSCALL }, { "ftruncate*", FRAME_SYSCALL }, { "recv", FRAME_SYSCALL },
	{ "recvfrom", FRAME_SYSCALL }, { "recvmsg", FRAME_SYSCALL }, { "send", FRAME_SYSCALL }, { "sendto", FRAME_SYSCALL },
	{ "sendmsg", FRAME_SYSCALL }, { "sendfile*", FRAME_SYSCALL }, { "accept", FRAME_SYSCALL }, { "accept4", FRAME_SYSCALL },
	{ "connect", FRAME_SYSCALL }, { "poll", FRAME_SYSCALL }, { "ppoll", FRAME_SYSCALL }, { "select", FRAME_SYSCALL },
	{ "epoll_*", FRAME_SYSCALL }, { "mmap", FRAME_SYSCALL }, { "mmap64", FRAME_SYSCALL }, { "munmap", FRAME_SYSCALL },
	{ "mprotect", FRAME_SYSCALL }, { "madvise", FRAME_SYSCALL }, { "ioctl", FRAME_SYSCALL }, { "nanosleep", FRAME_SYSCALL },
	{ "clock_nanosleep*", FRAME_SYSCALL }, { "usleep", FRAME_SYSCALL }, { "fork", FRAME_SYSCALL }, { "vfork", FRAME_SYSCALL },
	{ "wait4", FRAME_SYSCALL }, { "__libc_read*", FRAME_SYSCALL }, { "__libc_write*", FRAME_SYSCALL },
	{ "__libc_pread*", FRAME_SYSCALL }, { "__libc_pwrite*", FRAME_SYSCALL }, { "__GI___libc_*", FRAME_SYSCALL },
	{ "__read*", FRAME_SYSCALL }, { "__write*", FRAME_SYSCALL }, { "__libc_open*", FRAME_SYSCALL }, { "[cpa: kernel]", FRAME_SYSCALL },
	{ "std::thread::*", FRAME_NEUTRAL }, { "runtime.main", FRAME_NEUTRAL }, { "runtime.asyncPreempt*", FRAME_NEUTRAL }, { "runtime.goexit*", FRAME_NEUTRAL },
	{ "runtime.*", FRAME_RUNTIME }, { "runtime/*", FRAME_RUNTIME }, { "internal/runtime/*", FRAME_RUNTIME },
	{ "gogo", FRAME_RUNTIME }, { "aeshashbody", FRAME_RUNTIME }, { "memeqbody", FRAME_RUNTIME }, { "cmpbody", FRAME_RUNTIME },
	/* clang-format on */
};

enum frame_kind doctor_frame_of_name(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i].name);
		bool is_prefix = names[i].name[length - 1] == '*';

		length -= is_prefix;
		if ((is_prefix ? n >= length : n == length) && memcmp(name, names[i].name, length) == 0)
			return names[i].kind;
	}
	return FRAME_OWN;
}

uint8_t *doctor_frame_kinds(const struct profile *p)
{
	uint8_t *kind = mem_alloc(p->n_funcs + 1, sizeof(*kind));

	for (uint32_t f = 0; f < p->n_funcs; f++) {
		const char *name = profile_text(p, p->func_name[f]);

		kind[f] = (uint8_t)doctor_frame_of_name(name, strlen(name));
	}
	return kind;
}

/* The kind of a location without a name. */
static enum frame_kind kind_of_binary(const struct profile *p, uint32_t loc)
{
	static const char *const libraries[] = { "libc.so",      "libc-",    "ld-linux",
						 "libstdc++.so", "libgcc_s", "libpthread" };
	uint32_t m = p->loc_map[loc];
	const char *file = m == PROFILE_NONE ? "" : profile_text(p, p->map[m].file);

	if (starts_with(file, "[kernel"))
		return FRAME_SYSCALL;
	if (starts_with(file, "[vdso"))
		return FRAME_RUNTIME;
	file = path_base(file);
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (starts_with(file, libraries[i]))
			return FRAME_RUNTIME;
	return FRAME_OWN;
}

/* The kind of a frame: by its name, and for names that the table does not have by its binary. */
static enum frame_kind kind_of_line(const struct profile *p, const uint8_t *kind, uint32_t loc, uint32_t line)
{
	enum frame_kind k = (enum frame_kind)kind[p->line_func[line]];

	return k == FRAME_OWN ? kind_of_binary(p, loc) : k;
}

static bool same_name(const struct profile *p, uint32_t a, uint32_t b)
{
	return p->func_name[a] == p->func_name[b];
}

enum frame_kind doctor_frame_of_stack(const struct profile *p, const uint8_t *kind, uint32_t stack, uint32_t *own,
				      uint32_t *caller)
{
	enum frame_kind found = FRAME_OWN;
	uint32_t loc;

	*own = *caller = PROFILE_NONE;
	for (struct stack_walk w = stack_walk(p, stack, STACK_LEAF_FIRST); stack_walk_next(&w, &loc);) {
		if (p->loc_line[loc] == p->loc_line[loc + 1] && *own == PROFILE_NONE) {
			enum frame_kind k = kind_of_binary(p, loc);

			found = k < found ? k : found;
			if (k == FRAME_OWN)
				return found;
		}
		for (uint32_t line = p->loc_line[loc]; line < p->loc_line[loc + 1]; line++) {
			enum frame_kind k = kind_of_line(p, kind, loc, line);

			if (*own == PROFILE_NONE && k == FRAME_OWN)
				*own = p->line_func[line];
			else if (*own == PROFILE_NONE)
				found = k < found ? k : found;
			else if (k == FRAME_OWN && !same_name(p, p->line_func[line], *own)) {
				*caller = p->line_func[line];
				return found;
			}
		}
	}
	return found;
}

bool doctor_frame_has_type(const struct profile *p, const char *name)
{
	return strcmp(profile_text(p, p->type[doctor_frame_type(p, name)].name), name) == 0;
}

uint32_t doctor_frame_type(const struct profile *p, const char *name)
{
	assert(p->n_types > 0);
	for (uint32_t t = 0; t < p->n_types; t++)
		if (strcmp(profile_text(p, p->type[t].name), name) == 0)
			return t;
	return p->n_types - 1;
}
