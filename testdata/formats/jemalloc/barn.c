/* barn.c - allocates blocks of three sizes and frees a quarter of them, for a heap profile of jemalloc */
#include <stdlib.h>
#include <string.h>

enum { N = 4000 };

static void *blocks[3 * N];
static int n;

int mallctl(const char *, void *, size_t *, void *, size_t);

__attribute__((noinline)) void *sack(int i)
{
	void *p = malloc((size_t)(40 + i % 24));

	return memset(p, 1, 40);
}

__attribute__((noinline)) void *bale(int i)
{
	return calloc((size_t)(20 + i % 6), 300);
}

__attribute__((noinline)) void *wagon(int i)
{
	void *p = malloc((size_t)(250000 + i));

	return memset(p, 1, 250000);
}

__attribute__((noinline)) void fill(int i)
{
	blocks[n++] = sack(i);
	if (i % 5 == 0)
		blocks[n++] = bale(i);
	if (i % 400 == 0)
		blocks[n++] = wagon(i);
}

int main(int argc, char **argv)
{
	const char *out = argc > 1 ? argv[1] : "barn.heap";

	for (int i = 0; i < N; i++)
		fill(i);
	for (int i = 0; i < n; i += 4)
		free(blocks[i]);
	return mallctl("prof.dump", NULL, NULL, &out, sizeof(out));
}
