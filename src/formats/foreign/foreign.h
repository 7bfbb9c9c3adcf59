/*
 * foreign.h - recognize content that cpa does not read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each probe takes the decompressed bytes of a file. A format with a magic number needs no probe, only a row in
 * formats/formats.c.
 */
#ifndef FORMATS_FOREIGN_FOREIGN_H
#define FORMATS_FOREIGN_FOREIGN_H

#include "formats/common/format.h"

enum format_match foreign_goroutines(const uint8_t *data,
				     size_t n); /* a dump that begins like "goroutine 7 [running]:" */
enum format_match foreign_heaptrack(const uint8_t *data, size_t n);
enum format_match foreign_heaptrack_raw(const uint8_t *data, size_t n); /* before heaptrack_interpret */
enum format_match foreign_massif(const uint8_t *data, size_t n);
enum format_match foreign_pstats(const uint8_t *data, size_t n);  /* marshalled data of Python's cProfile */
enum format_match foreign_etl(const uint8_t *data, size_t n);     /* Event Tracing for Windows */
enum format_match foreign_xctrace(const uint8_t *data, size_t n); /* XML that xctrace of macOS exports */

enum format_match foreign_xml(const uint8_t *data, size_t n);
enum format_match foreign_page(const uint8_t *data, size_t n); /* a page of HTML */

/* Fails for a page of HTML saved as a profile, such as the login page of a server, with its title. A format_read_fn. */
int foreign_read_page(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		      struct err *err);

#endif
