/*
 * pool.cc - a C++ program profiles its lock contention: four threads wait for each other
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	c++ -O2 -g -o pool pool.cc $(pkg-config --cflags --libs cpaprof) -pthread && ./pool
 *	cpa top mutex.pb.gz          waiting time by lock holder
 *	cpa tags cpu.pb.gz           CPU time by step
 */
#include <cpa/pprof.hpp>

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::map<std::string, long> index_of;

static std::vector<std::string> parse(unsigned document)
{
	std::vector<std::string> words;

	for (unsigned i = 0; i < 2000; i++)
		words.push_back("word" + std::to_string((document * 2654435761u + i * 40503u) % 5000));
	return words;
}

/* Holds the lock for all of its work, so that only one thread at a time can continue. */
static void merge(const std::vector<std::string> &words)
{
	std::lock_guard<std::mutex> guard(lock);

	for (const std::string &word : words)
		index_of[word]++;
}

static void work(unsigned first)
{
	cpa::labels parsing{ { "step", "parse" } }, merging{ { "step", "merge" } };

	for (unsigned document = first; document < 4000; document += 4) {
		auto words = cpa::do_(parsing, [&] { return parse(document); });
		cpa::do_(merging, [&] { merge(words); });
	}
}

int main()
{
	const cpa_cpu_opts opts{ sizeof(opts), 0, 0, nullptr, CPA_OVERWRITE };
	int rc;

	cpa_mutex_set_fraction(1);
	{
		cpa::cpu_profile cpu{ "cpu.pb.gz", &opts };
		std::vector<std::thread> pool;

		for (unsigned i = 0; i < 4; i++)
			pool.emplace_back(work, i);
		for (std::thread &t : pool)
			t.join();
		rc = cpu.stop();
	}
	if (rc == 0)
		rc = cpa::profile::lookup("mutex").write_path("mutex.pb.gz", CPA_OVERWRITE);
	if (rc < 0)
		std::fprintf(stderr, "pool: cannot write profiles: %s\n", std::strerror(-rc));
	return rc != 0;
}
