// SPDX-License-Identifier: Apache-2.0
// field.hpp - a grid of cells, and the steps that move heat through it.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace grid {

// T is the cell, N the side; small members that the compiler inlines into each other.
template <typename T, int N>
class Field {
public:
	Field() : cell_(N * N) {}
	T &at(int x, int y) { return cell_[index(x, y)]; }
	const T &at(int x, int y) const { return cell_[index(x, y)]; }

	template <typename Step>
	void sweep(Field &out, const Step &step) const
	{
		for (int y = 0; y < N; y++)
			for (int x = 0; x < N; x++)
				out.at(x, y) = step(*this, x, y);
	}

	std::vector<T> ranked() const
	{
		std::vector<T> v(cell_);
		std::sort(v.begin(), v.end(), [](T a, T b) { return std::sin(a) < std::sin(b); });
		return v;
	}

private:
	static int wrap(int i) { return (i + N) % N; }
	static int index(int x, int y) { return wrap(y) * N + wrap(x); }
	std::vector<T> cell_;
};

namespace solver {

template <typename T>
struct Diffuse {
	T rate;
	template <int N>
	T operator()(const Field<T, N> &f, int x, int y) const
	{
		T around = f.at(x - 1, y) + f.at(x + 1, y) + f.at(x, y - 1) + f.at(x, y + 1);
		return f.at(x, y) + rate * (around - 4 * f.at(x, y));
	}
};

} // namespace solver

// A quad tree over a field: built by recursion, one node per call.
struct Tree {
	std::unique_ptr<Tree> kid[4];
	std::string note;
	double sum = 0;
};

template <typename T, int N>
std::unique_ptr<Tree> divide(const Field<T, N> &f, int x, int y, int side)
{
	auto t = std::make_unique<Tree>();
	if (side == 1) {
		t->sum = std::cbrt(f.at(x, y));
		t->note.assign(40 + (x ^ y) % 24, '.');
		return t;
	}
	int h = side / 2;
	for (int k = 0; k < 4; k++) {
		t->kid[k] = divide(f, x + (k & 1) * h, y + (k >> 1) * h, h);
		t->sum += t->kid[k]->sum;
	}
	return t;
}

} // namespace grid
