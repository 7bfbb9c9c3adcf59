/*
 * runtime_names.c - recognise functions of runtimes, libraries and the system
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The source file is the better evidence: installed packages and the system have known directories. Without a file,
 * the name decides for the standard libraries of Go, Rust, C++ and Java; any other name could be anything.
 */
#include "config.h"

#include "engine/runtime_names.h"

#include "base/str.h"

#include <stddef.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Prefixes of names in the runtime of Go, in glibc and in the kernel. */
static const char *const runtime_name_start[] = {
	"runtime.",       "runtime/internal/", "internal/runtime/", "__libc_",      "__GI_",
	"_int_malloc",    "_int_free",         "_int_realloc",      "__memcpy_",    "__memmove_",
	"__memset_",      "__memcmp_",         "__strlen_",         "__pthread_",   "_dl_",
	"__lll_lock_",    "__futex_",          "__x64_sys_",        "__arm64_sys_", "do_syscall_",
	"entry_SYSCALL_", "asm_exc_",          "asm_sysvec_",       "[kernel",      "[k]",
};

/* Whole names: exports of glibc, and Go assembly functions, whose names contain no package. */
static const char *const runtime_whole[] = {
	"malloc",  "free",      "calloc",         "realloc",     "memcpy",
	"memmove", "memset",    "memcmp",         "_start",      "start_thread",
	"clone3",  "[vdso]",    "gcWriteBarrier", "aeshashbody", "gogo",
	"cmpbody", "memeqbody", "indexbytebody",  "countbody",   "gosave_systemstack_switch",
};

/* Functions of Go's package runtime that schedule, wait or collect garbage. Those that do what the program asks for are not
   here: allocation, maps, channels, copies, stacks that grow. */
static const char go_sched_gc[] =
	"schedule findRunnable findrunnable stealWork execute mcall park_m mstart mstart0 mstart1 mPark startm "
	"stopm wakep handoffp resetspinning runqgrab runqsteal runqget runqput globrunqget goready ready "
	"gosched_m goschedImpl gopreempt_m goyield_m netpoll netpollBreak epollwait sysmon retake preemptone "
	"preemptall usleep osyield procyield futex futexsleep futexwakeup notesleep notewakeup notetsleep "
	"notetsleep_internal notetsleepg semasleep semawakeup lock2 unlock2 lockWithRank checkTimers "
	"checkTimersNoP checkRunqsNoP checkIdleGCNoP pidleget pidlegetSpinning pidleput acquirep releasep "
	"exitsyscall0 exitsyscallfast exitsyscallfast_pidle entersyscall_sysmon injectglist systemstack "
	"asmcgocall forEachP forEachPInternal runSafePointFn stopTheWorld stopTheWorldGC stopTheWorldWithSema "
	"startTheWorld startTheWorldGC startTheWorldWithSema suspendG resumeG bgsweep bgscavenge sweepone "
	"deductSweepCredit markroot markrootBlock markrootSpans markrootFreeGStacks scanobject scanObject "
	"scanblock scanstack scanframeworker scanConservative scanSpan scanObjectsSmall greyobject findObject "
	"shade spanOfHeap tryDeferToSpanScan wbBufFlush wbBufFlush1 getempty putempty putfull trygetfull handoff";

/* Prefixes of methods of that package. */
static const char go_sched_gc_start[] =
	"gc (*gcWork). (*gcControllerState). (*gcCPULimiterState). (*lfstack). (*spanQueue). (*sweepLocked). "
	"(*sweepLocker). (*activeSweep). (*scavengeIndex). (*scavengerState). (*pageAlloc).scavenge (*workbuf). "
	"(*limiterEvent). (*randomEnum). (*timers).check (*mLockProfile).";

/* Prefixes of names in other schedulers and collectors: starts of threads, since the scheduler decides which thread does the
   work; V8, HotSpot, .NET, CPython, Ruby, glibc and the kernel. */
static const char sched_gc_start[] =
	"start_thread __libc_start_ clone3 (idle) v8::internal::Scavenge v8::internal::MarkCompact "
	"v8::internal::Sweeper "
	"v8::internal::ConcurrentMarking v8::internal::MinorMarkSweep v8::internal::IncrementalMarking "
	"v8::internal::Heap::CollectGarbage v8::internal::Heap::PerformGarbageCollection v8::internal::GCTracer "
	"G1Par G1Conc G1Collect G1Young G1Rem G1Clear G1Full G1Root G1Evac ParallelScavenge PSParallelCompact "
	"PSPromotionManager ParMarkBitMap GCTaskThread WorkerThread::run "
	"SafepointSynchronize ZMark ZRelocate ZDirector ShenandoahConcurrent WKS::gc_heap SVR::gc_heap "
	"gc_collect_main gc_collect_region gc_collect_young gc_collect_increment gc_collect_full "
	"deduce_unreachable subtract_refs update_refs take_gil drop_gil rgengc_ gc_marks gc_sweep gc_start "
	"gc_mark_ objspace_ __futex_abstimed __GI___futex_abstimed __lll_lock_ __GI___lll_lock_ __pthread_cond_ "
	"___pthread_cond_ __schedule finish_task_switch do_idle cpu_startup_entry futex_wait futex_wake do_futex "
	"__x64_sys_futex __arm64_sys_futex __x64_sys_sched_yield do_epoll_wait ep_poll do_nanosleep "
	"hrtimer_nanosleep pick_next_task pick_next_entity try_to_wake_up ttwu_ enqueue_task dequeue_task "
	"load_balance sched_balance_ newidle_balance";

/* Parts of source paths. */
static const char *const runtime_path[] = { "/glibc-", "/musl-", "/sysdeps/", "/build/linux-", "[kernel" };

/* Prefixes of source paths of glibc in distributions. */
static const char *const runtime_path_start[] = {
	"./malloc/", "./nptl/", "./string/", "./elf/", "./csu/", "../sysdeps/"
};

/* Parts of the source paths of installed packages. */
static const char *const installed[] = {
	"/pkg/mod/",       "@v",      "/vendor/",          "/node_modules/", "/site-packages/",
	"/dist-packages/", "/rustc/", "/.cargo/registry/", "/lib/python",    "/gems/",
};

/* Prefixes of source paths of the system. */
static const char *const system_path[] = {
	"/usr/include/", "/usr/lib", "/usr/share/", "/usr/local/lib", "/usr/local/include/",
	"/lib/",         "/lib64/",  "../sysdeps/", "node:",          "<",
};

/* Prefixes of names in standard and other well-known libraries. */
static const char *const library_name_start[] = {
	"std::",   "core::",     "alloc::",    "<std::", "<core::", "<alloc::", "__gnu_cxx::", "absl::",
	"boost::", "tcmalloc::", "java.",      "javax.", "jdk.",    "sun.",     "scala.",      "kotlin.",
	"[",       "__libc_",    "__pthread_", "_dl_",   "node::",  "v8::",
};

/* First part of the import path of Go's standard packages. */
static const char *const go_package[] = {
	"archive", "bufio",   "bytes",    "cmp",      "compress", "container", "context", "crypto",  "database",
	"debug",   "embed",   "encoding", "errors",   "expvar",   "flag",      "fmt",     "go",      "hash",
	"html",    "image",   "index",    "internal", "io",       "iter",      "log",     "maps",    "math",
	"mime",    "net",     "os",       "path",     "plugin",   "reflect",   "regexp",  "runtime", "slices",
	"sort",    "strconv", "strings",  "structs",  "sync",     "syscall",   "testing", "text",    "time",
	"unicode", "unique",  "unsafe",   "vendor",   "weak",
};

static bool starts_with_any(const char *text, const char *const *prefix, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (starts_with(text, prefix[i]))
			return true;
	return false;
}

static bool runtime_names_has_any(const char *text, const char *const *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(text, part[i]))
			return true;
	return false;
}

/* Is it a function of Go's standard library: net/http.(*conn).serve, but not net.example.com/shop.Serve? */
static bool is_go_library(const char *name)
{
	size_t whole = strcspn(name, "(["), n = strcspn(name, "/");

	if (n >= whole)
		n = strcspn(name, ".");
	if (n >= whole)
		return false;
	for (size_t i = 0; i < COUNT(go_package); i++)
		if (strlen(go_package[i]) == n && memcmp(name, go_package[i], n) == 0)
			return true;
	return false;
}

bool function_is_runtime(const char *name, const char *file)
{
	for (size_t i = 0; i < COUNT(runtime_whole); i++)
		if (strcmp(name, runtime_whole[i]) == 0)
			return true;
	return starts_with_any(name, runtime_name_start, COUNT(runtime_name_start)) ||
	       runtime_names_has_any(file, runtime_path, COUNT(runtime_path)) ||
	       starts_with_any(file, runtime_path_start, COUNT(runtime_path_start));
}

/* Is the text one of the words of a list, which are separated by spaces? With prefix: does it start with one? */
static bool runtime_names_has_word(const char *list, const char *text, size_t n, bool prefix)
{
	for (size_t len; *list; list += len + (list[len] == ' ')) {
		len = strcspn(list, " ");
		if ((prefix ? n >= len : n == len) && memcmp(text, list, len) == 0)
			return true;
	}
	return false;
}

/* Is it a function of Go's scheduler or garbage collector: runtime.schedule, runtime.(*gcWork).balance, runtime.gcDrain.func1? */
static bool is_go_sched_gc(const char *name)
{
	const char *own = name + strlen("runtime.");

	if (!starts_with(name, "runtime.") || starts_with(own, "gcWriteBarrier"))
		return false;
	return runtime_names_has_word(go_sched_gc_start, own, strlen(own), true) ||
	       runtime_names_has_word(go_sched_gc, own, strcspn(own, ".["), false);
}

bool function_is_scheduler_or_gc(const char *name, const char *file)
{
	if (is_go_sched_gc(name) || strcmp(name, "(garbage collector)") == 0)
		return true;
	return (function_is_runtime(name, file) || !function_is_own(name, file)) &&
	       runtime_names_has_word(sched_gc_start, name, strlen(name), true);
}

bool function_is_own(const char *name, const char *file)
{
	bool is_go = ends_with(file, ".go") || ends_with(file, ".s");

	if (runtime_names_has_any(file, installed, COUNT(installed)) ||
	    starts_with_any(name, library_name_start, COUNT(library_name_start)))
		return false;
	if (is_go || !*file)
		return !is_go_library(name) && (is_go || strpbrk(name, ".:/"));
	return !starts_with_any(file, system_path, COUNT(system_path));
}
