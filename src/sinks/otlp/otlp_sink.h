/*
 * otlp_sink.h - the sink of OpenTelemetry: profiles over OTLP/HTTP
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_OTLP_OTLP_SINK_H
#define SINKS_OTLP_OTLP_SINK_H

#include "sinks/sink.h"

extern const struct sink_kind sink_otlp;

#endif
