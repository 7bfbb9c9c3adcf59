/*
 * datadog.h - the sink of Datadog: the agent, and the intake of the company
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_DATADOG_DATADOG_H
#define SINKS_DATADOG_DATADOG_H

#include "sinks/sink.h"

extern const struct sink_kind sink_datadog;

#endif
