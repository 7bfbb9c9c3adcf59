/*
 * perfscript.h - read the text of perf script: a header line per sample, and maybe a line per frame
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PERFSCRIPT_PERFSCRIPT_H
#define FORMATS_PERFSCRIPT_PERFSCRIPT_H

#include "formats/common/format.h"

/* Headers with a time or a CPU are certain, others only if a frame follows them. */
enum format_match perfscript_probe(const uint8_t *data, size_t n);

/*
 * Read text with any fields (perf script -F). The sample types are samples, and one per event with the sum of its
 * periods; an event without periods counts 1 per sample. The default is the first clock, else the first event. Comm, pid and tid are labels. Lines that are not understood are
 * skipped; a comment of the profile that begins with "perf-script: " says how many and where the first is.
 * A format_read_fn.
 */
int perfscript_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		    struct err *err);

#endif
