/*
 * heap_exact.cc - allocations of every kind, whose numbers are known
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each function starting with a_ allocates a number of objects of known sizes and keeps some. What the C and C++
 * libraries allocate for themselves, exceptions and threads, comes from functions starting with x_. Prints for
 * each "FUNCTION OBJECTS BYTES KEPT_OBJECTS KEPT_BYTES", as written down here, not as counted.
 */
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <pthread.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static void *volatile kept[1024];
static int n_kept;

static void keep(void *p)
{
	if (!p)
		_exit(9);
	kept[n_kept++] = p;
}

/* Used, so that the compiler leaves allocations alone. */
static void touch(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

struct truth {
	unsigned long long objects, bytes, kept_objects, kept_bytes;
};

#define TEST(name) static NOINLINE truth name()

TEST(a_malloc)
{
	keep(malloc(100));
	for (int i = 0; i < 10; i++) {
		void *p = malloc(32);

		touch(p);
		free(p);
	}
	free(nullptr);
	return { 11, 420, 1, 100 };
}

TEST(a_malloc_zero) /* counts as a byte */
{
	keep(malloc(0));
	return { 1, 1, 1, 1 };
}

TEST(a_calloc)
{
	keep(calloc(7, 11));
	free(calloc(3, 5));
	touch(calloc(SIZE_MAX / 2, 4));
	return { 2, 92, 1, 77 };
}

TEST(a_realloc_grow)
{
	void *p = malloc(50);

	p = realloc(p, 5000);
	p = realloc(p, 500000);
	keep(p);
	return { 3, 505050, 1, 500000 };
}

TEST(a_realloc_shrink)
{
	void *p = realloc(malloc(5000), 40);

	keep(p);
	return { 2, 5040, 1, 40 };
}

TEST(a_realloc_null)
{
	keep(realloc(nullptr, 77));
	return { 1, 77, 1, 77 };
}

TEST(a_realloc_fail)
{
	void *p = malloc(123);

	errno = 0;
	if (realloc(p, PTRDIFF_MAX - 4096))
		_exit(8);
	keep(p);
	return { 1, 123, 1, 123 };
}

TEST(a_realloc_zero) /* frees */
{
	touch(realloc(malloc(60), 0));
	return { 1, 60, 0, 0 };
}

TEST(a_reallocarray)
{
	void *p = reallocarray(nullptr, 10, 10);

	p = reallocarray(p, 20, 10);
	errno = 0;
	if (reallocarray(p, SIZE_MAX / 2, 3) || errno != ENOMEM)
		_exit(7);
	keep(p);
	return { 2, 300, 1, 200 };
}

TEST(a_memalign)
{
	keep(memalign(64, 1000));
	free(memalign(4096, 10));
	return { 2, 1010, 1, 1000 };
}

TEST(a_aligned_alloc)
{
	keep(aligned_alloc(128, 256));
	free(aligned_alloc(64, 64));
	return { 2, 320, 1, 256 };
}

TEST(a_posix_memalign)
{
	void *p = nullptr, *q = nullptr;

	if (posix_memalign(&p, 256, 333) || posix_memalign(&q, 64, 10) || posix_memalign(&q, 3, 10) != EINVAL)
		_exit(6);
	keep(p);
	free(q);
	return { 2, 343, 1, 333 };
}

TEST(a_valloc)
{
	keep(valloc(99));
	free(valloc(98));
	return { 2, 197, 1, 99 };
}

TEST(a_pvalloc)
{
	keep(pvalloc(97));
	free(pvalloc(96));
	return { 2, 193, 1, 97 };
}

TEST(a_huge_sizes_fail)
{
	errno = 0;
	void *volatile p = malloc(SIZE_MAX - 7);

	if (p || errno != ENOMEM)
		_exit(5);
	keep(malloc(21));
	return { 1, 21, 1, 21 };
}

TEST(a_strdup) /* the C library's own calls are seen */
{
	free(strdup("seven b"));
	keep(strndup("0123456789", 4));
	return { 2, 13, 1, 5 };
}

/* All forms of new, with all of delete. */
struct alignas(64) wide {
	char bytes[128];
};

TEST(a_new)
{
	keep(operator new(41));
	operator delete(operator new(1));
	operator delete(operator new(2), std::size_t(2));
	operator delete(operator new(3, std::nothrow), std::nothrow);
	keep(operator new(42, std::nothrow));
	return { 5, 89, 2, 83 };
}

TEST(a_new_array)
{
	keep(operator new[](43));
	operator delete[](operator new[](4));
	operator delete[](operator new[](5), std::size_t(5));
	operator delete[](operator new[](6, std::nothrow), std::nothrow);
	keep(operator new[](44, std::nothrow));
	return { 5, 102, 2, 87 };
}

TEST(a_new_aligned)
{
	const std::align_val_t to = std::align_val_t(64);

	keep(operator new(64, to));
	operator delete(operator new(128, to), to);
	operator delete(operator new(192, to), std::size_t(192), to);
	operator delete(operator new(256, to, std::nothrow), to, std::nothrow);
	keep(operator new(320, to, std::nothrow));
	keep(operator new[](64, to));
	operator delete[](operator new[](128, to), to);
	operator delete[](operator new[](192, to), std::size_t(192), to);
	operator delete[](operator new[](256, to, std::nothrow), to, std::nothrow);
	keep(operator new[](320, to, std::nothrow));
	return { 10, 1920, 4, 768 };
}

static const volatile std::size_t most = PTRDIFF_MAX - 4096;

static NOINLINE bool x_throws()
{
	try {
		if (operator new(most, std::nothrow)) /* throws within */
			return false;
		touch(operator new(most));
	} catch (const std::bad_alloc &) {
		return true;
	}
	return false;
}

TEST(a_new_throws)
{
	if (!x_throws())
		_exit(4);
	keep(operator new(22));
	return { 1, 22, 1, 22 };
}

/* Freed by a thread that did not allocate it. */
static void *free_it(void *p)
{
	free(p);
	return nullptr;
}

static NOINLINE void x_free_there(void *p)
{
	pthread_t thread;

	if (pthread_create(&thread, nullptr, free_it, p) != 0 || pthread_join(thread, nullptr) != 0)
		_exit(3);
}

TEST(a_other_thread_frees)
{
	void *p = malloc(1234);

	touch(p);
	x_free_there(p);
	keep(malloc(1235));
	return { 2, 2469, 1, 1235 };
}

extern "C" void cfree(void *) __attribute__((weak));

TEST(a_cfree)
{
	void *p = malloc(31);

	touch(p);
	cfree ? cfree(p) : free(p);
	return { 1, 31, 0, 0 };
}

int main(int argc, char **)
{
#define RUN(name)                                                                                                      \
	do {                                                                                                           \
		truth t = name();                                                                                      \
                                                                                                                       \
		printf("%s %llu %llu %llu %llu\n", #name, t.objects, t.bytes, t.kept_objects, t.kept_bytes);           \
	} while (0)
	RUN(a_malloc);
	RUN(a_malloc_zero);
	RUN(a_calloc);
	RUN(a_realloc_grow);
	RUN(a_realloc_shrink);
	RUN(a_realloc_null);
	RUN(a_realloc_fail);
	RUN(a_realloc_zero);
	RUN(a_reallocarray);
	RUN(a_memalign);
	RUN(a_aligned_alloc);
	RUN(a_posix_memalign);
	RUN(a_valloc);
	if (argc < 2) /* an allocator has none, and dies of the C library's */
		RUN(a_pvalloc);
	RUN(a_huge_sizes_fail);
	RUN(a_strdup);
	RUN(a_new);
	RUN(a_new_array);
	RUN(a_new_aligned);
	RUN(a_new_throws);
	RUN(a_other_thread_frees);
	if (argc < 2)
		RUN(a_cfree);
	fflush(stdout);
	_exit(0);
}
