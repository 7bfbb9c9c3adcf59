/*
 * symbols.cc - a C++ file with much DWARF: nested templates, inlined
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

template <int K> struct store {
	std::map<std::string, std::vector<int>> by_name;
	std::unordered_map<int, std::string> by_number;

	int put(int x)
	{
		std::ostringstream out;

		by_name[std::to_string(x)].push_back(x);
		by_number[x] += "z";
		std::sort(by_name.begin()->second.begin(), by_name.begin()->second.end());
		out << x << K;
		return (int)out.str().size() + sorted(x);
	}

	int sorted(int x)
	{
		std::vector<std::string> v;

		for (int i = 0; i < x; i++)
			v.push_back(std::to_string(i * K));
		std::sort(v.begin(), v.end(), [](auto &p, auto &q) { return p.size() * K < q.size(); });
		return (int)v.size();
	}
};

template <int K> int run(int x)
{
	store<K> s;
	int r = s.put(x);

	if constexpr (K > 0)
		r += run<K - 1>(x);
	return r;
}

extern "C" int go(int x)
{
	std::regex re("a(b|c)*d");

	return run<40>(x) + std::regex_match(std::to_string(x), re);
}
