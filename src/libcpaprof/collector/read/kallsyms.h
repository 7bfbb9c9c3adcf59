/*
 * kallsyms.h - names of kernel functions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_KALLSYMS_H
#define LIBCPAPROF_COLLECTOR_READ_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_NAME_MAX = 48 };

/* The function of an address. name is empty if it is not known. */
struct kernel_name {
	uint64_t addr, start; /* start of the function; 0: not known */
	char name[KERNEL_NAME_MAX];
};

/*
 * Find the functions of addresses in /proc/kallsyms.
 *
 * name    [n] sorted by addr, all different; start is 0
 * Returns 0 or -errno: -EACCES if the kernel hides its addresses
 */
int kallsyms_find(struct kernel_name *name, size_t n);

/* The index of the first of n names, sorted by addr, whose address is at or after start; n: none. */
size_t kallsyms_find_first(const struct kernel_name *name, size_t n, uint64_t start);

/* Get the address of a symbol; 0 if there is none, or the kernel hides its addresses. */
uint64_t kallsyms_address(const char *symbol);

/* Is this a function of the scheduler itself, which does not explain a wait? */
bool kallsyms_is_scheduler(const char *name);

#endif
