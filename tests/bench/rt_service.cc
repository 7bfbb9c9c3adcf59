/*
 * rt_service.cc - a server for latency measurements of its profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: rt_service WAITING BUSY     threads that wait, some calls deep; threads that use memory and locks
 * Prints "ready", and exits at the end of standard input. It is large if linked with others() from copies.sh.
 */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

enum { DEPTH = 20, KEPT = 20000 };

extern "C" int others(int x) __attribute__((weak));

static std::mutex lock, waiting_lock;
static std::condition_variable never;
static std::map<unsigned, std::string> kept;
static volatile unsigned long sink;
static volatile bool is_over;

__attribute__((noinline)) static void await(int depth)
{
	if (depth > 0) {
		await(depth - 1);
	} else {
		std::unique_lock<std::mutex> own(waiting_lock);

		never.wait(own, [] { return is_over; });
	}
	sink++;
}

__attribute__((noinline)) static void remember(unsigned draw)
{
	std::lock_guard<std::mutex> own(lock);

	kept[draw % KEPT] = std::string(16 + draw % 2000, 'x');
	usleep(draw % 64 == 0 ? 100 : 0);
}

__attribute__((noinline)) static void work(unsigned draw, int depth)
{
	if (depth > 0) {
		work(draw, depth - 1);
		sink++;
		return;
	}
	for (unsigned i = 0; i < 20000; i++)
		sink += i;
	if (others)
		sink += (unsigned long)others(3);
	remember(draw);
}

static void busy(unsigned seed)
{
	for (;;) {
		seed = seed * 1664525U + 1013904223U;
		work(seed >> 8, (int)(seed >> 28));
	}
}

int main(int argc, char **argv)
{
	char c;

	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
		std::thread(await, i % DEPTH).detach();
	for (int i = 0; argc > 2 && i < atoi(argv[2]); i++)
		std::thread(busy, (unsigned)i).detach();
	usleep(200000);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		sink++;
	_exit(0);
}
