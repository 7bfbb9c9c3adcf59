/*
 * datadog_int.h - the parts of the sink of Datadog
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_DATADOG_DATADOG_INT_H
#define SINKS_DATADOG_DATADOG_INT_H

#include "base/buf.h"
#include "sinks/sink.h"

#include <stdint.h>

/* Append the id of the process of a series: the label runtime-id, else a UUID made from service and labels, always the same. */
void datadog_add_runtime_id(const struct sink_item *item, struct buf *out);

/* The name of the file of a kind in a family: "cpu.pprof"; NULL if Datadog has none. */
const char *datadog_attachment(const char *family, const char *kind);

/*
 * Append a form with the event and a profile.
 *
 * seq     number of the upload of this process, from 0
 * type    the content type of the form is appended
 * result  its why names parts that are left out, or the reason of a refusal
 * Returns false if the profile was refused
 */
bool datadog_add_form(const struct sink_item *item, const char *family, uint64_t seq, struct buf *out, struct buf *type,
		      struct sink_result *result);

#endif
