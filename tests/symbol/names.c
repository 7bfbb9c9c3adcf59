/*
 * names.c - program with a few functions; test profiles contain their addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
int alpha(int x);
int beta(int x);

int alpha(int x)
{
	return x * 3 + 1;
}

int beta(int x)
{
	return alpha(x) + 2;
}

/* The mangled names of ns::Foo<int>::work(int) in C++, and of core::fmt::pad in Rust. */
int work(int x) __asm__("_ZN2ns3FooIiE4workEi");
int work(int x)
{
	return beta(x) + 1;
}

int pad(int x) __asm__("_ZN4core3fmt3pad17h0123456789abcdefE");
int pad(int x)
{
	return work(x) + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	return pad(argc) == 0;
}
