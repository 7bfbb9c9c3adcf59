/*
 * stacks.h - what the formats share that are made of whole stacks
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

/* How many places stand on a stack, inlined ones too. */
size_t export_stacks_depth(const struct places *pl, uint32_t stack);

/* Put the places of a stack at at, root first, or inverted: leaf first. Gives what lies behind them. */
uint32_t *export_stacks_put(const struct places *pl, uint32_t stack, bool inverted, uint32_t *at);

/*
 * May this many bytes be made of stacks? A small file can name long stacks of long names often.
 *
 * Fails   ERR_LIMIT past half of the memory of this machine
 */
int export_stacks_check_bytes(uint64_t bytes, struct err *err);

#endif
