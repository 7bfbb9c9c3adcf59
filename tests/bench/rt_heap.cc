/*
 * rt_heap.cc - exactly counted allocations of mixed sizes, to compare heap profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: rt_heap MEGABYTES [FILE]
 *
 * Five functions allocate, each with its own mix of sizes; one object in ten remains in use until the end. Prints for
 * each function "site_N ALLOCATED_OBJECTS ALLOCATED_BYTES INUSE_OBJECTS INUSE_BYTES". Compiled with WITH_TCMALLOC it
 * writes tcmalloc's heap sample to FILE.
 */
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifdef WITH_TCMALLOC
#include <gperftools/malloc_extension.h>
#include <string>
#endif

namespace
{
struct count {
	unsigned long long objects, bytes, kept_objects, kept_bytes;
};

count counts[5];
std::vector<void *> kept;
unsigned long long state = 88172645463325252ULL;

unsigned long long draw()
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

inline __attribute__((always_inline)) void allocate(int site, size_t size)
{
	void *p = malloc(size);
	count &c = counts[site];

	*static_cast<volatile char *>(p) = 1;
	c.objects++;
	c.bytes += size;
	if (draw() % 10 == 0) {
		c.kept_objects++;
		c.kept_bytes += size;
		kept.push_back(p);
	} else {
		free(p);
	}
}

#define SITE(n, size)                                                                                                  \
	__attribute__((noinline)) void site_##n()                                                                      \
	{                                                                                                              \
		allocate(n, size);                                                                                     \
		__asm__ volatile("# site " #n);                                                                        \
	}
SITE(0, 16 + draw() % 64)               /* small */
SITE(1, 1024 + draw() % 7168)           /* medium */
SITE(2, draw() % 2000 ? 64 : 1 << 20)   /* many small ones, few large ones */
SITE(3, draw() % 500 ? 256 : 4 << 20)   /* the same, more extreme */
SITE(4, (1 << 20) + draw() % (7 << 20)) /* larger than the rate */

void work(unsigned long long bytes)
{
	void (*const sites[])() = { site_0, site_1, site_2, site_3, site_4 };

	for (int i = 0; i < 5; i++)
		while (counts[i].bytes < bytes / 5)
			sites[i]();
}
} // namespace

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	kept.reserve(64 << 20);
	work(strtoull(argv[1], nullptr, 10) << 20);
	for (int i = 0; i < 5; i++)
		printf("site_%d %llu %llu %llu %llu\n", i, counts[i].objects, counts[i].bytes, counts[i].kept_objects,
		       counts[i].kept_bytes);
#ifdef WITH_TCMALLOC
	std::string sample;
	MallocExtension::instance()->GetHeapSample(&sample);
	FILE *f = argc > 2 ? fopen(argv[2], "w") : nullptr;
	if (f) {
		fwrite(sample.data(), 1, sample.size(), f);
		fclose(f);
	}
#endif
	fflush(stdout);
	_Exit(0);
}
