// faults.cc - programs with a known fault for cpa doctor, which serve their profiles with libcpaprof
// SPDX-License-Identifier: Apache-2.0
//
// usage: faults FAULT, one of the names in main. Run it with CPA_LISTEN=ADDRESS.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#define KEEP __attribute__((noinline, noclone))
using std::chrono::milliseconds;

static std::atomic<uint64_t> sink;

static inline uint64_t spin(uint64_t n)
{
	uint64_t x = n | 1;

	for (uint64_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

KEEP static void hot_loop()
{
	for (;;)
		sink += spin(1 << 20);
}

struct order {
	int id;
	std::string name;
	std::vector<int> lines;
};

KEEP static std::unique_ptr<order> make_order(int i)
{
	return std::unique_ptr<order>(new order{ i, std::string(64 + i % 64, 'x'), std::vector<int>(32) });
}

static void churn()
{
	std::vector<std::unique_ptr<order>> recent(1000);

	for (int i = 0;; i++)
		recent[i % 1000] = make_order(i);
}

static std::map<int, char *> seen;

KEEP static void remember(int i)
{
	char *block = new char[16 << 10];

	memset(block, 1, 16 << 10);
	seen[i] = block;
}

static void leak_map()
{
	for (int i = 0;; i++) {
		remember(i);
		std::this_thread::sleep_for(milliseconds(2));
	}
}

static std::mutex shared;

KEEP static void hold_lock()
{
	std::lock_guard<std::mutex> lock(shared);

	std::this_thread::sleep_for(milliseconds(2));
	sink += spin(1000);
}

static void convoy()
{
	for (int i = 0; i < 8; i++)
		std::thread([] {
			for (;;)
				hold_lock();
		}).detach();
}

KEEP static void wait_forever()
{
	static std::mutex lock;
	static std::condition_variable never;
	std::unique_lock<std::mutex> held(lock);

	for (;;)
		never.wait(held);
}

static void leak_threads()
{
	for (int i = 0; i < 5000; i++) {
		std::thread(wait_forever).detach();
		std::this_thread::sleep_for(milliseconds(20));
	}
}

KEEP static void write_record(int fd, const char *block, size_t n)
{
	if (pwrite(fd, block, n, 0) != (ssize_t)n || fsync(fd) < 0)
		exit(2);
}

static void slow_disk()
{
	for (int i = 0; i < 4; i++)
		std::thread([] {
			const char *folder = getenv("TMPDIR");
			std::string path = std::string(folder ? folder : "/tmp") + "/recordXXXXXX";
			int fd = mkstemp(&path[0]);
			std::vector<char> block(64 << 10);

			if (fd < 0)
				exit(2);
			unlink(path.c_str());
			for (;;)
				write_record(fd, block.data(), block.size());
		}).detach();
}

static std::atomic_flag taken = ATOMIC_FLAG_INIT;

KEEP static void spin_lock()
{
	while (taken.test_and_set())
		sched_yield();
}

static void spin_locks()
{
	for (int i = 0; i < 4; i++)
		std::thread([] {
			for (;;) {
				spin_lock();
				std::this_thread::sleep_for(milliseconds(1));
				taken.clear();
			}
		}).detach();
}

/* --- no fault: work that is spread over functions, and waits between requests --- */

KEEP static uint64_t parse(uint64_t i)
{
	static const int text[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5 };
	uint64_t n = 0;

	for (int at = 0; at < 20000; at++)
		n += text[at % 11] & (i >> (at & 3));
	return n;
}

KEEP static uint64_t price(uint64_t i)
{
	double sum = 1;

	for (int k = 1; k < 5000; k++)
		sum += (double)i / (k + sum);
	return (uint64_t)sum;
}

KEEP static uint64_t render(uint64_t i)
{
	static volatile uint32_t page[16000];

	for (auto &p : page)
		p = p * 31 + (uint32_t)i;
	return page[i % 16000];
}

KEEP static uint64_t tax(uint64_t i)
{
	uint32_t x = (uint32_t)i;

	for (uint32_t k = 0; k < 15000; k++)
		x = x << 5 ^ x >> 3 ^ k;
	return x;
}

static void healthy()
{
	std::map<uint64_t, std::string> cache;

	for (uint64_t i = 0;; i++) {
		sink += parse(i) + price(i) + render(i) + tax(i);
		cache[i % 100] = std::to_string(i);
		if (i % 4 == 0)
			std::this_thread::sleep_for(milliseconds(1));
	}
}

int main(int argc, char **argv)
{
	static const std::map<std::string, void (*)()> faults = {
		{ "hot", hot_loop },         { "churn", churn },    { "leak", leak_map },   { "convoy", convoy },
		{ "threads", leak_threads }, { "disk", slow_disk }, { "spin", spin_locks }, { "none", healthy },
	};
	auto fault = argc == 2 ? faults.find(argv[1]) : faults.end();

	if (fault == faults.end()) {
		fprintf(stderr, "usage: faults FAULT\n");
		return 2;
	}
	fault->second();
	for (;;)
		pause();
}
