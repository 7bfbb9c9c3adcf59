/*
 * outline.h - the table of contents of a PDF of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_PDF_OUTLINE_H
#define VIEWERS_PDF_OUTLINE_H

#include "viewers/pdf/index.h"

/* Add the picture, its pages, its heaviest functions (those with most of their own; in a comparison
   those whose own changed most) and the index. */
void outline_add(const struct painter *p, const struct index_ask *index);

#endif
