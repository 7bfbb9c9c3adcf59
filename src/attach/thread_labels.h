/*
 * thread_labels.h - labels that a program set for its threads, read from its memory while they wait
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two layouts are read, of any library that publishes them:
 *
 *	otel_thread_ctx_v1, from OpenTelemetry's OTEP 4947, "Thread Context"; libcpaprof publishes it too
 *	custom_labels_current_set, from Polar Signals' "Custom Label ABI (v1)"
 *
 * A thread is not stopped. Its labels are used if it was not scheduled while they were read.
 */
#ifndef ATTACH_THREAD_LABELS_H
#define ATTACH_THREAD_LABELS_H

#include "attach/context.h"
#include "libcpaprof/collector/external.h"

#include <stdbool.h>
#include <sys/types.h>

enum {
	LABEL_SETS_MAX = 1 << 16,   /* further sets are cpa_label_overflow=1 */
	LABEL_BYTES_MAX = 16 << 20, /* of all sets */
	LABEL_PAIRS_READ_MAX = 256,
	LABEL_KEY_READ_MAX = 255,   /* bytes of a key of custom labels; longer ones are cut */
	LABEL_VALUE_READ_MAX = 1023 /* bytes of a value of custom labels; longer ones are cut */
};

struct thread_labels;

struct thread_labels *attach_labels_new(void);
void attach_labels_free(struct thread_labels *l); /* takes NULL */

/*
 * Find what a process publishes, and read its context. Call it again when its mappings may have changed.
 *
 * wants_threads   search for labels of threads, too; otherwise they count as not published, unless the context names them
 */
void attach_labels_find(struct thread_labels *l, pid_t pid, struct address_space *space, bool wants_threads);

/* The context that was read last. */
const struct process_context *attach_labels_context(const struct thread_labels *l);

/* Does the process publish labels of its threads? */
bool attach_labels_exist(const struct thread_labels *l);

/* Number of threads that were read, and of those whose thread descriptor was not found. */
void attach_labels_count(const struct thread_labels *l, uint64_t *n_read, uint64_t *n_unknown);

/* The functions of struct external_labels; arg is l. */
uint32_t attach_labels_read(void *l, struct address_space *space, int folder, uint32_t tid);
int attach_labels_each(void *l, uint32_t set, collect_label_fn *f, void *arg);

#endif
