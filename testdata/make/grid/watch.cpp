// SPDX-License-Identifier: Apache-2.0
// watch.cpp - waits and stacks, measured by the program itself.
#include "watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <execinfo.h>
#include <map>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

namespace watch {

using clock = std::chrono::steady_clock;

bool Stack::operator<(const Stack &o) const
{
	return std::lexicographical_compare(pc, pc + n, o.pc, o.pc + o.n);
}

namespace {

struct Wait { uint64_t cycles = 0, count = 0; };

struct {
	std::mutex m;
	std::map<Stack, Wait> by_stack;
	int period = 1;
	uint64_t seen = 0, discarded = 0;
	uint64_t cycles0 = __rdtsc();
	clock::time_point time0 = clock::now();
} waits;

constexpr size_t MAX_STACKS = 64; // further waits are counted as discarded

__attribute__((noinline)) void keep_wait(uint64_t cycles)
{
	Stack s;
	s.n = backtrace(s.pc, MAX_DEPTH);
	// frame 0 is this function; it is left out, as in samplers
	std::memmove(s.pc, s.pc + 1, --s.n * sizeof(s.pc[0]));
	std::lock_guard<std::mutex> hold(waits.m);
	if (waits.seen++ % waits.period != 0)
		return;
	if (waits.by_stack.size() == MAX_STACKS && !waits.by_stack.count(s)) {
		waits.discarded++;
		return;
	}
	Wait &w = waits.by_stack[s];
	w.cycles += cycles;
	w.count++;
}

void write_maps(FILE *out)
{
	FILE *in = fopen("/proc/self/maps", "r");
	char line[4096];

	while (fgets(line, sizeof(line), in))
		fputs(line, out);
	fclose(in);
}

} // namespace

void Mutex::lock()
{
	if (m_.try_lock())
		return;
	uint64_t t = __rdtsc();
	m_.lock();
	keep_wait(__rdtsc() - t);
}

void contention_reset(int period)
{
	std::lock_guard<std::mutex> hold(waits.m);
	waits.by_stack.clear();
	waits.period = period;
	waits.seen = waits.discarded = 0;
	waits.cycles0 = __rdtsc();
	waits.time0 = clock::now();
}

void contention_write(FILE *out, const char *head)
{
	std::lock_guard<std::mutex> hold(waits.m);
	double sec = std::chrono::duration<double>(clock::now() - waits.time0).count();

	fprintf(out, "%s\ncycles/second = %.0f\nsampling period = %d\nms since reset = %.0f\ndiscarded samples = %llu\n",
		head, (__rdtsc() - waits.cycles0) / sec, waits.period, sec * 1e3, (unsigned long long)waits.discarded);
	for (auto &[stack, w] : waits.by_stack) {
		fprintf(out, "%10llu %8llu @", (unsigned long long)w.cycles, (unsigned long long)w.count);
		for (int i = 0; i < stack.n; i++)
			fprintf(out, " %p", stack.pc[i]);
		fputc('\n', out);
	}
	fputs("--- Memory map: ---\n", out); // the only heading that pprof accepts after contention
	write_maps(out);
}

namespace {

struct Thread {
	std::string name;
	pthread_t self;
	pid_t tid;
	Stack stack;
	std::atomic<bool> ready{ false };
};

std::mutex threads_m;
std::vector<Thread *> threads;
thread_local Thread *me;

// Handler in the interrupted thread: it writes its own slot, which threadz_write reads once ready is set.
void on_ask(int)
{
	me->stack.n = backtrace(me->stack.pc, MAX_DEPTH);
	me->ready.store(true, std::memory_order_release);
}

} // namespace

void thread_register(const std::string &name)
{
	struct sigaction sa = {};

	me = new Thread{ name, pthread_self(), (pid_t)syscall(SYS_gettid), {}, {} };
	void *warm[1];
	backtrace(warm, 1); // loads the unwinder outside the handler
	sa.sa_handler = on_ask;
	sa.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &sa, nullptr);
	std::lock_guard<std::mutex> hold(threads_m);
	threads.push_back(me);
}

void thread_leave()
{
	std::lock_guard<std::mutex> hold(threads_m);
	threads.erase(std::find(threads.begin(), threads.end(), me));
}

void threadz_write(FILE *out)
{
	std::lock_guard<std::mutex> hold(threads_m);
	const Stack *before = nullptr;

	fputs("--- threadz 1 ---\n\n", out);
	for (Thread *t : threads) {
		t->ready = false;
		pthread_kill(t->self, SIGUSR1);
		while (!t->ready.load(std::memory_order_acquire))
			usleep(100);
		// frames 0 and 1 are the handler and the kernel's return from it
		Stack s;
		s.n = t->stack.n - 2;
		std::copy(t->stack.pc + 2, t->stack.pc + t->stack.n, s.pc);
		t->stack = s;
		fprintf(out, "--- Thread %lx (name: %s/%d) stack: ---\n", (unsigned long)t->self, t->name.c_str(), t->tid);
		if (before && !(*before < s) && !(s < *before))
			fputs("  [same as previous thread]\n", out);
		else
			for (int i = 0; i < s.n; i++)
				fprintf(out, i ? "      0x%016lx\n" : "  PC: 0x%016lx\n", (unsigned long)s.pc[i]);
		before = &t->stack;
	}
	fputs("--- Memory map: ---\n", out);
	write_maps(out);
}

} // namespace watch
