/*
 * bundle.h - add to a profile the source lines that its reports need
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_BUNDLE_H
#define SOURCES_BUNDLE_H

#include "base/buf.h"
#include "profile/profile.h"

struct query;

/*
 * Add to a profile the source files that its lines refer to, if they are found. If a file is long, only
 * the lines near functions and lines of the profile are added. Files without a suffix of a programming
 * language are omitted, except in folders named include.
 *
 * p       owned by the loader, not shared yet
 * notes   a line with the number of lines found is appended, and another with the names of omitted files
 */
void bundle_sources(struct profile *p, const struct query *q, struct buf *notes);

#endif
