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
#include "formats/callgrind/callgrind.h"
#include "formats/folded/folded.h"
#include "formats/foreign/foreign.h"
#include "formats/legacy/legacy.h"
#include "formats/otlp/otlp.h"
#include "formats/perfscript/perfscript.h"
#include "formats/pprof/pprof.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_PROBE_BYTES = 64 };

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

	{ .name = "otlp",
	  .other_names = "opentelemetry",
	  .endings = ".otlp.pb",
	  .help = "OpenTelemetry profiles of each release, 1.3 to 1.11: requests, and files of the collector",
	  .loses = "It has attributes of profiles and locations. Written, it has no comments and no default type.",
	  .report = "otlp",
	  .probe = otlp_probe,
	  .read = otlp_read,
	  .looks_like = "OpenTelemetry profiles" },
	{ .name = "callgrind",
	  .other_names = "cachegrind",
	  .endings = "callgrind.out.PID cachegrind.out.PID",
	  .help = "call costs: callgrind of Valgrind, Xdebug",
	  .loses = "It is a call graph, not stacks: flat values are exact, cum is equal to flat.",
	  .report = "callgrind",
	  .probe = callcosts_probe,
	  .read = callcosts_read,
	  .looks_like = "a callgrind file" },
	{ .name = "perf-script",
	  .endings = ".perf .script.txt",
	  .help = "text of perf script, with any of its fields: perf script | cpa top -",
	  .loses = "Names are those of perf. Times are kept on request.",
	  .probe = perfscript_probe,
	  .read = perfscript_read,
	  .looks_like = "text of perf script" },
	/* JSON */
	{ .name = "speedscope",
	  .endings = ".speedscope.json",
	  .help = "JSON for speedscope.app",
	  .report = "speedscope",
	  .json = JSONR_KIND_SPEEDSCOPE,
	  .looks_like = "a speedscope file, which cpa does not read" },
	{ .name = "cpuprofile",
	  .endings = ".cpuprofile",
	  .help = "CPU profile of V8: Node.js, Chromium",
	  .json = JSONR_KIND_CPUPROFILE,
	  .looks_like = "a CPU profile of V8, which cpa does not read" },
	{ .name = "heapprofile",
	  .endings = ".heapprofile",
	  .help = "sampled heap profile of V8",
	  .json = JSONR_KIND_HEAPPROFILE,
	  .looks_like = "a heap profile of V8, which cpa does not read" },
	{ .json = JSONR_KIND_HEAPSNAPSHOT,
	  .looks_like = "a heap snapshot of V8, which has objects and no stacks; record a .heapprofile instead, with "
			"node --heap-prof or as Allocation sampling in DevTools" },
	{ .name = "chrome-trace",
	  .help = "trace events of Chromium",
	  .json = JSONR_KIND_TRACE,
	  .looks_like = "a Chrome trace, which cpa does not read" },
	{ .name = "firefox",
	  .help = "JSON of the Firefox Profiler",
	  .json = JSONR_KIND_FIREFOX,
	  .looks_like = "a profile of the Firefox Profiler, which cpa does not read" },
	{ .json = JSONR_KIND_GECKO,
	  .looks_like =
		  "a raw profile of Firefox; open it at profiler.firefox.com and save it there, which converts it" },
	{ .name = "otlp-json",
	  .help = "OpenTelemetry profiles as JSON, 1.8 and later",
	  .json = JSONR_KIND_OTLP,
	  .read = otlp_json_read },

	{ .name = "folded",
	  .other_names = "collapsed flamegraph",
	  .endings = ".folded .collapsed .txt",
	  .help = "folded stacks, a;b;c 12, as FlameGraph, py-spy, async-profiler and bpftrace write them",
	  .loses = "It has names, and numbers without a unit; two numbers per line are sample types before and after.",
	  .report = "folded",
	  .probe = folded_probe,
	  .read = folded_read,
	  .looks_like = "folded stacks" },

	/* recognized, not read */
	{ .probe = foreign_page, .read = foreign_read_page },
	{ MAGIC("version https://git-lfs.", 0), .looks_like = "a Git LFS pointer; get the file with git lfs pull" },
	{ MAGIC("ustar", 257), .looks_like = "a tar archive; unpack it first" },
	{ MAGIC("H4sI", 0), .looks_like = "base64 text; decode it first with base64 -d" },
	{ MAGIC("KLUv/", 0), .looks_like = "base64 text; decode it first with base64 -d" },
	{ MAGIC("\177ELF", 0), .looks_like = "an ELF file; pass a profile after it" },
	{ .name = "perf",
	  .other_names = "perf.data",
	  .endings = "perf.data",
	  .help = "recording of perf record",
	  MAGIC("PERFILE2", 0),
	  .looks_like = "a perf.data file, which cpa does not read" },
	{ MAGIC("2ELIFREP", 0), .looks_like = "a perf.data file of a big-endian machine, which cpa does not read" },
	{ MAGIC("PERFFILE", 0), .looks_like = "a perf.data file of perf before 2009, which cpa does not read" },
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
	{ .probe = foreign_xml, .looks_like = "an HTML or XML page" },
	{ .json = JSONR_KIND_OTHER, .looks_like = "JSON text" },
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

static enum format_match formats_match(const struct file_format *f, const struct bytes *b, enum jsonr_kind json)
{
	if (f->magic)
		return b->n >= f->at + f->n_magic && memcmp(b->data + f->at, f->magic, f->n_magic) == 0 ? FORMAT_SURE
													: FORMAT_NO;
	if (f->json)
		return f->json == json ? FORMAT_SURE : FORMAT_NO;
	return f->probe ? f->probe(b->data, b->n) : FORMAT_SURE;
}

/* Read with the first row that recognizes the bytes. Fails with ERR_UNKNOWN if there is none. */
static int formats_read_other(const struct bytes *b, const struct format_options *options, struct profile **out,
			      struct err *err)
{
	const struct file_format *maybe = NULL;
	enum jsonr_kind json = jsonr_find_kind(b->data, b->n);

	for (size_t i = 1; i < n_formats; i++) {
		const struct file_format *f = &formats[i];
		enum format_match match = formats_match(f, b, json);
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
	struct bytes b = { 0 };
	int rc;

	rc = f && !f->read ? err_set(err, ERR_USAGE, "cpa does not read the format %s", f->name)
			   : format_inflate(in, options, &b, err);
	free(in->data); /* NULL after format_inflate */
	*in = (struct bytes){ 0 };
	if (rc == 0 && b.n == 0)
		rc = err_set(err, ERR_FORMAT, "empty input");
	if (rc == 0)
		rc = f ? f->read(b.data, b.n, options, out, err) : formats_detect(&b, options, out, err);
	if (rc == ERR_UNKNOWN)
		rc = err_set(err, ERR_FORMAT, "not a profile of the format %s", f->name);
	if (rc == 0)
		(*out)->content_hash = hash_bytes(b.data, b.n);
	free(b.data);
	return rc;
}

int formats_read(struct bytes *in, const struct format_options *options, struct profile **out, struct err *err)
{
	return formats_read_as(NULL, in, options, out, err);
}
