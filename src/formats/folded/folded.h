/*
 * folded.h - read folded stacks: "main;work 3", a stack, root first, and a number per line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_FOLDED_FOLDED_H
#define FORMATS_FOLDED_FOLDED_H

#include "formats/common/format.h"

/* Folded text whose type is known, as agents push it. */
struct folded_pushed {
	const char *type, *unit;
	int64_t value_ns;  /* of a sample, for a second sample type "cpu"; 0: none */
	bool counts_lines; /* lines have no number, each counts once */
};

/* Text of stacks separated by semicolons is certain; without any it may be something else. */
enum format_match folded_probe(const uint8_t *data, size_t n);

/*
 * Read a file: UTF-8, or UTF-16 with a byte order mark. If each line ends in two numbers, the sample types are before
 * and after, else samples. Fractions are multiplied by a power of ten, at most 10^6. Lines without a number, and empty
 * frames, are skipped; a comment of the profile that begins with "folded: " says how many and where the first is.
 * A format_read_fn.
 */
int folded_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		struct err *err);

/* Read pushed text, in which each line must have a number without sign and fraction. Fails as folded_read. */
int folded_read_pushed(const struct folded_pushed *pushed, const uint8_t *data, size_t n,
		       const struct format_options *options, struct profile **out, struct err *err);

#endif
