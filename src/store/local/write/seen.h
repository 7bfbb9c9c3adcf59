/*
 * seen.h - finds profiles that the segments of a store contain already
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Has a connection to the catalogue of its own, so that an append does not wait for maintenance. Used with `lock` of the
 * writer held.
 */
#ifndef STORE_LOCAL_WRITE_SEEN_H
#define STORE_LOCAL_WRITE_SEEN_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct store_seen;

struct store_seen *seen_new(int dir, const char *directory);
void seen_free(struct store_seen *s); /* takes NULL */

/*
 * Find a profile. Chapters that are damaged are left out.
 *
 * generation  of the segments: when it changes, they are listed again
 * content     its content_hash, if it was found
 * Fails       ERR_IO
 */
int seen_find(struct store_seen *s, uint64_t generation, const char *service, const uint8_t id[16], int64_t start_ns,
	      bool *found, uint64_t *content, struct err *err);

#endif
