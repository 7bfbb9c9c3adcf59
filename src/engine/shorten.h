/*
 * shorten.h - function names without their packages, for narrow boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_SHORTEN_H
#define ENGINE_SHORTEN_H

#include "base/buf.h"

/*
 * Append a function name without package path (Go), packages (Java) or outer namespaces (C++).
 *
 * Like    pprof internal/graph ShortenFunctionName
 */
void shorten_add(struct buf *out, const char *name);

#endif
