/*
 * test_doctor.c - rules of cpa doctor: each reports its fault, and is silent just below its threshold
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/time.h"
#include "doctor/doctor.h"
#include "doctor/frames.h"
#include "make_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MIB (1 << 20)

enum { CAPTURES = 3 };

/* Evidence under construction. */
struct patient {
	struct doctor_capture capture[CAPTURES];
	struct stacks stacks[CAPTURES];
	struct buf text[CAPTURES]; /* of the stacks, which borrow it */
	struct profile *profile[16];
	size_t n_profiles;
	struct doctor_evidence e;
	struct doctor_result result;
};

static const char *const directories[CAPTURES] = { "d", "d/2", "d/3" };

/* Captures 10 s apart. */
static void begin(struct patient *p, enum doctor_runbook runbook, size_t n)
{
	*p = (struct patient){ 0 };
	for (size_t i = 0; i < n; i++)
		p->capture[i] = (struct doctor_capture){ .directory = directories[i],
							 .time_ns = (int64_t)(1000 + 10 * i) * NS_PER_S,
							 .rss_bytes = -1 };
	p->e = (struct doctor_evidence){
		.runbook = runbook, .target = "shop:6060", .directory = "d", .capture = p->capture, .n = n
	};
}

static void end(struct patient *p)
{
	doctor_release(&p->result);
	for (size_t i = 0; i < p->n_profiles; i++)
		profile_free(p->profile[i]);
	for (size_t i = 0; i < CAPTURES; i++) {
		stacks_release(&p->stacks[i]);
		buf_release(&p->text[i]);
	}
}

/* A stack and its value: percent of the CPU time, bytes and so on. */
struct sample {
	const char *stack;
	int64_t value;
};

static struct profile *add_profile(struct patient *p, const char *types, const struct sample *sample, int64_t factor)
{
	struct make m = make_start(types);
	bool has_two = strchr(types, ' ') != NULL;

	make_map(&m, "/srv/shop");
	for (; sample->stack; sample++)
		if (has_two)
			ROW(&m, sample->stack, sample->value, sample->value * factor);
		else
			ROW(&m, sample->stack, sample->value * factor);
	p->profile[p->n_profiles] = make_end(&m);
	return p->profile[p->n_profiles++];
}

/* CPU time in hundredths of a second, captured for 2 s. */
static void add_cpu(struct patient *p, const struct sample *sample)
{
	struct profile *cpu = add_profile(p, "samples/count cpu/nanoseconds", sample, NS_PER_S / 100);

	cpu->meta.duration_ns = 2 * NS_PER_S;
	p->capture[0].cpu = cpu;
}

static void add_heap(struct patient *p, size_t capture, const struct sample *sample)
{
	struct profile *heap = add_profile(p, "inuse_space/bytes", sample, MIB);

	heap->meta.period = MIB / 2;
	p->capture[capture].heap = heap;
}

static void add_stacks(struct patient *p, size_t capture, const char *text)
{
	struct err err;

	assert_int_equal(stacks_parse(text, strlen(text), &p->stacks[capture], &err), 0);
	p->capture[capture].stacks = &p->stacks[capture];
	p->capture[capture].stacks_file = "goroutine.txt";
}

/* n goroutines in a state, whose numbers begin at first. */
static void add_goroutines(struct buf *text, unsigned first, unsigned n, const char *state, const char *leaf)
{
	for (unsigned i = 0; i < n; i++)
		buf_addf(text,
			 "goroutine %u [%s]:\n%s\n\t/src/shop.go:12 +0x1d\ncreated by main.start in goroutine 1\n"
			 "\t/src/shop.go:3 +0x45\n\n",
			 first + i, state, leaf);
}

static const struct doctor_finding *find(struct patient *p, const char *rule)
{
	if (!p->result.memory)
		doctor_examine(&p->e, &p->result);
	for (size_t i = 0; i < p->result.n; i++)
		if (strcmp(p->result.finding[i].rule, rule) == 0)
			return &p->result.finding[i];
	return NULL;
}

static void expect(struct patient *p, const char *rule, const char *sentence, const char *command)
{
	const struct doctor_finding *f = find(p, rule);

	assert_non_null(f);
	assert_string_equal(f->sentence, sentence);
	assert_string_equal(f->command, command);
}

static void expect_no_finding(struct patient *p)
{
	find(p, "");
	if (p->result.n_findings)
		print_error("unexpected: %s\n", p->result.finding[0].sentence);
	assert_int_equal(p->result.n_findings, 0);
}

/* --- slow --- */

static void one_function_with_half_of_the_time_is_hot(void **state)
{
	static const struct sample hot[] = { { "main.parse;main.main", 50 }, { "main.render;main.main", 50 }, { 0 } };
	static const struct sample spread[] = {
		{ "main.parse;main.main", 49 }, { "main.render;main.main", 26 }, { "main.sort;main.main", 25 }, { 0 }
	};
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_SLOW, 1);
	add_cpu(&p, hot);
	expect(&p, "hot_function",
	       "50 % of the CPU time (500ms of 1s, 0.50 processors in use) is in one function, main.parse (called by "
	       "main.main).",
	       "cpa flame -o cpu.svg d/cpu.pb.gz");
	end(&p);
	begin(&p, DOCTOR_SLOW, 1);
	add_cpu(&p, spread);
	expect_no_finding(&p);
	expect(&p, "cpu",
	       "The program used 1s of CPU time in 2s: 0.50 processors (100 samples). Program and libraries 100 %, "
	       "runtime 0.0 %, "
	       "garbage collection 0.0 %, allocation 0.0 %, system calls 0.0 %, locks 0.0 %, giving up the processor "
	       "0.0 %.",
	       "cpa top d/cpu.pb.gz");
	end(&p);
}

static void few_samples_have_no_shares(void **state)
{
	static const struct sample few[] = { { "main.parse;main.main", 49 }, { 0 } };
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_SLOW, 1);
	add_cpu(&p, few);
	expect_no_finding(&p);
	expect(&p, "few_samples",
	       "The program used 490ms of CPU time in 2s, 49 samples: too few for shares. It waited, or had nothing to "
	       "do.",
	       "cpa top d/cpu.pb.gz");
	end(&p);
}

/* Time of a kind beside 40, 30 of two functions: reported with part, and not with part - 1 of 100. */
static void check_kind(const char *rule, const char *stack, int64_t part)
{
	for (int64_t n = part; n >= part - 1; n--) {
		struct sample s[] = {
			{ stack, n }, { "main.a", (100 - n) / 2 }, { "main.b", 100 - n - (100 - n) / 2 }, { 0 }
		};
		struct patient p;

		begin(&p, DOCTOR_SLOW, 1);
		add_cpu(&p, s);
		if (n == part)
			assert_non_null(find(&p, rule));
		else
			assert_null(find(&p, rule));
		assert_int_equal(p.result.n_findings, n == part);
		end(&p);
	}
}

static void kinds_of_work_are_reported_from_their_share_on(void **state)
{
	(void)state;
	check_kind("garbage_collection", "runtime.scanobject;runtime.gcDrain;runtime.gcBgMarkWorker", 20);
	check_kind("garbage_collection", "runtime.gcAssistAlloc;runtime.mallocgc;main.parse", 20);
	check_kind("allocation", "runtime.nextFreeFast;runtime.mallocgc;runtime.newobject;main.parse", 15);
	check_kind("allocation", "_int_malloc;malloc;operator new(unsigned long);parse", 15);
	check_kind("spinning", "sched_yield;spin", 15);
	check_kind("locks", "runtime.procyield;sync.(*Mutex).lockSlow;main.parse", 15);
	check_kind("locks", "__lll_lock_wait;pthread_mutex_lock;parse", 15);
	check_kind("system_calls",
		   "internal/runtime/syscall/linux.Syscall6;syscall.Write;internal/poll.(*FD).Write;main.parse", 30);
	check_kind("system_calls", "write;parse", 30);
}

/* The scheduler of Go has no caller; the collector gives up the processor too. */
static void gosched_counts_if_the_program_calls_it(void **state)
{
	static const struct sample s[] = {
		{ "runtime.schedule;runtime.gosched_m;runtime.mcall", 60 }, { "main.a", 20 }, { "main.b", 20 }, { 0 }
	};
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_SLOW, 1);
	add_cpu(&p, s);
	expect_no_finding(&p);
	end(&p);
	begin(&p, DOCTOR_SLOW, 1);
	add_cpu(&p, s);
	add_stacks(&p, 0,
		   "goroutine 7 [runnable]:\nruntime.Gosched(...)\n\t/go/proc.go:1\nmain.lock()\n\t/src/a.go:9 +0x1\n");
	expect(&p, "spinning",
	       "60 % of the CPU time (600ms of 1s) is spent giving up the processor and trying again (sched_yield, "
	       "Gosched, spin "
	       "locks), called by main.lock: threads wait for each other without sleeping.",
	       "cpa top -cum d/cpu.pb.gz");
	end(&p);
}

static void allocating_functions_come_from_the_profile_of_allocations(void **state)
{
	static const struct sample s[] = {
		{ "runtime.mallocgc;main.parse;main.main", 15 }, { "main.a", 43 }, { "main.b", 42 }, { 0 }
	};
	static const struct sample allocs[] = { { "main.parse;main.main", 3 }, { "main.render;main.main", 1 }, { 0 } };
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_SLOW, 2);
	add_cpu(&p, s);
	p.capture[0].allocs = add_profile(&p, "alloc_objects/count", allocs, 1);
	p.capture[1].allocs = add_profile(&p, "alloc_objects/count", allocs, 2);
	expect(&p, "allocation",
	       "Allocating and freeing memory takes 15 % of the CPU time (150ms of 1s); 100 % of it for main.parse "
	       "(called by "
	       "main.main). Since the start of the program, main.parse (called by main.main) allocated 75 % of the "
	       "objects.",
	       "cpa top -sample_index=alloc_objects -base=d/allocs.pb.gz d/2/allocs.pb.gz");
	end(&p);
}

/* One goroutine of the server, and n in a state, in each of three captures. Their numbers begin at 20 + shift * capture. */
static void add_waits(struct patient *p, const unsigned n[CAPTURES], unsigned shift, const char *state,
		      const char *leaf)
{
	for (size_t i = 0; i < CAPTURES; i++) {
		add_goroutines(&p->text[i], 1, 1, "IO wait", "net.(*netFD).accept(0x1)");
		add_goroutines(&p->text[i], 20 + shift * (unsigned)i, n[i], state, leaf);
		add_stacks(p, i, buf_text(&p->text[i]));
	}
}

/* Is a rule reported for waits of a state? */
static bool reports(enum doctor_runbook runbook, const char *rule, const unsigned n[CAPTURES], unsigned shift,
		    const char *state, const char *leaf)
{
	struct patient p;
	bool is_reported;

	begin(&p, runbook, CAPTURES);
	add_waits(&p, n, shift, state, leaf);
	is_reported = find(&p, rule) != NULL;
	assert_int_equal(p.result.n_findings, is_reported);
	end(&p);
	return is_reported;
}

static void two_waiting_for_a_lock_are_a_queue(void **state)
{
	static const unsigned two[] = { 2, 2, 2 }, fewer[] = { 2, 2, 1 }, once[] = { 6, 0, 0 };
	struct patient p;
	(void)state;

	assert_true(reports(DOCTOR_SLOW, "lock_wait", two, 0, "sync.Mutex.Lock", "main.take(0x1)"));
	assert_false(reports(DOCTOR_SLOW, "lock_wait", fewer, 0, "sync.Mutex.Lock", "main.take(0x1)"));
	assert_false(reports(DOCTOR_SLOW, "lock_wait", once, 0, "sync.Mutex.Lock", "main.take(0x1)"));
	begin(&p, DOCTOR_THREADS, CAPTURES);
	add_waits(&p, two, 0, "sync.Mutex.Lock", "main.take(0x1)");
	expect(&p, "lock_wait",
	       "2 of 3 goroutines wait for a lock on average (3 captures), most in main.take (shop.go:12), 2 of them "
	       "in all captures "
	       "within 20s. Go does not record the holder of a lock: it is not among those that wait.",
	       "cpa threads d/3/goroutine.txt");
	end(&p);
}

static void others_in_the_function_of_a_lock_are_counted(void **state)
{
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_THREADS, 1);
	add_goroutines(&p.text[0], 1, 2, "sync.Mutex.Lock", "main.take(0x1)");
	add_goroutines(&p.text[0], 9, 1, "sleep", "time.Sleep(0x1)\n\t/go/time.go:1\nmain.take(0x1)");
	add_stacks(&p, 0, buf_text(&p.text[0]));
	expect(&p, "lock_wait",
	       "2 of 3 goroutines wait for a lock on average (1 capture), most in main.take (shop.go:12). The holder "
	       "is not recorded; "
	       "1 more is in this function, in sleep.",
	       "cpa threads d/goroutine.txt");
	end(&p);
}

static void the_holder_of_a_lock_is_named_if_it_is_known(void **state)
{
	static const char dump[] =
		"thread 7 \"shop\" [futex, cpu 0.0s]:\npthread_mutex_lock(...)\n\t/lib/libc.so.6:0 +0x1\n"
		"_ZL4takev(...)\n\t/srv/shop:0 +0x1\n\nthread 8 \"shop\" [futex, cpu 0.0s]:\n"
		"pthread_mutex_lock(...)\n\t/lib/libc.so.6:0 +0x1\n_ZL4takev(...)\n\t/srv/shop:0 +0x1\n";
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_SLOW, 1);
	add_stacks(&p, 0, dump);
	p.e.lock_holder = "\"shop\" 9";
	expect(&p, "lock_wait",
	       "2 of 2 threads wait for a lock on average (1 capture), most in take. The lock was held by \"shop\" 9.",
	       "cpa threads d/goroutine.txt");
	end(&p);
}

static void threads_that_wait_for_the_disk_are_reported(void **state)
{
	static const unsigned one[] = { 1, 1, 1 }, sometimes[] = { 2, 1, 0 };
	static const char sync[] = "syscall.Fsync(0x3)\n\t/go/sys.go:1\ninternal/poll.(*FD).Fsync(0x1)\n\t/go/fd.go:1\n"
				   "os.(*File).Sync(0x1)\n\t/go/file.go:1\nmain.write(0x1)";
	struct patient p;
	(void)state;

	/* Go shows a goroutine in a system call as runnable when it has stopped the program for the dump */
	assert_true(reports(DOCTOR_SLOW, "disk_wait", one, 0, "runnable", sync));
	assert_false(reports(DOCTOR_SLOW, "disk_wait", sometimes, 0, "syscall", sync));
	begin(&p, DOCTOR_SLOW, CAPTURES);
	add_waits(&p, one, 0, "syscall", sync);
	expect(&p, "disk_wait",
	       "On average 1 goroutine (3 captures) write to a file or wait until its data is on the disk; most in "
	       "main.write "
	       "(shop.go:12).",
	       "cpa threads d/3/goroutine.txt");
	end(&p);
}

static void a_sender_that_stays_is_blocked(void **state)
{
	static const unsigned one[] = { 1, 1, 1 }, late[] = { 0, 1, 1 };
	struct patient p;
	(void)state;

	assert_true(reports(DOCTOR_SLOW, "blocked_send", one, 0, "chan send", "main.put(0x1)"));
	assert_false(reports(DOCTOR_SLOW, "blocked_send", one, 5, "chan send", "main.put(0x1)"));
	assert_false(reports(DOCTOR_THREADS, "blocked_send", late, 0, "chan send", "main.put(0x1)"));
	assert_true(reports(DOCTOR_THREADS, "blocked_send", late, 0, "chan send, 3 minutes", "main.put(0x1)"));
	begin(&p, DOCTOR_THREADS, CAPTURES);
	add_waits(&p, late, 0, "chan send, 3 minutes", "main.put(0x1)");
	expect(&p, "blocked_send",
	       "1 of 2 goroutines are blocked in chan send, most in main.put (shop.go:12), the longest for at least "
	       "180s. They wait "
	       "for a receiver: find the code that should receive from this channel, and why it stopped or is too "
	       "slow.",
	       "cpa threads d/3/goroutine.txt");
	end(&p);
}

static void a_pool_of_idle_workers_is_not_blocked(void **state)
{
	static const unsigned many[] = { 100, 100, 100 }, pool[] = { 99, 99, 99 };
	(void)state;

	assert_true(reports(DOCTOR_THREADS, "blocked_receive", many, 0, "chan receive", "main.worker(0x1)"));
	assert_false(reports(DOCTOR_THREADS, "blocked_receive", pool, 0, "chan receive", "main.worker(0x1)"));
}

static void a_nil_channel_blocks_forever_but_main_may_select_nothing(void **state)
{
	static const unsigned one[] = { 1, 1, 1 };
	static const char main_only[] = "goroutine 1 [select (no cases)]:\nmain.main()\n\t/src/shop.go:9 +0x1\n";
	struct patient p;
	(void)state;

	assert_true(reports(DOCTOR_THREADS, "blocked_forever", one, 0, "chan receive (nil chan)", "main.worker(0x1)"));
	begin(&p, DOCTOR_THREADS, 1);
	add_stacks(&p, 0, main_only);
	expect_no_finding(&p);
	end(&p);
}

static void threads_that_grow_in_every_step_are_reported(void **state)
{
	static const unsigned grows[] = { 10, 15, 20 }, less[] = { 10, 15, 19 }, once[] = { 10, 30, 20 },
			      large[] = { 300, 310, 320 };
	struct patient p;
	(void)state;

	assert_true(reports(DOCTOR_THREADS, "thread_growth", grows, 100, "select", "main.wait(0x1)"));
	assert_false(reports(DOCTOR_THREADS, "thread_growth", less, 100, "select", "main.wait(0x1)"));
	assert_false(reports(DOCTOR_THREADS, "thread_growth", once, 100, "select", "main.wait(0x1)"));
	assert_false(reports(DOCTOR_MEMORY, "thread_growth", large, 1000, "select", "main.wait(0x1)"));
	begin(&p, DOCTOR_MEMORY, CAPTURES);
	add_waits(&p, grows, 100, "select", "main.wait(0x1)");
	expect(&p, "thread_growth",
	       "The number of goroutines grew from 11 to 21 in 20s (1800 per hour). 10 more are in select in main.wait "
	       "(shop.go:12), created by main.start; objects on their stacks are retained.",
	       "cpa threads d/3/goroutine.txt");
	end(&p);
}

static void leaked_goroutines_come_from_their_profile(void **state)
{
	static const struct sample leaks[] = { { "runtime.gopark;runtime.chansend;main.put;main.start", 3 },
					       { "runtime.gopark;main.get", 1 },
					       { 0 } },
				   none[] = { { 0 } };
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_THREADS, 1);
	p.capture[0].leaks = add_profile(&p, "goroutineleak/count", leaks, 1);
	expect(&p, "leaked",
	       "Go's garbage collector found 4 goroutines that nothing can wake; 3 of them in main.put (called by "
	       "main.start).",
	       "cpa top d/goroutineleak.pb.gz");
	end(&p);
	begin(&p, DOCTOR_THREADS, 1);
	p.capture[0].leaks = add_profile(&p, "goroutineleak/count", none, 1);
	expect_no_finding(&p);
	end(&p);
}

static void profiling_itself_is_not_part_of_the_program(void **state)
{
	static const unsigned n[] = { 1, 12, 40 };
	(void)state;

	assert_false(reports(DOCTOR_THREADS, "thread_growth", n, 100, "select",
			     "main.x(0x1)\n\t/src/x.go:1\nnet/http/pprof.Profile(0x1)"));
	assert_false(
		reports(DOCTOR_THREADS, "thread_growth", n, 100, "runnable", "net/http.(*Server).Serve.gowrap3()"));
}

/* --- memory --- */

static void add_heaps(struct patient *p, const int64_t keep[CAPTURES])
{
	for (size_t i = 0; i < CAPTURES; i++) {
		const struct sample heap[] = { { "runtime.mallocgc;main.keep;main.main", keep[i] },
					       { "runtime.mallocgc;main.load;main.main", 20 },
					       { 0 } };

		add_heap(p, i, heap);
	}
}

static bool heap_reports(const int64_t keep[CAPTURES])
{
	struct patient p;
	bool is_reported;

	begin(&p, DOCTOR_MEMORY, CAPTURES);
	add_heaps(&p, keep);
	is_reported = find(&p, "heap_growth") != NULL;
	assert_int_equal(p.result.n_findings, is_reported);
	end(&p);
	return is_reported;
}

static void a_heap_that_grows_in_every_step_is_reported(void **state)
{
	static const int64_t grows[] = { 10, 14, 18 }, less[] = { 10, 14, 17 }, once[] = { 10, 30, 30 },
			     falls[] = { 10, 40, 30 }, large[] = { 180, 184, 189 };
	struct patient p;
	(void)state;

	assert_false(heap_reports(less)); /* 14 samples */
	assert_false(heap_reports(once));
	assert_false(heap_reports(falls));
	assert_false(heap_reports(large)); /* below 5 % */
	begin(&p, DOCTOR_MEMORY, CAPTURES);
	add_heaps(&p, grows);
	expect(&p, "heap_growth",
	       "The heap grew from 30MB to 38MB in 20s, 1.41GB per hour, in every step. main.keep (called by "
	       "main.main) accounts for "
	       "8MB of it.",
	       "cpa diff -sample_index=inuse_space d/heap.pb.gz d/3/heap.pb.gz");
	expect(&p, "no_resident",
	       "Resident memory is not known: the process is not on this machine, and the server has no /metrics with "
	       "process_resident_memory_bytes.",
	       "");
	end(&p);
}

static void memory_outside_the_heap_is_stated(void **state)
{
	static const int64_t same[] = { 10, 10, 10 };
	(void)state;

	for (int64_t n = 32; n >= 31; n--) {
		struct patient p;

		begin(&p, DOCTOR_MEMORY, CAPTURES);
		add_heaps(&p, same);
		for (size_t i = 0; i < CAPTURES; i++)
			p.capture[i].rss_bytes = (int64_t)(100 + (i == 2 ? n : 0)) * MIB;
		if (n == 31)
			expect_no_finding(&p);
		else
			expect(&p, "outside_heap",
			       "Resident memory grew by 32MB, the heap by 0. The remaining 32MB is not in the heap "
			       "profile: freed "
			       "memory that the allocator keeps, stacks, mapped files, or memory that C code "
			       "allocated; which of "
			       "them cannot be determined.",
			       "cpa diff -sample_index=inuse_space d/heap.pb.gz d/3/heap.pb.gz");
		expect(&p, "resident",
		       n == 32 ? "Resident memory was 100MB first and 132MB last; 102MB of it is not objects of the "
				 "heap profile."
			       : "Resident memory was 100MB first and 131MB last; 101MB of it is not objects of the "
				 "heap profile.",
		       "");
		end(&p);
	}
}

static void one_heap_profile_cannot_show_growth(void **state)
{
	static const struct sample heap[] = { { "main.keep", 100 }, { 0 } };
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_MEMORY, 1);
	add_heap(&p, 0, heap);
	expect_no_finding(&p);
	expect(&p, "heap", "The heap had 100MB; a sample represents 512kB.",
	       "cpa top -sample_index=inuse_space d/heap.pb.gz");
	expect(&p, "one_capture", "There is one heap profile, so growth cannot be determined.", "");
	end(&p);
}

/* --- comparisons, statements and output --- */

static void a_fail_of_the_gate_is_a_finding_and_a_pass_a_note(void **state)
{
	static const struct doctor_comparison fail = { "old.pb.gz", "cpa gate -base=old.pb.gz d/cpu.pb.gz", "FAIL",
						       "main.parse +41 % (12 % to 16 % of the total)" },
					      pass = { "old.pb.gz", "cpa gate", "PASS", "" },
					      none = { "old.pb.gz", "", NULL, "no such file" };
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_SLOW, 1);
	p.e.comparison = &fail;
	p.e.n_comparisons = 1;
	expect(&p, "regression",
	       "Slower than old.pb.gz, by the verdict FAIL of cpa gate: main.parse +41 % (12 % to 16 % of the total)",
	       "cpa gate -base=old.pb.gz d/cpu.pb.gz");
	end(&p);
	begin(&p, DOCTOR_SLOW, 1);
	p.e.comparison = &pass;
	p.e.n_comparisons = 1;
	expect_no_finding(&p);
	expect(&p, "comparison", "Compared with old.pb.gz: PASS", "cpa gate");
	end(&p);
	begin(&p, DOCTOR_SLOW, 1);
	p.e.comparison = &none;
	p.e.n_comparisons = 1;
	expect_no_finding(&p);
	expect(&p, "no_comparison", "Not compared with old.pb.gz: no such file", "");
	end(&p);
}

static void output_has_no_control_characters_or_markdown_of_names(void **state)
{
	static const struct sample hot[] = { { "a\033[31m*b*<c>", 100 }, { 0 } };
	static const char *const missing[] = { "heap.pb.gz could not be captured: status 500" };
	struct buf text = { 0 }, markdown = { 0 }, json = { 0 };
	struct patient p;
	(void)state;

	begin(&p, DOCTOR_SLOW, 1);
	add_cpu(&p, hot);
	p.e.missing = missing;
	p.e.n_missing = 1;
	expect(&p, "missing", missing[0], "");
	doctor_add_text(&p.e, &p.result, &text);
	doctor_add_markdown(&p.e, &p.result, &markdown);
	doctor_add_json(&p.e, &p.result, &json);
	assert_null(strchr(buf_text(&text), '\033'));
	assert_non_null(strstr(buf_text(&text),
			       "slow of shop:6060: 1 finding\n\n* 100 % of the CPU time (1s of 1s, 0.50 processors"));
	assert_non_null(
		strstr(buf_text(&text), "\n    cpa flame -o cpu.svg d/cpu.pb.gz\n\nMeasurements\n  The program"));
	assert_null(strchr(buf_text(&markdown), '\033'));
	assert_non_null(strstr(buf_text(&markdown), "\\*b\\*\\<c\\>"));
	assert_non_null(strstr(buf_text(&markdown), "  `cpa flame -o cpu.svg d/cpu.pb.gz`\n"));
	assert_non_null(strstr(buf_text(&json), "\"key\": \"share\""));
	buf_release(&text);
	buf_release(&markdown);
	buf_release(&json);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_function_with_half_of_the_time_is_hot),
		cmocka_unit_test(few_samples_have_no_shares),
		cmocka_unit_test(kinds_of_work_are_reported_from_their_share_on),
		cmocka_unit_test(gosched_counts_if_the_program_calls_it),
		cmocka_unit_test(allocating_functions_come_from_the_profile_of_allocations),
		cmocka_unit_test(two_waiting_for_a_lock_are_a_queue),
		cmocka_unit_test(others_in_the_function_of_a_lock_are_counted),
		cmocka_unit_test(the_holder_of_a_lock_is_named_if_it_is_known),
		cmocka_unit_test(threads_that_wait_for_the_disk_are_reported),
		cmocka_unit_test(a_sender_that_stays_is_blocked),
		cmocka_unit_test(a_pool_of_idle_workers_is_not_blocked),
		cmocka_unit_test(a_nil_channel_blocks_forever_but_main_may_select_nothing),
		cmocka_unit_test(threads_that_grow_in_every_step_are_reported),
		cmocka_unit_test(leaked_goroutines_come_from_their_profile),
		cmocka_unit_test(profiling_itself_is_not_part_of_the_program),
		cmocka_unit_test(a_heap_that_grows_in_every_step_is_reported),
		cmocka_unit_test(memory_outside_the_heap_is_stated),
		cmocka_unit_test(one_heap_profile_cannot_show_growth),
		cmocka_unit_test(a_fail_of_the_gate_is_a_finding_and_a_pass_a_note),
		cmocka_unit_test(output_has_no_control_characters_or_markdown_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
