/*
 * gcp.h - the sink of Google's Cloud Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_GCP_GCP_H
#define SINKS_GCP_GCP_H

#include "sinks/sink.h"

extern const struct sink_kind sink_gcp;

#endif
