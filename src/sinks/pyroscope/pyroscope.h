/*
 * pyroscope.h - sinks with the protocol of Pyroscope
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_PYROSCOPE_PYROSCOPE_H
#define SINKS_PYROSCOPE_PYROSCOPE_H

#include "sinks/sink.h"

extern const struct sink_kind sink_pyroscope, sink_cpa;

#endif
