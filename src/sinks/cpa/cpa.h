/*
 * cpa.h - the sink of another collector of cpa
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_CPA_CPA_H
#define SINKS_CPA_CPA_H

#include "sinks/sink.h"

extern const struct sink_kind sink_cpa;

#endif
