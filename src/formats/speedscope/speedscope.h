/*
 * speedscope.h - read files of speedscope.app, which py-spy, rbspy, dotnet-trace and others write
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_SPEEDSCOPE_SPEEDSCOPE_H
#define FORMATS_SPEEDSCOPE_SPEEDSCOPE_H

#include "formats/common/format.h"

/*
 * Profiles in units of time are the sample type time in nanoseconds, in bytes space, others weight; the name of a profile
 * is the label thread, and of py-spy also tid and pid. In a file of cpa each profile is a sample type instead. A
 * format_read_fn.
 */
int speedscope_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		    struct err *err);

#endif
