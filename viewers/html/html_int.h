/*
 * html_int.h - shared by the files of this folder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_HTML_INT_H
#define VIEWERS_HTML_INT_H

#include "base/pool.h"

#include <stdint.h>

/* Call fn(arg, 0) and fn(arg, 1), on two threads if there are enough boxes. */
void html_run_both(pool_fn fn, void *arg, uint32_t n_boxes);

#endif
