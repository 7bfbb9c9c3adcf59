/*
 * stacks.h - stacks of places, for the formats that write whole stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_STACKS_H
#define VIEWERS_STACKS_H

#include "base/err.h"
#include "engine/places.h"
#include "engine/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of places on a stack, including inlined ones. */
size_t export_stacks_depth(const struct places *pl, uint32_t stack);

/* Copy the places of a stack to at, root first, or leaf first if inverted. Returns the end of the copy. */
uint32_t *export_stacks_copy(const struct places *pl, uint32_t stack, bool inverted, uint32_t *at);

/*
 * Check the size of the output in advance: a small file can repeat long stacks of long names.
 *
 * Fails   ERR_LIMIT past half of the memory of this machine
 */
int export_stacks_check_bytes(uint64_t bytes, struct err *err);

#endif
