/*
 * downsample.h - reduce the resolution of old profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_DOWNSAMPLE_H
#define STORE_LOCAL_UPKEEP_DOWNSAMPLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stdint.h>

struct store_writer;

/*
 * Downsample what is older than the retention of its tier, with the maintenance lock held. Segments of which nothing is kept are left to
 * cap_retain.
 *
 * report  a line for each segment is appended; may be NULL
 */
int downsample_run(struct store_writer *w, bool dry_run, struct stop *stop, struct buf *report, struct err *err);

/*
 * Make room under the quota by the next step of docs/store.md: one segment gets a coarser tier, or the oldest one of the last tiers is
 * removed. For cap.make_room; arg is the writer.
 *
 * is_done  set if there is nothing left
 */
int downsample_make_room(void *arg, uint64_t bytes, bool *is_done, struct err *err);

#endif
