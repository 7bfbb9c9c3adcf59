/*
 * wrapper.cc - tests of <cpa/pprof.hpp>: scopes and exceptions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints TAP. wrapper FILE   CPU profiles are written to FILE
 */
#include <cpa/pprof.hpp>

#include "tap.h"

#include <cstring>
#include <map>
#include <stdexcept>
#include <vector>

#include <unistd.h>

static std::string now(const cpa::labels &l = cpa::labels::current())
{
	std::string s;

	l.each([&](const char *key, const char *value) { s += std::string(key) + "=" + value + ";"; });
	return s;
}

static void scopes()
{
	std::string tenant = "ten" + std::string("ant");
	cpa::labels outer{ { tenant, "a" } };

	{
		auto scope = outer.scope();

		tap(now() == "tenant=a;", "a thread has the labels of its scope");
		{
			auto inner = cpa::labels::with({ { "op", std::string("x") }, { "tenant", "b" } }).scope();

			tap(now() == "op=x;tenant=b;",
			    "a nested scope adds labels, and replaces those with the same key");
		}
		tap(now() == "tenant=a;", "after a nested scope the outer labels are back");
		auto moved = std::move(scope);
		tap(now() == "tenant=a;", "a moved scope continues");
	}
	tap(!cpa::labels::current(), "after the outer scope there are no labels");
	tap(cpa::labels(outer, { { "op", "y" } }) == cpa::labels({ { "op", "y" }, { "tenant", "a" } }),
	    "equal labels are the same set");
	tap(!std::strcmp(outer.value("tenant"), "a") && !outer.value("op"), "a value is found by its key");
}

static int divide(int a, int b)
{
	if (b == 0)
		throw std::runtime_error("zero");
	return a / b;
}

static void exceptions()
{
	cpa::labels l{ { "op", "divide" } };
	std::string said, inside;
	int n = 0;

	tap(cpa::do_(l, [&] { return divide(6, 2); }) == 3, "do_ returns the result of the function");
	try {
		cpa::do_(l, [&] {
			inside = now();
			return divide(1, 0);
		});
	} catch (const std::exception &e) {
		said = e.what();
	}
	tap(said == "zero" && inside == "op=divide;", "do_ passes on exceptions");
	tap(!cpa::labels::current(), "do_ restores the labels after an exception");
	said.clear();
	try {
		cpa::labels{ { "a", "1" }, { "b", "2" }, { "c", "3" } }.each([&](const char *key, const char *) {
			n++;
			if (*key == 'b')
				throw std::string("b");
		});
	} catch (const std::string &s) {
		said = s;
	}
	tap(said == "b" && n == 2, "an exception ends each() and is passed on");
}

struct worker {
	std::string seen;
	void run(int times)
	{
		while (times-- > 0)
			seen += now();
	}
};

static void threads()
{
	cpa::labels l{ { "of", "creator" } };
	std::function<void()> task;
	std::vector<cpa::thread> pool;
	std::string seen, plain;
	worker w;
	int before = cpa_labels_inherit(0);
	int given = 0;
	{
		auto scope = l.scope();

		cpa::thread(&worker::run, &w, 2).join();
		std::thread([&] { plain = now(); }).join();
		task = cpa::wrap([&] { seen += now(); });
		pool.emplace_back([&](std::unique_ptr<int> n) { given = *n; }, std::unique_ptr<int>(new int(42)));
		pool[0].join();
	}
	tap(w.seen == "of=creator;of=creator;", "cpa::thread has the labels of its creator, and runs member functions");
	tap(plain.empty(), "a thread has no labels if inheritance is off");
	tap(given == 42, "cpa::thread takes move-only arguments");
	std::thread(task).join();
	task();
	tap(seen == "of=creator;of=creator;" && !cpa::labels::current(),
	    "a wrapped task has the labels of its creation");
	auto other = cpa::wrap(l, [](int a, int b) { return now() == "of=creator;" ? a + b : 0; });
	tap(other(2, 3) == 5, "a wrapped function keeps its arguments and result");
	cpa_labels_inherit(before);
}

static void profiles()
{
	cpa::profile p = cpa::profile::make("db.conns");
	int a, b;

	tap(p && cpa::profile::make(std::string("db.conns")).get() == p.get(), "a profile is created once");
	tap(!cpa::profile::make("a b") && errno == EINVAL, "an invalid name is refused");
	tap(p.add(&a) == 0 && p.add(&a) == -EEXIST && p.count() == 1, "a value can be added once");
	{
		auto held = p.hold(&b), again = p.hold(&b);

		tap(held.error() == 0 && again.error() == -EEXIST && p.count() == 2, "hold adds a value");
	}
	tap(p.count() == 1 && p.remove(&b) == -ENOENT, "a held value is removed at the end of the scope");
	tap(cpa::profile().add(&a) == -EPERM, "an empty profile object refuses values");
	std::string data;
	tap(p.write(0, [&](const void *d, std::size_t n) { data.append(static_cast<const char *>(d), n); }) == 0 &&
		    data.compare(0, 2, "\x1f\x8b") == 0,
	    "a profile is written to a function");
	data.clear();
	try {
		p.write(0, [](const void *, std::size_t) -> int { throw std::string("full"); });
	} catch (const std::string &s) {
		data = s;
	}
	tap(data == "full", "exceptions of the function that writes a profile are passed on");
	tap(p.write(0, [](const void *, std::size_t) { return -7; }) == -7, "the result of the function that writes a profile is returned");
	tap(p.write_path("conns.pb.gz", CPA_OVERWRITE) == 0 && p.write_path(std::string("conns.pb.gz")) == -EEXIST,
	    "a profile is written to a path, and replaces a file if requested");
	tap(p.write_path("") == -EINVAL && p.write_path("no/such/p.pb.gz") == -ENOENT &&
		    p.write_path("conns.pb.gz", ~0u) == -EINVAL && cpa::profile().write_path("c.pb.gz") == -EINVAL,
	    "an invalid path is an error");
}

static void cpu(const char *path)
{
	std::string data, said;

	{
		cpa::cpu_profile first{ path }, second{ path };

		tap(first && first.error() == 0, "CPU time is profiled");
		tap(!second && second.error() == -EBUSY && second.stop() == -EBUSY,
		    "a second CPU profile fails with EBUSY");
	}
	tap(access(path, R_OK) == 0, "the profile is written at the end of the scope");
	tap(cpa_cpu_stop() == -EINVAL, "no profile is running after the scope");
	cpa::cpu_profile bad{ std::string(path) };
	tap(bad.stop() == -EEXIST, "an existing file is an error, and is kept");
	cpa::cpu_profile p([&](const void *d, std::size_t n) {
		data.append(static_cast<const char *>(d), n);
		return 0;
	});
	cpa::cpu_profile moved = std::move(p);
	tap(moved.stop() == 0 && data.size() > 20 && p.stop() == 0, "a CPU profile is written to a function");
	cpa::cpu_profile thrower([](const void *, std::size_t) -> int { throw std::runtime_error("disk"); });
	try {
		thrower.stop();
	} catch (const std::exception &e) {
		said = e.what();
	}
	tap(said == "disk", "stop passes on exceptions of the function that writes");
}

int main(int argc, char **argv)
{
	scopes();
	exceptions();
	threads();
	profiles();
	if (argc > 1)
		cpu(argv[1]);
	return tap_end();
}
