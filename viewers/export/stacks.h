/*
 * stacks.h - what the formats share that are made of whole stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_STACKS_H
#define VIEWERS_STACKS_H

#include "engine/places.h"
#include "engine/view.h"

#include <stddef.h>
#include <stdint.h>

/* How many places stand on a stack, inlined ones too. */
size_t stacks_depth(const struct places *pl, uint32_t stack);

/* Put the places of a stack at at, root first. Gives what lies behind them. */
uint32_t *stacks_put(const struct places *pl, uint32_t stack, uint32_t *at);

#endif
