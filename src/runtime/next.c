/*
 * next.c - the functions that our wrappers stand in front of
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "runtime/next.h"

#include <stdatomic.h>
#include <stddef.h>

static struct next next;
static _Atomic int known;

/* Constructors of libraries that come before ours may call wrappers; two at once find the same. */
const struct next *cpi_next(void)
{
	if (!atomic_load_explicit(&known, memory_order_acquire)) {
#define NEXT_FIND(result, name, arguments) *(void **)&next.name = dlsym(RTLD_NEXT, #name);
		NEXT_FUNCTIONS(NEXT_FIND)
#undef NEXT_FIND
		atomic_store_explicit(&known, 1, memory_order_release);
	}
	return &next;
}
