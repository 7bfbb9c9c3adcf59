/*
 * coroot.h - the sink of Coroot
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_COROOT_COROOT_H
#define SINKS_COROOT_COROOT_H

#include "sinks/sink.h"

extern const struct sink_kind sink_coroot;

#endif
