// SPDX-License-Identifier: Apache-2.0
// watch.hpp - profiles that gperftools cannot write: waits at a mutex, stacks of all threads.
#pragma once
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace watch {

constexpr int MAX_DEPTH = 32;

struct Stack {
	int n = 0;
	void *pc[MAX_DEPTH];
	bool operator<(const Stack &o) const;
};

// A mutex that measures waits in cycles, and records them with the stack of the waiting thread.
class Mutex {
public:
	void lock();
	void unlock() { m_.unlock(); }

private:
	std::mutex m_;
};

// Forget all waits, and record one wait in `period` from now on.
void contention_reset(int period);
// Write the recorded waits; `head` is the first line.
void contention_write(FILE *out, const char *head);

// Call once in each thread that threadz should show.
void thread_register(const std::string &name);
void thread_leave();
// Interrupt every registered thread to get its stack, and write all stacks.
void threadz_write(FILE *out);

} // namespace watch
