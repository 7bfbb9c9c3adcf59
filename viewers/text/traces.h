/*
 * traces.h - traces as pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_TRACES_H
#define VIEWERS_TEXT_TRACES_H

#include "report/traces.h"

/* To the byte as pprof, but that names and labels cannot carry control characters. */
extern const struct traces_viewer text_traces;

#endif
