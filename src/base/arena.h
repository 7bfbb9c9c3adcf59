/*
 * arena.h - memory with one lifetime, freed at once
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

/* An empty arena; owned by the caller. Not shared between threads while it grows. */
struct arena *arena_new(void);

/* Free everything that came from the arena or was handed to it. Takes NULL. */
void arena_free(struct arena *a);

/* count * size bytes, not cleared, aligned for any type; never NULL (see mem.h). */
void *arena_alloc(struct arena *a, size_t count, size_t size);

/* The same, cleared. */
void *arena_zalloc(struct arena *a, size_t count, size_t size);

/* A copy of n bytes of s with a NUL behind. */
char *arena_strndup(struct arena *a, const char *s, size_t n);

/* Hand over a block from malloc: it is freed with the arena. Gives p. Takes NULL. */
void *arena_own(struct arena *a, void *p);

#endif
