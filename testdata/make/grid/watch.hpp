// SPDX-License-Identifier: Apache-2.0
// watch.hpp - what gperftools does not write: waits at a mutex, stacks of all threads.
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

// A mutex that measures: cycles from asking to having, kept under the stack of the asker.
class Mutex {
public:
	void lock();
	void unlock() { m_.unlock(); }

private:
	std::mutex m_;
};

// Forget all waits and keep one wait in `period` from now on.
void contention_reset(int period);
// Write what was kept; `head` is the first line.
void contention_write(FILE *out, const char *head);

// Call once in each thread that threadz shall show.
void thread_register(const std::string &name);
void thread_leave();
// Interrupt every registered thread, ask for its stack, write them all.
void threadz_write(FILE *out);

} // namespace watch
