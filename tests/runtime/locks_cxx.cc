/*
 * locks_cxx.cc - waiting C++ threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints lines of NAME NS, as locks.c.
 */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

#define NOINLINE __attribute__((noinline))

using std::chrono::milliseconds;

static std::mutex mutex;
static std::shared_mutex shared;
static std::condition_variable cond;
static std::atomic<bool> ready;
static bool told;

static long long now()
{
	return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

NOINLINE static long long waits_for_mutex()
{
	long long start = now();
	mutex.lock();
	return now() - start;
}

NOINLINE static long long waits_for_shared()
{
	long long start = now();
	shared.lock_shared();
	return now() - start;
}

NOINLINE static void lets_mutex_go()
{
	mutex.unlock();
	asm volatile("");
}

NOINLINE static void lets_shared_go()
{
	shared.unlock();
	asm volatile("");
}

NOINLINE static long long waits_for_condition()
{
	std::unique_lock<std::mutex> lock(mutex);
	long long start = now();
	cond.wait(lock, [] { return told; });
	return now() - start;
}

NOINLINE static long long waits_a_while()
{
	std::unique_lock<std::mutex> lock(mutex);
	long long start = now();
	cond.wait_for(lock, milliseconds(70), [] { return false; });
	return now() - start;
}

static long long waited[4];

static void works()
{
	ready = true;
	waited[0] = waits_for_mutex();
	mutex.unlock();
	waited[1] = waits_for_shared();
	shared.unlock_shared();
	waited[2] = waits_for_condition();
	waited[3] = waits_a_while();
}

NOINLINE static void makes_threads()
{
	for (int i = 0; i < 5; i++) {
		std::thread t([] {});
		t.join();
	}
}

int main()
{
	mutex.lock();
	shared.lock();
	std::thread t(works);
	while (!ready)
		std::this_thread::yield();
	std::this_thread::sleep_for(milliseconds(100));
	lets_mutex_go();
	std::this_thread::sleep_for(milliseconds(50));
	lets_shared_go();
	std::this_thread::sleep_for(milliseconds(60));
	{
		std::lock_guard<std::mutex> lock(mutex);
		told = true;
	}
	cond.notify_one();
	t.join();
	makes_threads();
	std::printf("waits_for_mutex %lld\nwaits_for_shared %lld\nwaits_for_condition %lld\nwaits_a_while %lld\n",
		    waited[0], waited[1], waited[2], waited[3]);
	return 0;
}
