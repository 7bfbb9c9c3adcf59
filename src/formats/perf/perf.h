/*
 * perf.h - read perf.data, the recording of perf record
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PERF_PERF_H
#define FORMATS_PERF_PERF_H

#include "base/io.h"
#include "formats/common/format.h"

/* Does it begin with the magic of a recording? */
enum format_match perfdata_probe(const uint8_t *data, size_t n);

/*
 * Read a recording: file or pipe mode, either byte order, records compressed with zstd or not. Sample types are samples,
 * then one per event; if there are several events, also EVENT_sample, the number of samples of each. Samples of a thread
 * with equal stacks are one row. Labels are pid, tid and comm.
 *
 * Mappings of a file at several addresses, in several processes, are one mapping, at the first of these addresses. Code
 * in memory without a file has the mapping /tmp/perf-PID.map, where names of generated code are, as in perf. Return
 * addresses are reduced by one, as in profile.proto.
 *
 * Comments that begin with "perf: " say what was lost or skipped. A recording that was cut is read up to there.
 * A format_read_fn.
 */
int perfdata_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		  struct err *err);

/* Is it a directory that perf record --threads wrote? */
bool perfdata_directory_is(const char *path);

/*
 * Read all files of such a directory into one block for perfdata_read.
 *
 * max     bytes of all files
 * out     owned by the caller; unchanged on failure
 * Fails   ERR_IO, ERR_LIMIT; the message begins with the name of the file in the directory
 */
int perfdata_directory_read(const char *path, uint64_t max, struct bytes *out, struct err *err);

#endif
