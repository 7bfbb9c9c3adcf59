/*
 * bundle.h - the source lines that reports of a profile need, put into it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_BUNDLE_H
#define ANSWER_BUNDLE_H

#include "base/buf.h"
#include "engine/query.h"
#include "profile/profile.h"

/*
 * Put source files into a profile: those that its lines name, as far as they are found. Of a long
 * file only what is around functions and lines that the profile names. Files that are not called as
 * source code is (a suffix of a language; none only below a folder called include) are left out.
 *
 * p       the loader's alone
 * told    a line is appended that counts what was found, and one that names what was left out
 */
void bundle_sources(struct profile *p, const struct query *q, struct buf *told);

#endif
