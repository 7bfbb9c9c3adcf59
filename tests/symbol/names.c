/*
 * names.c - a program with a few functions whose addresses profiles of tests have
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

/* As a C++ compiler would call ns::Foo<int>::work(int), and a Rust compiler core::fmt::pad. */
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
