/*
 * images.h - mappings of processes, from the records of perf events
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process that ends before its records are read has no /proc/PID/maps any more. Its mappings are those that the kernel
 * reported: since its last exec, and those of its parent when it was forked.
 */
#ifndef ATTACH_IMAGES_H
#define ATTACH_IMAGES_H

#include "attach/events.h"
#include "base/buf.h"

struct images;
struct image; /* the address space of a process between two execs */

struct images *images_new(void);
void images_free(struct images *s); /* takes NULL */

/* Add a record: RECORD_MAPPING, RECORD_START, RECORD_EXEC or RECORD_EXIT. Others are ignored. */
void images_add(struct images *s, const struct event_record *r);

/* Apply all added records, in order of time, after the rings of all CPUs were read. */
void images_apply(struct images *s);

/* Forget processes that had ended before the last call. */
void images_forget_ended(struct images *s);

/* The image of a process at a time; NULL: not known. Valid until the next images_apply or images_forget_ended. */
struct image *images_find(struct images *s, uint32_t pid, uint64_t time_ns);

/* Write its mappings in the format of /proc/PID/maps. Those of a parent that the records do not contain are read now. */
void image_write(const struct image *m, struct buf *out);

/* The name of the program; "": not known. */
const char *image_name(const struct image *m);

/* A number of the caller's, at first 0. */
uint64_t *image_number(struct image *m);

#endif
