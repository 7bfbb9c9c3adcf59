/*
 * frames.cc - program with templates, inlined calls, lambdas and local classes, for frames.t
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
namespace zoo
{
template <class T, int N> struct Box {
	T v[N];
	template <class U> T sum(U u) const
	{
		T s{};
		for (auto &x : v)
			s += x * T(u);
		return s;
	}
};
struct Animal {
	virtual ~Animal() = default;
	virtual std::string say(int n) const = 0;
};
template <int K> struct Cat : Animal {
	std::string say(int n) const override
	{
		std::ostringstream o;
		for (int i = 0; i < n + K; i++)
			o << "meow" << i;
		return o.str();
	}
};
static inline int twist(int x)
{
	struct Local {
		int go(int y)
		{
			return y * 3 + 1;
		}
	} l;
	return l.go(x) ^ 5;
}
} // namespace zoo
static int local(int x)
{
	struct Apart {
		__attribute__((noinline)) int go(int y)
		{
			return y * 7 + 1;
		}
		static __attribute__((noinline)) int still(int y)
		{
			return y / 3;
		}
	} a;
	return a.go(x) + Apart::still(x);
}

static int hot(std::vector<int> &v)
{
	std::sort(v.begin(), v.end(), [](int a, int b) { return zoo::twist(a) < zoo::twist(b); });
	return v[0];
}
int main(int argc, char **argv)
{
	std::map<std::string, std::vector<int>> m;
	std::unordered_map<int, std::unique_ptr<zoo::Animal>> u;
	for (int i = 0; i < 100; i++) {
		m[std::to_string(i * argc)].push_back(i);
		u[i] = std::make_unique<zoo::Cat<3>>();
	}
	std::vector<int> v;
	for (int i = 0; i < 1000; i++)
		v.push_back((i * 7919) % 1009);
	zoo::Box<double, 8> b{};
	std::regex re("a(b|c)*d+[x-z]{2,5}");
	std::smatch sm;
	std::string s = argv[0];
	std::function<int(int)> f = [&](int k) { return hot(v) + k; };
	try {
		if (std::regex_search(s, sm, re))
			throw std::runtime_error(s);
	} catch (const std::exception &e) {
		puts(e.what());
	}
	printf("%d %f %s %zu\n", f(3) + local(argc), b.sum(2.0f), u[3]->say(2).c_str(), m.size());
}
