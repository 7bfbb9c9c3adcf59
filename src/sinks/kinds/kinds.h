/*
 * kinds.h - the kinds of sinks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_KINDS_KINDS_H
#define SINKS_KINDS_KINDS_H

#include "sinks/sink.h"

extern const struct sink_kind *const sink_kinds[]; /* up to NULL */

/* The kind of a URL; NULL if there is none. */
const struct sink_kind *kinds_of_url(const char *url);

/* Open a sink. Fails with ERR_USAGE: the message of an unknown URL lists the prefixes of all kinds. */
int kinds_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err);

#endif
