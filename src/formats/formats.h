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
#include "formats/common/pieces.h"
#include "formats/json/kind.h"
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

	/* The bytes by which the format is recognized, or a kind of JSON, or a function; without all, read reports ERR_UNKNOWN. */
	const char *magic;
	size_t n_magic, at;
	enum jsonr_kind json;
	enum format_match (*probe)(const uint8_t *data, size_t n);
	const char *in_folder; /* it is a folder, recognized by a file of this name in it */

	/* The reader reads once, in order, and gives back the pages of a mapped file. Large files are not copied for it. */
	bool is_streamed;

	/* Reads a large file while it is decompressed. On failure nothing is known: read is to be called. May be NULL. */
	int (*read_pieces)(struct pieces *in, const struct format_options *options, struct profile **out);

	format_read_fn read;    /* NULL: recognized only */
	const char *looks_like; /* "not a profile: it looks like ..."; if read is NULL */
	const char *convert;    /* a command line that converts it to a format that cpa reads; may be NULL */
};

/* In the order in which they are tried. */
extern const struct file_format formats[];
extern const size_t n_formats;

/* The format of this name, or NULL. */
const struct file_format *formats_find(const char *name);

/*
 * The format in which convert writes a file of this name. Only formats that a report writes count; the longest ending
 * decides. NULL if no ending matches, or if several formats have it.
 */
const struct file_format *formats_find_written(const char *path);

/*
 * The format that --input-format names.
 *
 * name    "" for none
 * out     NULL if there is none, so that the content decides
 * Fails   ERR_USAGE for a format that does not exist or that cpa does not read
 */
int formats_find_input(const char *name, const struct file_format **out, struct err *err);

extern const struct format_options formats_options_default;

/* Is the content of a format that is_streamed, or gzip? If so, and the file is large, map it instead of reading it. */
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

/* Is the path a folder that is a recording, of perf or of a program that cpa does not read? */
bool formats_is_folder(const char *path);

/*
 * Read a folder that is a recording, for formats_read.
 *
 * max     bytes of all files
 * out     owned by the caller; unchanged on failure
 * Fails   ERR_UNKNOWN, without a message, if it is not formats_is_folder; ERR_FORMAT if cpa does not read it, then the
 *         message names a converter; ERR_IO, ERR_LIMIT
 */
int formats_read_folder(const char *path, uint64_t max, struct bytes *out, struct err *err);

/* The length of the name of a file without the usual endings of formats and of compression: 3 of "cpu.pb.gz". */
size_t formats_stem(const char *name, size_t n);

#endif
