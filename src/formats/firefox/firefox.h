/*
 * firefox.h - read processed profiles of the Firefox Profiler; samply writes them too
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_FIREFOX_FIREFOX_H
#define FORMATS_FIREFOX_FIREFOX_H

#include "formats/common/format.h"

/*
 * Versions with tables per thread (up to 55), with shared strings (56 to 59) and with shared tables (60 to 70).
 * Weights in samples are the sample type samples, in ms time, in bytes space. Threads are the labels thread, process, tid
 * and pid. A format_read_fn.
 */
int firefox_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		 struct err *err);

#endif
