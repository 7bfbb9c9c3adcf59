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

#include "base/buf.h"
#include "base/hash.h"
#include "formats/callgrind/callgrind.h"
#include "formats/firefox/firefox.h"
#include "formats/folded/folded.h"
#include "formats/foreign/foreign.h"
#include "formats/jemalloc/jemalloc.h"
#include "formats/jfr/jfr.h"
#include "formats/legacy/legacy.h"
#include "formats/otlp/otlp.h"
#include "formats/perf/perf.h"
#include "formats/perfscript/perfscript.h"
#include "formats/pprof/pprof.h"
#include "formats/speedscope/speedscope.h"
#include "formats/v8/v8.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_PROBE_BYTES = 64 };

const struct format_options formats_options_default = {
	.max_inflated = UINT64_C(16) << 30,
	.max_ratio = 500,
	.max_count = FORMAT_COUNT_DEFAULT,
	.max_depth = 1000000,
	.max_nesting = 1,
};

/* The XML that inferno-collapse-xctrace reads. */
#define XCTRACE "xctrace export --input FILE --xpath '/trace-toc/*/data/table[@schema=\"time-profile\"]'"

#define MAGIC(text, position) .magic = (text), .n_magic = sizeof(text) - 1, .at = (position)

const struct file_format formats[] = {
	{ .name = "pprof",
	  .other_names = "profile.proto proto",
	  .endings = ".pb.gz .pb .pprof",
	  .help = "profile.proto, as pprof and most profilers write it",
	  .report = "proto",
	  .read_pieces = pprof_read_pieces,
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
	  .loses = "It has attributes of profiles and locations. Written, it has no comments, and the default type is "
		   "the last one.",
	  .report = "otlp",
	  .probe = otlp_probe,
	  .read = otlp_read,
	  .looks_like = "OpenTelemetry profiles" },
	{ .name = "callgrind",
	  .other_names = "cachegrind",
	  .endings = ".callgrind callgrind.out.PID cachegrind.out.PID",
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
	  .help = "JSON for speedscope.app, as py-spy, rbspy and dotnet-trace write it too",
	  .report = "speedscope",
	  .loses = "Its profiles are the labels thread, tid and pid; in a file of cpa each is a sample type.",
	  .json = JSONR_KIND_SPEEDSCOPE,
	  .read = speedscope_read },
	{ .name = "cpuprofile",
	  .endings = ".cpuprofile",
	  .help = "CPU profile of V8: Node.js, Deno, Chromium",
	  .report = "cpuprofile",
	  .loses = "A call has the first line of its function; the last function has its lines.",
	  .json = JSONR_KIND_CPUPROFILE,
	  .read = v8_read_cpuprofile },
	{ .name = "heapprofile",
	  .endings = ".heapprofile",
	  .help = "sampled heap profile of V8",
	  .loses =
		  "It has live bytes at the time of the profile, as V8 estimates them; identities of objects are lost.",
	  .json = JSONR_KIND_HEAPPROFILE,
	  .read = v8_read_heapprofile },
	{ .name = "chrome-trace",
	  .endings = ".json",
	  .help = "trace events of Chromium with CPU profiles of V8",
	  .loses = "Only samples are read, not other events.",
	  .json = JSONR_KIND_TRACE,
	  .read = v8_read_trace },
	{ .name = "firefox",
	  .endings = ".firefox.json .json",
	  .help = "processed profile of the Firefox Profiler, as samply writes it too",
	  .report = "firefox",
	  .loses = "Samples are read, with threads as labels, but not markers, counters and allocations.",
	  .json = JSONR_KIND_FIREFOX,
	  .read = firefox_read },
	{ .json = JSONR_KIND_GECKO,
	  .looks_like =
		  "a raw profile of Firefox; open it at profiler.firefox.com and save it there, which converts it" },
	{ .name = "otlp-json",
	  .help = "OpenTelemetry profiles as JSON, 1.8 and later",
	  .json = JSONR_KIND_OTLP,
	  .read = otlp_json_read },

	{ .name = "jemalloc",
	  .endings = ".heap",
	  .help = "heap profile of jemalloc, heap_v2",
	  .loses = "Sampled counts are scaled to estimates, as in jeprof; counts per thread are not read.",
	  MAGIC("heap_v2/", 0),
	  .read = jemalloc_read },
	{ .name = "jfr",
	  .endings = ".jfr .jfr.gz",
	  .help = "Java Flight Recorder: HotSpot of JDK 11 and later, async-profiler",
	  .loses = "Samples of CPU and wall time, allocations, waits, input and output are read, other events are not.",
	  MAGIC("FLR\0", 0),
	  .read = jfr_read },
	/* recognized, not read, and more certain than what follows */
	{ .probe = foreign_heaptrack_raw,
	  .looks_like = "a raw recording of heaptrack",
	  .convert =
		  "zstd -dc <FILE | heaptrack_interpret | zstd >NEW.zst; heaptrack_print -f NEW.zst -F FILE.folded" },
	{ .name = "heaptrack",
	  .endings = "heaptrack.*.zst heaptrack.*.gz",
	  .help = "allocations of heaptrack",
	  .probe = foreign_heaptrack,
	  .looks_like = "a recording of heaptrack",
	  .convert = "heaptrack_print -f FILE -F FILE.folded" },
	{ .name = "nettrace",
	  .endings = ".nettrace",
	  .help = "recording of .NET: dotnet-trace",
	  MAGIC("Nettrace", 0),
	  .looks_like = "a recording of .NET",
	  .convert = "dotnet-trace convert --format Speedscope FILE" },
	{ .name = "pstats",
	  .endings = ".prof .pstats",
	  .help = "functions and calls of Python's cProfile",
	  .probe = foreign_pstats,
	  .looks_like = "a profile of Python's cProfile",
	  .convert = "flameprof --format=log FILE >FILE.folded" },
	{ .name = "memray",
	  .endings = "memray-*.bin",
	  .help = "allocations of Python's memray; memray flamegraph FILE shows them",
	  MAGIC("memray\0", 0),
	  .looks_like = "a recording of memray; memray flamegraph FILE shows it" },
	{ .name = "gmon",
	  .endings = "gmon.out",
	  .help = "profile of a program that was compiled with -pg; it has no stacks, and gprof PROGRAM FILE prints it",
	  MAGIC("gmon\1\0\0\0", 0),
	  .looks_like = "a gmon.out of gprof, which has no stacks; gprof PROGRAM FILE prints it" },
	{ MAGIC("gmon\0\0\0\1", 0),
	  .looks_like = "a gmon.out of gprof, which has no stacks; gprof PROGRAM FILE prints it" },
	{ .name = "massif",
	  .endings = "massif.out.*",
	  .help = "heap over time of Valgrind's Massif; ms_print FILE prints it",
	  .probe = foreign_massif,
	  .looks_like = "a massif.out of Valgrind; ms_print FILE prints it" },
	{ .name = "simpleperf",
	  .endings = "perf.trace",
	  .help = "samples of Android's simpleperf report-sample --protobuf",
	  MAGIC("SIMPLEPERF", 0),
	  .looks_like = "samples of simpleperf report-sample",
	  .convert = "stackcollapse.py -i perf.data >FILE.folded (of simpleperf, from the recording)" },
	{ .name = "etl",
	  .endings = ".etl",
	  .help = "recording of Event Tracing for Windows",
	  .probe = foreign_etl,
	  .looks_like = "a recording of Event Tracing for Windows",
	  .convert = "xperf -i FILE -o FILE.csv -symbols; node etlfold.js FILE.csv PROGRAM.exe (of ETWFlamegraph)" },
	{ .name = "instruments",
	  .endings = ".trace",
	  .help = "recording of Instruments, a folder",
	  .in_folder = "form.template",
	  .looks_like = "a recording of Instruments",
	  .convert = XCTRACE " | inferno-collapse-xctrace >FILE.folded" },
	{ .probe = foreign_xctrace,
	  .looks_like = "a table of Instruments that xctrace exported",
	  .convert = "inferno-collapse-xctrace FILE >FILE.folded" },
	{ .name = "sample",
	  .help = "call tree of sample of macOS",
	  MAGIC("Analysis of sampling ", 0),
	  .looks_like = "the output of sample of macOS",
	  .convert = "inferno-collapse-sample FILE >FILE.folded" },
	{ .name = "stackprof",
	  .help = "profile of Ruby's stackprof",
	  MAGIC("\4\b{", 0),
	  .looks_like = "data of Ruby, as stackprof writes it",
	  .convert = "stackprof --stackcollapse FILE >FILE.folded" },
	{ .json = JSONR_KIND_STACKPROF,
	  .looks_like = "a profile of Ruby's stackprof",
	  .convert = "stackprof --stackcollapse FILE >FILE.folded" },
	{ .name = "rbspy",
	  .endings = ".raw.gz",
	  .help = "recording of Ruby's rbspy",
	  MAGIC("rbspy0", 0),
	  .looks_like = "a recording of rbspy",
	  .convert = "rbspy report -f speedscope -i FILE -o FILE.speedscope.json" },
	{ .name = "v8-log",
	  .endings = "isolate-*-v8.log",
	  .help = "log of node --prof; node --cpu-prof writes a profile",
	  MAGIC("v8-version,", 0),
	  .looks_like =
		  "a log of node --prof; node --prof-process FILE prints it, and node --cpu-prof writes a profile" },
	{ .name = "heapsnapshot",
	  .endings = ".heapsnapshot .heaptimeline",
	  .help = "objects in the heap of V8; it has no stacks, and the Memory panel of Chrome DevTools shows it",
	  .json = JSONR_KIND_HEAPSNAPSHOT,
	  .looks_like = "a heap snapshot of V8, which has no stacks; the Memory panel of Chrome DevTools shows it" },
	{ .name = "hprof",
	  .endings = ".hprof",
	  .help = "objects in the heap of Java; it has no stacks, and Eclipse MAT shows it",
	  MAGIC("JAVA PROFILE 1.0", 0),
	  .looks_like = "a heap dump of Java, which has no stacks of samples; Eclipse MAT shows it" },
	{ .name = "dhat",
	  .endings = "dhat.out.*",
	  .help = "allocations of Valgrind's DHAT; dh_view.html of Valgrind shows them",
	  .json = JSONR_KIND_DHAT,
	  .looks_like = "a dhat.out of Valgrind; its dh_view.html shows it" },

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
	  .help = "recording of perf record: a file, a pipe or a directory, also with zstd and with copies of stacks; "
		  "of simpleperf",
	  .loses = "Times are kept on request; CPUs, branches, registers and data addresses of samples are not.",
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
	{ MAGIC("# To display the perf.data header info", 0),
	  .looks_like = "the text of perf report; pass the recording, or the text of perf script" },
	{ MAGIC("jdk.", 0), .looks_like = "the text of jfr print; pass the recording" },
	{ MAGIC("PERFFILE", 0), .looks_like = "a perf.data file of perf before 2009, which cpa does not read" },
	{ MAGIC("ELIFFREP", 0), .looks_like = "a perf.data file of perf before 2009, which cpa does not read" },
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

/* The length of the longest of these endings that a path has; 0 if it has none. */
static size_t formats_ending(const char *endings, const char *path)
{
	size_t n_path = strlen(path), longest = 0;

	for (size_t n; endings && *endings; endings += n + (endings[n] == ' ')) {
		n = strcspn(endings, " ");
		if (n > longest && n <= n_path && memcmp(path + n_path - n, endings, n) == 0)
			longest = n;
	}
	return longest;
}

const struct file_format *formats_find_written(const char *path)
{
	const struct file_format *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < n_formats; i++) {
		size_t n = formats[i].report ? formats_ending(formats[i].endings, path) : 0;

		if (n > longest) {
			longest = n;
			best = &formats[i];
		}
	}
	for (size_t i = 0; best && i < n_formats; i++)
		if (&formats[i] != best && formats_ending(formats[i].endings, path) == longest)
			return NULL; /* several formats have it */
	return best;
}

int formats_find_input(const char *name, const struct file_format **out, struct err *err)
{
	*out = *name ? formats_find(name) : NULL;
	if (!*name || (*out && (*out)->read))
		return 0;
	return err_set(err, ERR_USAGE, "--input-format=%.40s: %s; cpa help formats lists them", name,
		       *out ? "cpa does not read this format" : "there is no such format");
}

/* The length of a name without one of the endings; n if it has none of them. */
static size_t formats_strip(const char *endings, const char *name, size_t n)
{
	for (size_t m; endings && *endings; endings += m + (endings[m] == ' ')) {
		m = strcspn(endings, " ");
		if (*endings == '.' && n > m && memcmp(name + n - m, endings, m) == 0)
			return n - m;
	}
	return n;
}

size_t formats_stem(const char *name, size_t n)
{
	size_t before;

	do {
		before = n;
		n = formats_strip(".gz .zst .lz4 .profile", name, n);
		for (size_t i = 0; i < n_formats; i++)
			n = formats_strip(formats[i].endings, name, n);
	} while (n != before);
	return n;
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
	if (f->in_folder)
		return FORMAT_NO;
	if (f->magic)
		return b->n >= f->at + f->n_magic && memcmp(b->data + f->at, f->magic, f->n_magic) == 0 ? FORMAT_SURE
													: FORMAT_NO;
	if (f->json)
		return f->json == json ? FORMAT_SURE : FORMAT_NO;
	return f->probe ? f->probe(b->data, b->n) : FORMAT_SURE;
}

/* Fail for content that cpa does not read. */
static int formats_refuse(const struct file_format *f, struct err *err)
{
	return err_set(err, ERR_FORMAT, "not a profile: it looks like %s%s%s", f->looks_like,
		       f->convert ? "; convert it with: " : "", f->convert ? f->convert : "");
}

/* The format, not read, of a folder; NULL for none. */
static const struct file_format *formats_of_folder(const char *path)
{
	const struct file_format *found = NULL;
	struct buf in = { 0 };

	for (size_t i = 0; !found && i < n_formats; i++) {
		if (!formats[i].in_folder)
			continue;
		in.len = 0;
		buf_addf(&in, "%s/%s", path, formats[i].in_folder);
		if (access(in.data, F_OK) == 0)
			found = &formats[i];
	}
	buf_release(&in);
	return found;
}

bool formats_is_folder(const char *path)
{
	return formats_of_folder(path) || perfdata_directory_is(path);
}

int formats_read_folder(const char *path, uint64_t max, struct bytes *out, struct err *err)
{
	const struct file_format *refused = formats_of_folder(path);

	if (refused)
		return formats_refuse(refused, err);
	return perfdata_directory_is(path) ? perfdata_directory_read(path, max, out, err) : ERR_UNKNOWN;
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
			return formats_refuse(f, err);
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
	if (n >= 2 && data[0] == 0x1f && data[1] == 0x8b)
		return true;
	for (size_t i = 0; i < n_formats; i++)
		if (formats[i].is_streamed && formats[i].probe(data, n) == FORMAT_SURE)
			return true;
	return false;
}

/* Read a large file of profile.proto, formats[0], while it is decompressed. Returns false if that is not possible. */
static bool formats_read_pieces(const struct file_format *f, const struct bytes *in,
				const struct format_options *options, struct profile **out)
{
	struct pieces *pieces = f && !f->read_pieces ? NULL : pieces_open(in, options);
	bool is_read = pieces && formats[0].read_pieces(pieces, options, out) == 0;

	if (is_read)
		(*out)->content_hash = pieces_hash(pieces);
	pieces_close(pieces);
	return is_read;
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
		return err_set(err, ERR_FORMAT,
			       "not a profile: in no format that cpa reads; cpa help formats lists them");
	*err = proto;
	return proto.code;
}

int formats_read_as(const struct file_format *f, struct bytes *in, const struct format_options *options,
		    struct profile **out, struct err *err)
{
	struct format_options own = *options;
	struct bytes b = { 0 };
	int rc;

	if (formats_read_pieces(f, in, options, out)) {
		io_release(in);
		return 0;
	}
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
	if (rc == 0 && !options->skips_hash)
		(*out)->content_hash = pieces_hash_of(&b);
	io_release(&b);
	return rc;
}

int formats_read(struct bytes *in, const struct format_options *options, struct profile **out, struct err *err)
{
	return formats_read_as(NULL, in, options, out, err);
}
