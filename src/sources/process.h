/*
 * process.h - sources "pid:N": running processes, which are sampled before they are read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A source is "pid:N", "pid:N,N" or one of these with parameters: "pid:N?hz=250&off-cpu". Several sources are sampled
 * at the same time, each by a thread.
 */
#ifndef SOURCES_PROCESS_H
#define SOURCES_PROCESS_H

#include "attach/sample.h"
#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process_source;

/* Is it a source "pid:"? "pid:" without a digit after it may also be the name of a file. */
bool sources_is_process(const char *source);

/*
 * Parse a source.
 *
 * seconds  replaces the duration in the source; below 1 to keep that
 * out      freed with sources_process_free, which takes NULL; unchanged on failure
 * Fails    ERR_USAGE; the message does not contain the source
 */
int sources_process_new(const char *source, int64_t seconds, struct process_source **out, struct err *err);
void sources_process_free(struct process_source *p);

/* Append "process 4711 (nginx) for 10s", for a message. */
void sources_process_describe(const struct process_source *p, struct buf *out);

/* Start to sample in a thread. Errors are returned by sources_process_finish, which must be called. */
void sources_process_start(struct process_source *p);

/* End sampling early; the profile is valid. */
void sources_process_stop(struct process_source *p);

/* Is it still sampled? If so, *left_ms is set to the time that it will take. */
bool sources_process_is_running(struct process_source *p, uint64_t *left_ms);

/*
 * Wait for the end of the thread.
 *
 * out     the profile, owned by the caller; unchanged on failure
 * notes   lines for the user are appended
 * Fails   as attach_sample; the message does not begin with the source
 */
int sources_process_finish(struct process_source *p, struct profile **out, struct buf *notes, struct err *err);

/* Append "sampled 0.547 of 0.612 s of CPU time in 61 processes, 99.8 % complete". */
void sources_process_add_totals(const struct collect_totals *t, struct buf *out);

/* Append the same of processes sampled from outside, and "; 54 stacks in 1.0 s, cpa used 0.010 s of CPU time". */
void sources_process_add_result(const struct sample_result *r, struct buf *out);

#endif
