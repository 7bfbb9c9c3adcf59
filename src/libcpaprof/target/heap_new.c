/*
 * heap_new.c - wrappers of C++'s operators new and delete
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operator new of the C++ library calls malloc, where our wrapper counts it. The operators of some allocators do not. A
 * call at startup shows whether they do. Operator delete always reads the filter. Exceptions pass through our wrappers:
 * nothing is locked, and there is nothing to undo.
 *
 * A C program may load a C++ library with dlopen. Then no operator follows ours in link order. We use the operator of
 * the loaded C++ library, or else malloc, which it would call.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/target.h"

#include <dlfcn.h>
#include <stdlib.h>

struct nothrow;

/* X(name, its parameters, their names, replacement without C++, matching delete): operators that allocate */
#define NEWS(X)                                                                                                        \
	X(_Znwm, (size_t size), (size), malloc(size), _ZdlPv(p))                                                       \
	X(_Znam, (size_t size), (size), malloc(size), _ZdaPv(p))                                                       \
	X(_ZnwmRKSt9nothrow_t, (size_t size, const struct nothrow *no), (size, no), malloc(size), _ZdlPv(p))           \
	X(_ZnamRKSt9nothrow_t, (size_t size, const struct nothrow *no), (size, no), malloc(size), _ZdaPv(p))           \
	X(_ZnwmSt11align_val_t, (size_t size, size_t align), (size, align), aligned_alloc(align, size),                \
	  _ZdlPvSt11align_val_t(p, align))                                                                             \
	X(_ZnamSt11align_val_t, (size_t size, size_t align), (size, align), aligned_alloc(align, size),                \
	  _ZdaPvSt11align_val_t(p, align))                                                                             \
	X(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t align, const struct nothrow *no),                   \
	  (size, align, no), aligned_alloc(align, size), _ZdlPvSt11align_val_t(p, align))                              \
	X(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t align, const struct nothrow *no),                   \
	  (size, align, no), aligned_alloc(align, size), _ZdaPvSt11align_val_t(p, align))

/* X(name, its parameters, their names): operators that free */
#define DELETES(X)                                                                                                     \
	X(_ZdlPv, (void *p), (p))                                                                                      \
	X(_ZdaPv, (void *p), (p))                                                                                      \
	X(_ZdlPvm, (void *p, size_t size), (p, size))                                                                  \
	X(_ZdaPvm, (void *p, size_t size), (p, size))                                                                  \
	X(_ZdlPvRKSt9nothrow_t, (void *p, const struct nothrow *no), (p, no))                                          \
	X(_ZdaPvRKSt9nothrow_t, (void *p, const struct nothrow *no), (p, no))                                          \
	X(_ZdlPvSt11align_val_t, (void *p, size_t align), (p, align))                                                  \
	X(_ZdaPvSt11align_val_t, (void *p, size_t align), (p, align))                                                  \
	X(_ZdlPvmSt11align_val_t, (void *p, size_t size, size_t align), (p, size, align))                              \
	X(_ZdaPvmSt11align_val_t, (void *p, size_t size, size_t align), (p, size, align))                              \
	X(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t align, const struct nothrow *no), (p, align, no))      \
	X(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t align, const struct nothrow *no), (p, align, no))

#define DECLARE_NEW(name, parameters, names, plain, delete)                                                            \
	void *name parameters;                                                                                         \
	static void *first##name parameters;
NEWS(DECLARE_NEW)
#define DECLARE_DELETE(name, parameters, names)                                                                        \
	void name parameters;                                                                                          \
	static void first##name parameters;
DELETES(DECLARE_DELETE)

/* The operators after ours in link order. Initially each is a function that looks up the operator. */
static struct {
#define NEW_MEMBER(name, parameters, names, plain, delete) void *(*name)parameters;
	NEWS(NEW_MEMBER)
#define DELETE_MEMBER(name, parameters, names) void(*name) parameters;
	DELETES(DELETE_MEMBER)
} next = {
#define NEW_FIRST(name, parameters, names, plain, delete) .name = first##name,
	NEWS(NEW_FIRST)
#define DELETE_FIRST(name, parameters, names) .name = first##name,
		DELETES(DELETE_FIRST)
};

/* Operators that do not call malloc are counted here. */
static struct {
#define COUNT_MEMBER(name, parameters, names, plain, delete) bool name;
	NEWS(COUNT_MEMBER)
} counts;

/* The result stays valid: C++ libraries are never unloaded, because of their unique symbols. */
static void *heap_new_find(const char *name, const void *caller)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1", "libc++.so.1" };
	void *found = dlsym(RTLD_NEXT, name), *object;
	Dl_info info;

	if (!found && dladdr(caller, &info) && (object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD))) {
		found = dlsym(object, name);
		dlclose(object);
	}
	for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		object = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		found = object ? dlsym(object, name) : NULL;
	}
	return found;
}

#define NEW(name, parameters, names, plain, delete)                                                                    \
	static void *first##name parameters                                                                            \
	{                                                                                                              \
		void *found = heap_new_find(#name, __builtin_return_address(0));                                       \
                                                                                                                       \
		if (!found)                                                                                            \
			return plain;                                                                                  \
		*(void **)&next.name = found;                                                                          \
		return next.name names;                                                                                \
	}                                                                                                              \
                                                                                                                       \
	static __attribute__((noinline)) void *due##name parameters                                                    \
	{                                                                                                              \
		uint32_t rate = cpi_heap_due(size);                                                                    \
                                                                                                                       \
		return rate ? cpi_heap_add(next.name names, size, rate) : next.name names;                             \
	}                                                                                                              \
                                                                                                                       \
	CPA_EXPORT void *name parameters                                                                               \
	{                                                                                                              \
		return !counts.name || cpi_heap_count_down(size) ? next.name names : due##name names;                  \
	}
NEWS(NEW)

#define DELETE(name, parameters, names)                                                                                \
	static void first##name parameters                                                                             \
	{                                                                                                              \
		void *found = heap_new_find(#name, __builtin_return_address(0));                                       \
                                                                                                                       \
		if (found) {                                                                                           \
			*(void **)&next.name = found;                                                                  \
			next.name names;                                                                               \
		} else {                                                                                               \
			free(p);                                                                                       \
		}                                                                                                      \
	}                                                                                                              \
                                                                                                                       \
	CPA_EXPORT void name parameters                                                                                \
	{                                                                                                              \
		if (!cpi_heap_may_contain(p) || !cpi_heap_before_free(p))                                              \
			next.name names;                                                                               \
	}
DELETES(DELETE)

void cpi_heap_new_init(void)
{
	const size_t size = 1, align = 2 * sizeof(void *);
	const struct nothrow *no = (const void *)&size; /* any address; it is never dereferenced */

	(void)align;
#define TRY(name, parameters, names, plain, delete)                                                                    \
	if (dlsym(RTLD_NEXT, #name)) {                                                                                 \
		void *p;                                                                                               \
                                                                                                                       \
		cpi_heap_probe_was_hit();                                                                              \
		p = next.name names;                                                                                   \
		counts.name = !cpi_heap_probe_was_hit();                                                               \
		delete;                                                                                                \
	}
	NEWS(TRY)
}
