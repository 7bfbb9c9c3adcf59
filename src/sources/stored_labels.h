/*
 * stored_labels.h - properties of the labels in a store, for cpa labels
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_STORED_LABELS_H
#define SOURCES_STORED_LABELS_H

#include "base/err.h"
#include "engine/query.h"
#include "report/labels.h"

/*
 * Add the labels of the series of a source store:, and the numbers of values of labels of samples per UTC day, which are those of
 * the last 31 days of its window. Reads each day.
 *
 * out    zero-initialised at first; released with stored_labels_release
 * Fails  as store_read, but not for days without profiles
 */
int stored_labels_read(const char *source, const struct query *q, struct label_facts *out, struct err *err);
void stored_labels_release(struct label_facts *facts);

#endif
