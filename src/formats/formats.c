/*
 * formats.c - detect the format of a profile and read it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * profile.proto is tried first, then the legacy formats in pprof's order. For a damaged profile.proto,
 * pprof reports only "unrecognized"; cpa reports the reason if the bytes begin like a profile.proto.
 */
#include "config.h"

#include "formats/formats.h"

#include "base/hash.h"
#include "base/webpage.h"
#include "formats/legacy/legacy_read.h"
#include "formats/pprof/pprof.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_PROBE_BYTES = 64 };

const struct format_limits formats_limits_default = {
	.max_inflated = UINT64_C(16) << 30,
	.max_ratio = 500,
	.max_count = FORMAT_COUNT_DEFAULT,
	.max_depth = 1000000,
	.max_nesting = 1,
};

/* Is the data a text dump of goroutines, which begins like "goroutine 7 [running]:"? */
static bool is_goroutine_text(const uint8_t *data, size_t n)
{
	static const char first[] = "goroutine ";
	size_t len = sizeof(first) - 1;

	return n > len && memcmp(data, first, len) == 0 && data[len] >= '0' && data[len] <= '9';
}

/* Name file types that users pass by mistake; NULL if unknown. */
static const char *other_content(const uint8_t *data, size_t n)
{
	static const struct {
		const char *magic, *what;
		size_t n, at;
	} known[] = {
		{ "version https://git-lfs.", "a Git LFS pointer; get the file with git lfs pull", 24, 0 },
		{ "ustar", "a tar archive; unpack it first", 5, 257 },
		{ "H4sI", "base64 text; decode it first with base64 -d", 4, 0 },
		{ "KLUv/", "base64 text; decode it first with base64 -d", 5, 0 },
		{ "\177ELF", "an ELF file; pass a profile after it", 4, 0 },
		{ "PERFILE2", "a perf.data file, which cpa does not read", 8, 0 },
		{ "\x89PNG", "a PNG image", 4, 0 },
		{ "%PDF", "a PDF document", 4, 0 },
		{ "PK\3\4", "a ZIP archive", 4, 0 },
		{ "BZh", "bzip2 data; decompress it first", 3, 0 },
		{ "\xfd"
		  "7zXZ",
		  "xz data; decompress it first", 5, 0 },
		{ "#!", "a script", 2, 0 },
		{ "go 1.", "a Go execution trace; use go tool trace", 5, 0 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (n >= known[i].at + known[i].n && memcmp(data + known[i].at, known[i].magic, known[i].n) == 0)
			return known[i].what;
	if (is_goroutine_text(data, n))
		return "a text dump of goroutines; fetch the profile without debug=2";
	while (n && strchr(" \t\r\n", *data) && *data) {
		data++;
		n--;
	}
	if (n && *data == '<')
		return "an HTML or XML page";
	if (n && (*data == '{' || *data == '['))
		return "JSON text";
	return NULL;
}

/* Fail for a page of HTML saved as a profile, such as the login page of a server. */
static int fail_page(const uint8_t *data, size_t n, struct err *err)
{
	struct buf title = { 0 };

	webpage_add_title(data, n, &title);
	err_set(err, ERR_FORMAT, "not a profile: it is a web page%s%s%s", title.len ? ", \"" : "", buf_text(&title),
		title.len ? "\"" : "");
	buf_release(&title);
	return ERR_FORMAT;
}

/*
 * Do the bytes begin like a profile.proto: with a field of the schema and its wire type? The first bytes of a profile
 * include lengths and numbers that are not text, which distinguishes it from text.
 */
static bool begins_like_proto(const uint8_t *data, size_t n)
{
	size_t text = 0;
	static const uint8_t tags[] = { 0x0a, 0x12, 0x1a, 0x22, 0x2a, 0x32, 0x38, 0x40,
					0x48, 0x50, 0x5a, 0x60, 0x68, 0x6a, 0x70, 0x78 };

	while (text < n && text < TEXT_PROBE_BYTES &&
	       ((data[text] >= ' ' && data[text] < 0x7f) || data[text] == '\n' || data[text] == '\r' ||
		data[text] == '\t'))
		text++;
	return n && text < n && text < TEXT_PROBE_BYTES && memchr(tags, data[0], sizeof(tags));
}

static int read_plain(const struct bytes *b, const struct format_limits *limits, struct profile **out, struct err *err)
{
	static const format_read_fn legacy[] = { legacy_read_cpu,     legacy_read_heap,       legacy_read_go_count,
						 legacy_read_threads, legacy_read_contention, legacy_read_java };
	struct err proto;
	const char *what;
	int rc;

	if (b->n == 0)
		return err_set(err, ERR_FORMAT, "empty input");
	rc = pprof_read(b->data, b->n, limits, out, &proto);
	if (rc == 0)
		return 0;
	for (size_t i = 0; i < sizeof(legacy) / sizeof(legacy[0]); i++) {
		rc = legacy[i](b->data, b->n, limits, out, err);
		if (rc != ERR_UNKNOWN)
			return rc;
	}
	if (webpage_is(b->data, b->n))
		return fail_page(b->data, b->n, err);
	what = other_content(b->data, b->n);
	if (what)
		return err_set(err, ERR_FORMAT, "not a profile: it looks like %s", what);
	if (!begins_like_proto(b->data, b->n))
		return err_set(err, ERR_FORMAT, "not a profile: neither profile.proto nor a legacy format");
	*err = proto;
	return proto.code;
}

int formats_read(struct bytes *in, const struct format_limits *limits, struct profile **out, struct err *err)
{
	struct bytes inflated = { 0 };
	int rc = format_inflate(in, limits, &inflated, err);

	if (rc == 0)
		rc = read_plain(&inflated, limits, out, err);
	if (rc == 0)
		(*out)->content_hash = hash_bytes(inflated.data, inflated.n);
	free(inflated.data);
	return rc;
}
