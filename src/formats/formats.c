/*
 * formats.c - the table of formats, and reading a profile of any of them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * profile.proto is tried first, then the legacy formats in pprof's order. For a damaged profile.proto,
 * pprof reports only "unrecognized"; cpa reports the reason if the bytes begin like a profile.proto.
 */
#include "config.h"

#include "formats/formats.h"

#include "base/hash.h"
#include "formats/folded/folded.h"
#include "formats/foreign/foreign.h"
#include "formats/legacy/legacy.h"
#include "formats/perf/perf.h"
#include "formats/pprof/pprof.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_PROBE_BYTES = 64, HASHED_PART = 16 << 20 };

const struct format_options formats_options_default = {
	.max_inflated = UINT64_C(16) << 30,
	.max_ratio = 500,
	.max_count = FORMAT_COUNT_DEFAULT,
	.max_depth = 1000000,
	.max_nesting = 1,
};

#define MAGIC(text, position) .magic = (text), .n_magic = sizeof(text) - 1, .at = (position)

const struct file_format formats[] = {
	{ .name = "pprof",
	  .other_names = "profile.proto proto",
	  .endings = ".pb.gz .pb .pprof",
	  .help = "profile.proto, as pprof and most profilers write it",
	  .report = "proto",
	  .read = pprof_read },
	{ .name = "gperftools-cpu",
	  .endings = ".prof",
	  .help = "binary CPU profile of gperftools, 32 and 64 bits, either byte order; CPU profile of Java",
	  .loses = "It has addresses and a memory map; names come from binaries.",
	  .read = legacy_read_cpu },
	{ .name = "heap",
	  .endings = ".heap .hprof",
	  .help = "heap profile as text: gperftools, Go with debug=1",
	  .loses = "Sampled counts are scaled to estimates, as in pprof.",
	  .read = legacy_read_heap },
	{ .name = "go-count",
	  .help = "counts per stack as text: goroutine and threadcreate with debug=1",
	  .loses = "Lines with names are comments in it; names come from binaries.",
	  .read = legacy_read_go_count },
	{ .name = "threadz", .help = "stacks of all threads as text, from /threadz", .read = legacy_read_threads },
	{ .name = "contention",
	  .help = "lock contention as text: gperftools, Go with debug=1",
	  .read = legacy_read_contention },
	{ .name = "java", .help = "heap and contention profiles of Java as text", .read = legacy_read_java },

	{ .name = "folded",
	  .other_names = "collapsed flamegraph",
	  .endings = ".folded .collapsed .txt",
	  .help = "folded stacks, a;b;c 12, as FlameGraph, py-spy, async-profiler and bpftrace write them",
	  .loses = "It has names, and numbers without a unit; two numbers per line are sample types before and after.",
	  .report = "folded",
	  .probe = folded_probe,
	  .read = folded_read,
	  .looks_like = "folded stacks" },

	{ .name = "perf",
	  .other_names = "perf.data",
	  .endings = "perf.data",
	  .help = "recording of perf record, as a file or a pipe, also with zstd and with copies of stacks",
	  .loses = "Times, CPUs, branches, registers and data addresses of samples are not kept.",
	  .probe = perfdata_probe,
	  .is_streamed = true,
	  .read = perfdata_read },

	/* recognized, not read */
	{ .probe = foreign_page, .read = foreign_read_page },
	{ MAGIC("version https://git-lfs.", 0), .looks_like = "a Git LFS pointer; get the file with git lfs pull" },
	{ MAGIC("ustar", 257), .looks_like = "a tar archive; unpack it first" },
	{ MAGIC("H4sI", 0), .looks_like = "base64 text; decode it first with base64 -d" },
	{ MAGIC("KLUv/", 0), .looks_like = "base64 text; decode it first with base64 -d" },
	{ MAGIC("\177ELF", 0), .looks_like = "an ELF file; pass a profile after it" },
	{ MAGIC("PERFFILE", 0), .looks_like = "a perf.data file of perf before 2009, which cpa does not read" },
	{ MAGIC("ELIFFREP", 0), .looks_like = "a perf.data file of perf before 2009, which cpa does not read" },
	{ .name = "jfr",
	  .endings = ".jfr",
	  .help = "Java Flight Recorder",
	  MAGIC("FLR\0", 0),
	  .looks_like = "a recording of Java Flight Recorder, which cpa does not read" },
	{ .name = "jemalloc",
	  .endings = ".heap",
	  .help = "heap profile of jemalloc",
	  MAGIC("heap_v2/", 0),
	  .looks_like = "a heap profile of jemalloc, which cpa does not read" },
	{ MAGIC("\x89PNG", 0), .looks_like = "a PNG image" },
	{ MAGIC("%PDF", 0), .looks_like = "a PDF document" },
	{ MAGIC("PK\3\4", 0), .looks_like = "a ZIP archive" },
	{ MAGIC("BZh", 0), .looks_like = "bzip2 data; decompress it first" },
	{ MAGIC("\xfd"
		"7zXZ",
		0),
	  .looks_like = "xz data; decompress it first" },
	{ MAGIC("#!", 0), .looks_like = "a script" },
	{ .name = "go-trace",
	  .help = "execution trace of Go",
	  MAGIC("go 1.", 0),
	  .looks_like = "a Go execution trace; use go tool trace" },
	{ .name = "goroutines",
	  .help = "text dump of goroutines, /debug/pprof/goroutine?debug=2; cpa threads shows it",
	  .probe = foreign_goroutines,
	  .looks_like = "a text dump of goroutines; fetch the profile without debug=2" },
	{ .name = "callgrind",
	  .endings = "callgrind.out",
	  .help = "call costs of Valgrind",
	  .report = "callgrind",
	  .probe = foreign_callgrind,
	  .looks_like = "a callgrind file, which cpa does not read" },
	{ .name = "speedscope",
	  .endings = ".speedscope.json",
	  .help = "JSON for speedscope.app",
	  .report = "speedscope",
	  .keys = { "speedscope.app/file-format-schema.json" },
	  .looks_like = "a speedscope file, which cpa does not read" },
	{ .name = "cpuprofile",
	  .endings = ".cpuprofile",
	  .help = "CPU profile of V8: Node.js, Chromium",
	  .keys = { "\"nodes\"", "\"callFrame\"" },
	  .looks_like = "a CPU profile of V8, which cpa does not read" },
	{ .name = "heapprofile",
	  .endings = ".heapprofile",
	  .help = "sampled heap profile of V8",
	  .keys = { "\"head\"", "\"selfSize\"" },
	  .looks_like = "a heap profile of V8, which cpa does not read" },
	{ .name = "chrome-trace",
	  .help = "trace events of Chromium",
	  .keys = { "\"traceEvents\"" },
	  .looks_like = "a Chrome trace, which cpa does not read" },
	{ .name = "firefox",
	  .help = "JSON of the Firefox Profiler",
	  .keys = { "\"meta\"", "\"preprocessedProfileVersion\"" },
	  .looks_like = "a profile of the Firefox Profiler, which cpa does not read" },
	{ .name = "otlp-json",
	  .help = "OpenTelemetry profiles as JSON",
	  .keys = { "\"resourceProfiles\"" },
	  .looks_like = "OpenTelemetry profiles as JSON, which cpa does not read" },
	{ .probe = foreign_xml, .looks_like = "an HTML or XML page" },
	{ .probe = foreign_json, .looks_like = "JSON text" },
};
const size_t n_formats = sizeof(formats) / sizeof(formats[0]);

/* Return true if the name is one of the words. */
static bool formats_has_word(const char *words, const char *name)
{
	for (size_t n; words && *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (strlen(name) == n && memcmp(words, name, n) == 0)
			return true;
	}
	return false;
}

const struct file_format *formats_find(const char *name)
{
	for (size_t i = 0; i < n_formats; i++)
		if (formats_has_word(formats[i].name, name) || formats_has_word(formats[i].other_names, name))
			return &formats[i];
	return NULL;
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

static enum format_match formats_match(const struct file_format *f, const struct bytes *b)
{
	if (f->magic)
		return b->n >= f->at + f->n_magic && memcmp(b->data + f->at, f->magic, f->n_magic) == 0 ? FORMAT_SURE
													: FORMAT_NO;
	if (f->keys[0])
		return foreign_has_keys(b->data, b->n, f->keys) ? FORMAT_SURE : FORMAT_NO;
	return f->probe ? f->probe(b->data, b->n) : FORMAT_SURE;
}

/* Read with the first row that recognizes the bytes. Fails with ERR_UNKNOWN if there is none. */
static int formats_read_other(const struct bytes *b, const struct format_options *options, struct profile **out,
			      struct err *err)
{
	const struct file_format *maybe = NULL;

	for (size_t i = 1; i < n_formats; i++) {
		const struct file_format *f = &formats[i];
		enum format_match match = formats_match(f, b);
		int rc;

		if (match == FORMAT_SURE && !f->read)
			return err_set(err, ERR_FORMAT, "not a profile: it looks like %s", f->looks_like);
		if (match == FORMAT_SURE && (rc = f->read(b->data, b->n, options, out, err)) != ERR_UNKNOWN)
			return rc;
		if (match == FORMAT_MAYBE && !maybe)
			maybe = f;
	}
	if (maybe)
		return err_set(err, ERR_FORMAT,
			       "not certainly a profile: it may be %s; add --input-format=%s to read it",
			       maybe->looks_like, maybe->name);
	return ERR_UNKNOWN;
}

bool formats_is_streamed(const uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n_formats; i++)
		if (formats[i].is_streamed && formats[i].probe(data, n) == FORMAT_SURE)
			return true;
	return false;
}

/* The hash of the content; of a large one, of the hashes of its parts, so that a mapped file is never in memory as a whole. */
static uint64_t formats_hash(const struct bytes *b)
{
	size_t given_back = 0;
	uint64_t h = 0;

	for (size_t at = 0, n; at < b->n; at += n) {
		n = b->n - at < HASHED_PART ? b->n - at : HASHED_PART;
		h = at ? hash_mix(h, hash_bytes(b->data + at, n)) : hash_bytes(b->data, n);
		if (b->is_mapped)
			given_back = io_give_back(b->data, given_back, at + n);
	}
	return h;
}

/* Detect the format and read the bytes; formats[0] is profile.proto. */
static int formats_detect(const struct bytes *b, const struct format_options *options, struct profile **out,
			  struct err *err)
{
	struct err proto;
	int rc = formats[0].read(b->data, b->n, options, out, &proto);

	if (rc == 0)
		return 0;
	rc = formats_read_other(b, options, out, err);
	if (rc != ERR_UNKNOWN)
		return rc;
	if (!begins_like_proto(b->data, b->n))
		return err_set(err, ERR_FORMAT, "not a profile: neither profile.proto nor a legacy format");
	*err = proto;
	return proto.code;
}

int formats_read_as(const struct file_format *f, struct bytes *in, const struct format_options *options,
		    struct profile **out, struct err *err)
{
	struct format_options own = *options;
	struct bytes b = { 0 };
	int rc;

	rc = f && !f->read ? err_set(err, ERR_USAGE, "cpa does not read the format %s", f->name)
			   : format_inflate(in, options, &b, err);
	io_release(in); /* empty after format_inflate */
	own.is_mapped = b.is_mapped;
	options = &own;
	if (rc == 0 && b.n == 0)
		rc = err_set(err, ERR_FORMAT, "empty input");
	if (rc == 0)
		rc = f ? f->read(b.data, b.n, options, out, err) : formats_detect(&b, options, out, err);
	if (rc == ERR_UNKNOWN)
		rc = err_set(err, ERR_FORMAT, "not a profile of the format %s", f->name);
	if (rc == 0)
		(*out)->content_hash = formats_hash(&b);
	io_release(&b);
	return rc;
}

int formats_read(struct bytes *in, const struct format_options *options, struct profile **out, struct err *err)
{
	return formats_read_as(NULL, in, options, out, err);
}
