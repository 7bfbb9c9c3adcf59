// SPDX-License-Identifier: Apache-2.0
// main.cpp - moves heat through a grid while gperftools or watch.cpp measures.
// usage: grid cpu|heap|heap_v2|growth|contention|contentionz|threadz FILE
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <gperftools/heap-profiler.h>
#include <gperftools/malloc_extension.h>
#include <gperftools/profiler.h>
#include <string>
#include <thread>

#include "field.hpp"
#include "watch.hpp"

using namespace std::chrono_literals;

constexpr int SIDE = 64;
using Heat = grid::Field<float, SIDE>;
using Fine = grid::Field<double, SIDE>;

static volatile double sink;

template <typename F, typename T>
static double work(F &a, T rate, int rounds)
{
	F b;
	for (int x = 0; x < SIDE; x++)
		a.at(x, x) = x + 1;
	for (int i = 0; i < rounds; i++) {
		a.sweep(b, grid::solver::Diffuse<T>{ rate });
		std::swap(a, b);
	}
	double sum = grid::divide(a, 0, 0, SIDE)->sum;
	return sum + a.ranked().back();
}

// Plain recursion, deep and narrow.
__attribute__((noinline)) static long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void until(std::chrono::steady_clock::time_point end, int who)
{
	Heat coarse;
	Fine fine;

	while (std::chrono::steady_clock::now() < end)
		sink = who == 0 ? work(coarse, 0.2f, 40) : who == 1 ? work(fine, 0.15, 60) : (double)fib(24);
}

static void put(const char *file, const std::string &text)
{
	FILE *f = fopen(file, "w");
	fwrite(text.data(), 1, text.size(), f);
	fclose(f);
}

static void cpu(const char *file)
{
	ProfilerStart(file);
	std::vector<std::thread> pool;
	for (int who = 0; who < 3; who++)
		pool.emplace_back([who] {
			ProfilerRegisterThread();
			until(std::chrono::steady_clock::now() + 3s, who);
		});
	for (auto &t : pool)
		t.join();
	ProfilerStop();
}

// Memory that remains allocated: trees of several depths, rows of text, and a field per round.
struct Keep {
	std::vector<std::unique_ptr<grid::Tree>> trees;
	std::vector<std::string> rows;
	std::vector<std::unique_ptr<Fine>> fields;

	void grow(int rounds)
	{
		for (int i = 0; i < rounds; i++) {
			auto f = std::make_unique<Fine>();
			sink = work(*f, 0.1, 2);
			trees.push_back(grid::divide(*f, 0, 0, 8 << i % 3));
			rows.emplace_back(500 + i, 'r');
			if (i % 2)
				fields.push_back(std::move(f));
		}
	}
};

static void heap(const char *kind, const char *file)
{
	Keep keep;
	std::string text;

	if (!strcmp(kind, "heap")) {
		HeapProfilerStart(file);
		keep.grow(40);
		char *p = GetHeapProfile();
		text = p;
		free(p);
		HeapProfilerStop();
	} else {
		keep.grow(200);
		if (!strcmp(kind, "heap_v2"))
			MallocExtension::instance()->GetHeapSample(&text);
		else
			MallocExtension::instance()->GetHeapGrowthStacks(&text);
	}
	put(file, text);
}

static watch::Mutex door, gate;

static void busy(std::chrono::microseconds t)
{
	for (auto end = std::chrono::steady_clock::now() + t; std::chrono::steady_clock::now() < end;)
		sink = sink + 1;
}

__attribute__((noinline)) static void through_door(int n)
{
	std::lock_guard<watch::Mutex> hold(door);
	busy(20us);
	if (n > 0) {
		std::lock_guard<watch::Mutex> second(gate);
		busy(30us);
	}
}

__attribute__((noinline)) static void through_gate(int n)
{
	if (n > 0)
		return through_gate(n - 1), (void)(sink = n);
	std::lock_guard<watch::Mutex> hold(gate);
	busy(80us);
}

static void contention(const char *head, int period, const char *file)
{
	std::vector<std::thread> pool;

	watch::contention_reset(period);
	for (int who = 0; who < 4; who++)
		pool.emplace_back([who] {
			for (int i = 0; i < 2000; i++)
				who % 2 ? through_door(i % 3) : through_gate(i % 4);
		});
	for (auto &t : pool)
		t.join();
	FILE *f = fopen(file, "w");
	watch::contention_write(f, head);
	fclose(f);
}

static void threadz(const char *file)
{
	std::vector<std::thread> pool;
	std::mutex m;
	std::condition_variable cv;
	bool stop = false;
	auto run = [](std::string name, auto body) {
		return std::thread([=] {
			watch::thread_register(name);
			body();
			watch::thread_leave();
		});
	};

	watch::thread_register("main");
	for (int i = 0; i < 5; i++) // five idle threads: the same stack five times
		pool.push_back(run("idle-" + std::to_string(i), [&] {
			std::unique_lock<std::mutex> hold(m);
			cv.wait(hold, [&] { return stop; });
		}));
	std::this_thread::sleep_for(100ms);
	for (int who = 0; who < 3; who++)
		pool.push_back(run("solver/" + std::to_string(who), [=] {
			until(std::chrono::steady_clock::now() + 1s, who);
		}));
	std::this_thread::sleep_for(300ms);
	FILE *f = fopen(file, "w");
	watch::threadz_write(f);
	fclose(f);
	{
		std::lock_guard<std::mutex> hold(m);
		stop = true;
	}
	cv.notify_all();
	for (auto &t : pool)
		t.join();
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return fputs("usage: grid cpu|heap|heap_v2|growth|contention|contentionz|threadz FILE\n", stderr), 2;
	std::string kind = argv[1];
	if (kind == "cpu")
		cpu(argv[2]);
	else if (kind == "contention")
		contention("--- contention:", 1, argv[2]);
	else if (kind == "contentionz")
		contention("--- contentionz 1 ---", 7, argv[2]);
	else if (kind == "threadz")
		threadz(argv[2]);
	else
		heap(argv[1], argv[2]);
	return 0;
}
