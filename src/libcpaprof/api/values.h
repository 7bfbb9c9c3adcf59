/*
 * values.h - which values custom profiles hold, and the stack that added each
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The memory is of this process and by mmap: callers may hold locks of their allocator. All of it is called
 * with the lock of api/custom.c held.
 */
#ifndef LIBCPAPROF_API_VALUES_H
#define LIBCPAPROF_API_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct value {
	uint64_t value;
	uint32_t profile; /* 0: the slot is free */
	uint32_t stack;   /* of libcpaprof/target/stacks.h */
	uint32_t life;    /* of the tables that it is in */
	bool told;        /* it is counted there */
};

/* Keep a value. Gives 0, -EEXIST when its profile has it, -ENOMEM. */
int values_add(const struct value *v);
/* Give a value back; false when its profile does not have it. */
bool values_take(uint64_t value, uint32_t profile, struct value *out);

#endif
