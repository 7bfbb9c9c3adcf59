/*
 * formats.h - the table of formats, and reading a profile of any of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_FORMATS_H
#define FORMATS_FORMATS_H

#include "base/err.h"
#include "base/io.h"
#include "formats/common/format.h"
#include "profile/profile.h"

#include <stddef.h>

/* A format. Rows without a name are contents that users pass by mistake; only their message is of use. */
struct file_format {
	const char *name;        /* for --input-format and help; NULL */
	const char *other_names; /* separated by blanks; may be NULL */
	const char *endings;     /* usual endings of files, for help only: the content decides */
	const char *help;        /* a line */
	const char *loses;  /* a sentence on what the format has and a profile has not, or the reverse; may be NULL */
	const char *report; /* the report that writes it; NULL: none */

	/* The bytes by which the format is recognized, or keys of JSON, or a function; without all, read reports ERR_UNKNOWN. */
	const char *magic;
	size_t n_magic, at;
	const char *keys[2];
	enum format_match (*probe)(const uint8_t *data, size_t n);

	/* The reader reads once, in order, and gives back the pages of a mapped file. Large files are not copied for it. */
	bool is_streamed;

	format_read_fn read;    /* NULL: recognized only */
	const char *looks_like; /* "not a profile: it looks like ..."; if read is NULL */
};

/* In the order in which they are tried. */
extern const struct file_format formats[];
extern const size_t n_formats;

/* The format of this name, or NULL. */
const struct file_format *formats_find(const char *name);

extern const struct format_options formats_options_default;

/* Is the content of a format that is_streamed? If so, and the file is large, map it instead of reading it. */
bool formats_is_streamed(const uint8_t *data, size_t n);

/*
 * Read a profile of any format in the table, compressed with gzip (maybe of several members), zstd or LZ4, or
 * uncompressed. The format is detected from the content.
 *
 * in      consumed: its data is freed as soon as it is no longer needed, and n is set to 0
 * out     owned by the caller, freed with profile_free
 * Fails   ERR_FORMAT, ERR_LIMIT; the message describes the problem and its position
 */
int formats_read(struct bytes *in, const struct format_options *options, struct profile **out, struct err *err);

/* The same for content of a known format. f: NULL: detect it. Fails also with ERR_USAGE if cpa does not read it. */
int formats_read_as(const struct file_format *f, struct bytes *in, const struct format_options *options,
		    struct profile **out, struct err *err);

#endif
