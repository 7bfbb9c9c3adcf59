/*
 * arena.h - memory that is freed all at once
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;
struct buf;

/* An empty arena, owned by the caller. Only one thread may allocate from it at a time. */
struct arena *arena_new(void);

/* Free the arena with everything allocated from it or owned by it. NULL is allowed. */
void arena_free(struct arena *a);

/* count * size uninitialized bytes, aligned for any type; never NULL (see mem.h). */
void *arena_alloc(struct arena *a, size_t count, size_t size);

/* Like arena_alloc, but zero-filled. */
void *arena_zalloc(struct arena *a, size_t count, size_t size);

/* A NUL-terminated copy of n bytes of s. */
char *arena_strndup(struct arena *a, const char *s, size_t n);

/* A formatted text. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A copy of the text of b, which is released. */
char *arena_move(struct arena *a, struct buf *b);

/* Transfer ownership of a malloc block: it is freed with the arena. Returns p, which may be NULL. */
void *arena_own(struct arena *a, void *p);

/* Free a large block early: one that arena_own got, or from arena_alloc. Others, and NULL, are freed with the arena. */
void arena_release(struct arena *a, void *p);

#endif
