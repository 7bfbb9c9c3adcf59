/*
 * package.h - which package a function belongs to
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_FLAME_PACKAGE_H
#define VIEWERS_FLAME_PACKAGE_H

#include "base/buf.h"
#include "report/flame.h"

/* Append the package a function belongs to as its name, file and binary tell; nothing when nothing does. */
void package_add(const struct flame_frame *f, struct buf *out);

#endif
