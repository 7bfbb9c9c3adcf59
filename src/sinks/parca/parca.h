/*
 * parca.h - the sink of Parca and of Polar Signals: WriteRaw of parca.profilestore.v1alpha1
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_PARCA_PARCA_H
#define SINKS_PARCA_PARCA_H

#include "sinks/sink.h"

extern const struct sink_kind sink_parca;

#endif
