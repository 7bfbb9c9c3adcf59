/*
 * test_perf_read.c - read perf.data: both byte orders, events, order, processes, compression, damage
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/perf/perf.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/zstd.h"
#include "tests/unit/check_profile.h"
#include "profile/stack_walk.h"

static const struct format_options no_limits;

/* Bits of sample_type. */
enum {
	HAS_IP = 1,
	HAS_TID = 2,
	HAS_TIME = 4,
	HAS_READ = 1 << 4,
	HAS_CHAIN = 1 << 5,
	HAS_PERIOD = 1 << 8,
	HAS_BRANCHES = 1 << 11,
	HAS_REGS = 1 << 12,
	HAS_STACK = 1 << 13,
	HAS_IDENTIFIER = 1 << 16,
};
enum { USUAL = HAS_IP | HAS_TID | HAS_TIME | HAS_CHAIN | HAS_PERIOD };
enum { FLAG_FREQ = 10, FLAG_SAMPLE_ID_ALL = 18, FLAG_EXCLUDE_GUEST = 20, FREQ_MIN = 1000 };
enum { MMAP = 1, LOST, COMM, EXIT, FORK = 7, SAMPLE = 9, MMAP2, AUX, LOST_SAMPLES = 13, KSYMBOL = 17, DEFERRED = 22 };
enum { HEADER_ATTR = 64, ROUND = 68, COMPRESSED = 81 };
enum { KERNEL = 1, USER = 2, MISC_EXEC = 1 << 13 };
#define MARK_KERNEL ((uint64_t)-128)
#define MARK_USER ((uint64_t)-512)
#define MARK_DEFERRED ((uint64_t)-640)

struct event {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, branch_type, regs;
	uint64_t id;
};

/* A recording that is being written. */
struct file {
	struct buf b;
	bool is_big;
	uint64_t sample_type; /* for trailers */
	uint64_t id;          /* in trailers and samples that have one */
	size_t record;        /* start of the current record */
};

static void put(struct file *f, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		char c = (char)(v >> 8 * (f->is_big ? size - 1 - i : i));

		buf_add(&f->b, &c, 1);
	}
}

static void put16(struct file *f, uint64_t v)
{
	put(f, v, 2);
}

static void put32(struct file *f, uint64_t v)
{
	put(f, v, 4);
}

static void put64(struct file *f, uint64_t v)
{
	put(f, v, 8);
}

/* Text with its NUL, padded to 8 bytes. */
static void put_text(struct file *f, const char *s)
{
	size_t n = strlen(s) + 1;

	buf_add(&f->b, s, n);
	buf_fill(&f->b, 0, (8 - n % 8) % 8);
}

static void patch(struct file *f, size_t at, uint64_t v, unsigned size)
{
	struct file one = { .is_big = f->is_big };

	put(&one, v, size);
	memcpy(f->b.data + at, one.b.data, size);
	buf_release(&one.b);
}

static void put_attr(struct file *f, const struct event *e)
{
	enum { SIZE = 112 };
	size_t start = f->b.len;
	const unsigned flags[] = { FLAG_FREQ, FLAG_SAMPLE_ID_ALL, FLAG_EXCLUDE_GUEST };

	put32(f, e->type);
	put32(f, SIZE);
	put64(f, e->config);
	put64(f, e->period);
	put64(f, e->sample_type);
	put64(f, e->read_format);
	put64(f, 0);
	buf_fill(&f->b, 0, 24);
	put64(f, e->branch_type);
	put64(f, e->regs);
	buf_fill(&f->b, 0, SIZE - (f->b.len - start));
	/* a big-endian machine begins with the highest bit of a byte */
	for (unsigned i = e->period < FREQ_MIN; i < 3; i++)
		f->b.data[start + 40 + flags[i] / 8] |= (char)(f->is_big ? 0x80 >> flags[i] % 8 : 1 << flags[i] % 8);
}

/* Begin a recording of n events; ids are after the header. */
static void begin(struct file *f, const struct event *e, size_t n)
{
	size_t at_ids = 104, at_attrs = at_ids + n * 8, at_data = at_attrs + n * 128;

	buf_addz(&f->b, f->is_big ? "2ELIFREP" : "PERFILE2");
	put64(f, 104);
	put64(f, 128);
	put64(f, at_attrs);
	put64(f, n * 128);
	put64(f, at_data);
	put64(f, 0);
	buf_fill(&f->b, 0, 48);
	for (size_t i = 0; i < n; i++)
		put64(f, e[i].id);
	for (size_t i = 0; i < n; i++) {
		put_attr(f, &e[i]);
		put64(f, at_ids + i * 8);
		put64(f, 8);
	}
	f->sample_type = e->sample_type;
	f->id = e->id;
}

static void end(struct file *f)
{
	struct file head = { .is_big = f->is_big };
	size_t at_data;

	buf_add(&head.b, f->b.data + 40, 8);
	at_data = 0;
	for (unsigned i = 0; i < 8; i++)
		at_data |= (size_t)(uint8_t)head.b.data[f->is_big ? 7 - i : i] << 8 * i;
	patch(f, 48, f->b.len - at_data, 8);
	buf_release(&head.b);
}

static void record(struct file *f, uint32_t type, unsigned misc)
{
	f->record = f->b.len;
	put32(f, type);
	put16(f, misc);
	put16(f, 0);
}

static void record_end(struct file *f)
{
	patch(f, f->record + 6, f->b.len - f->record, 2);
}

/* End a record with the trailer that all but samples have. */
static void trailer(struct file *f, uint32_t pid, uint32_t tid, uint64_t time)
{
	if (f->sample_type & HAS_TID) {
		put32(f, pid);
		put32(f, tid);
	}
	if (f->sample_type & HAS_TIME)
		put64(f, time);
	if (f->sample_type & HAS_IDENTIFIER)
		put64(f, f->id);
	record_end(f);
}

static void comm(struct file *f, uint32_t pid, uint32_t tid, const char *name, unsigned misc, uint64_t time)
{
	record(f, COMM, misc);
	put32(f, pid);
	put32(f, tid);
	put_text(f, name);
	trailer(f, pid, tid, time);
}

static void mmap2(struct file *f, uint32_t pid, uint64_t start, uint64_t len, uint64_t offset, const char *name,
		  uint64_t time)
{
	record(f, MMAP2, USER);
	put32(f, pid);
	put32(f, pid);
	put64(f, start);
	put64(f, len);
	put64(f, offset);
	buf_fill(&f->b, 0, 24);
	put32(f, 5);
	put32(f, 2);
	put_text(f, name);
	trailer(f, pid, pid, time);
}

static void task(struct file *f, uint32_t type, uint32_t pid, uint32_t parent, uint32_t tid, uint64_t time)
{
	record(f, type, 0);
	put32(f, pid);
	put32(f, parent);
	put32(f, tid);
	put32(f, parent);
	put64(f, time);
	trailer(f, pid, tid, time);
}

/* Begin a sample, up to its period. */
static void sample_head(struct file *f, unsigned mode, uint64_t ip, uint32_t pid, uint32_t tid, uint64_t time,
			uint64_t period)
{
	record(f, SAMPLE, mode);
	if (f->sample_type & HAS_IDENTIFIER)
		put64(f, f->id);
	put64(f, ip);
	put32(f, pid);
	put32(f, tid);
	put64(f, time);
	if (f->sample_type & HAS_PERIOD)
		put64(f, period);
}

static void put_chain(struct file *f, const uint64_t *ip, size_t n)
{
	put64(f, n);
	for (size_t i = 0; i < n; i++)
		put64(f, ip[i]);
}

#define CHAIN(f, ...)                                                                                                  \
	put_chain(f, (const uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* A sample of a user address without callers. */
static void user_sample(struct file *f, uint64_t ip, uint32_t pid, uint64_t time, uint64_t period)
{
	sample_head(f, USER, ip, pid, pid, time, period);
	CHAIN(f, MARK_USER, ip);
	record_end(f);
}

static void round_end(struct file *f)
{
	record(f, ROUND, 0);
	record_end(f);
}

static struct profile *read_with(struct file *f, const struct format_options *options)
{
	struct profile *p = NULL;
	uint8_t *exact = malloc(f->b.len); /* a sanitizer detects reading beyond the end */
	struct err err;

	memcpy(exact, f->b.data, f->b.len);
	if (perfdata_read(exact, f->b.len, options, &p, &err) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	free(exact);
	return p;
}

static struct profile *read_file(struct file *f)
{
	return read_with(f, &no_limits);
}

static void describe_location(const struct profile *p, uint32_t loc, struct buf *out)
{
	if (p->loc_line[loc] < p->loc_line[loc + 1])
		buf_addz(out, profile_text(p, p->func_name[p->line_func[p->loc_line[loc]]]));
	else
		buf_addf(out, "%s+%" PRIx64,
			 p->loc_map[loc] == PROFILE_NONE ? "?" : profile_text(p, p->map[p->loc_map[loc]].file),
			 p->loc_addr[loc]);
}

/* A line per row: values, labels, stack, leaf first. */
static void describe(const struct profile *p, struct buf *out)
{
	for (uint32_t row = 0; row < p->n_rows; row++) {
		const struct csr *sets = &p->label_sets;
		uint32_t loc;

		for (uint32_t t = 0; t < p->n_types; t++)
			buf_addf(out, "%s%" PRId64, t ? " " : "", p->value[t][row]);
		for (uint32_t i = sets->off[p->labels[row]]; i < sets->off[p->labels[row] + 1]; i++)
			if (p->label_is_text[sets->item[i]])
				buf_addf(out, " %s", profile_text(p, p->label_text[sets->item[i]]));
			else
				buf_addf(out, " %" PRId64, p->label_num[sets->item[i]]);
		buf_addz(out, ":");
		for (struct stack_walk w = stack_walk(p, p->stack[row], STACK_LEAF_FIRST); stack_walk_next(&w, &loc);) {
			buf_addz(out, " ");
			describe_location(p, loc, out);
		}
		buf_addz(out, "\n");
	}
	for (uint32_t i = 0; i < p->meta.n_comments; i++)
		buf_addf(out, "# %s\n", profile_text(p, p->meta.comment[i]));
}

/* Check the description of a recording, and release it. */
static void expect(struct file *f, const struct format_options *options, const char *rows)
{
	struct profile *p = read_with(f, options);
	struct buf got = { 0 };

	describe(p, &got);
	assert_string_equal(buf_text(&got), rows);
	buf_release(&got);
	profile_free(p);
	buf_release(&f->b);
}

static const struct event clock_event = { .type = 1, .period = 4000, .sample_type = USUAL, .id = 7 };

static void write_usual(struct file *f)
{
	begin(f, &clock_event, 1);
	record(f, MMAP, KERNEL);
	put32(f, UINT32_MAX);
	put32(f, 0);
	put64(f, 0xffffffff81000000);
	put64(f, 0x1000000);
	put64(f, 0xffffffff81000000);
	put_text(f, "[kernel.kallsyms]_text");
	trailer(f, UINT32_MAX, 0, 0);
	comm(f, 10, 10, "worker one", MISC_EXEC, 1);
	mmap2(f, 10, 0x400000, 0x1000, 0, "/bin/a", 2);
	mmap2(f, 10, 0x7000, 0x1000, 0, "//anon", 2);
	sample_head(f, KERNEL, 0xffffffff81000010, 10, 10, 100, 250000);
	CHAIN(f, MARK_KERNEL, 0xffffffff81000010, 0xffffffff81000020, MARK_USER, 0x400010, 0x400021, 0x7010, 0x10);
	record_end(f);
	for (unsigned i = 0; i < 2; i++) {
		sample_head(f, USER, 0x400010, 10, 10, 200 + i, 250000);
		CHAIN(f);
		record_end(f);
	}
	end(f);
}

static void chains_have_marks_and_return_addresses(void **state)
{
	static const char rows[] =
		"1 250000 10 10 worker one: [kernel.kallsyms]+ffffffff81000010 [kernel.kallsyms]+ffffffff8100001f "
		"/bin/a+400010 /bin/a+400020 /tmp/perf-10.map+700f ?+f\n"
		"2 500000 10 10 worker one: /bin/a+400010\n";
	struct file little = { 0 }, big = { .is_big = true };
	struct profile *p;

	(void)state;
	write_usual(&little);
	p = read_file(&little);
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[0].name), "samples");
	assert_string_equal(profile_text(p, p->type[1].name), "cpu-clock");
	assert_string_equal(profile_text(p, p->type[1].unit), "nanoseconds");
	assert_string_equal(profile_text(p, p->meta.default_type), "cpu-clock");
	assert_int_equal(p->meta.period, 250000);
	assert_int_equal(p->meta.duration_ns, 101);
	assert_string_equal(profile_text(p, p->map[0].file), "/bin/a");
	assert_string_equal(profile_text(p, p->map[1].kernel_symbol), "_text");
	profile_free(p);
	expect(&little, &no_limits, rows);
	write_usual(&big);
	expect(&big, &no_limits, rows);
}

/* simpleperf names events in META_INFO, has tracing data inside its record, and reduces return addresses itself. */
static void recordings_of_simpleperf_are_read(void **state)
{
	static const char info[] = "simpleperf_version\0001.2\0event_type_info\0cpu-cycles,0,0\nshop:sold,1,0\n\0";
	struct file f = { 0 };
	struct profile *p;

	(void)state;
	begin(&f, &clock_event, 1);
	record(&f, 66, 0);
	put32(&f, 20);
	buf_fill(&f.b, 0, 20);
	record_end(&f);
	mmap2(&f, 10, 0x400000, 0x1000, 0, "/bin/a", 2);
	sample_head(&f, USER, 0x400010, 10, 10, 100, 5);
	CHAIN(&f, MARK_USER, 0x400010, 0x400021);
	record_end(&f);
	end(&f);
	put64(&f, f.b.len + 16);
	put64(&f, sizeof(info) - 1);
	buf_add(&f.b, info, sizeof(info) - 1);
	patch(&f, 72 + 128 / 8, 1 << 1, 8);
	p = read_file(&f);
	assert_string_equal(profile_text(p, p->type[1].name), "shop:sold");
	profile_free(p);
	expect(&f, &no_limits, "1 5 10 10 :10: /bin/a+400010 /bin/a+400021\n");
}

static void times_are_kept_on_request(void **state)
{
	struct format_options options = { .keeps_times = true };
	struct file f = { 0 };

	(void)state;
	write_usual(&f);
	expect(&f, &options,
	       "1 250000 10 10 worker one 0: [kernel.kallsyms]+ffffffff81000010 [kernel.kallsyms]+ffffffff8100001f "
	       "/bin/a+400010 /bin/a+400020 /tmp/perf-10.map+700f ?+f\n"
	       "1 250000 10 10 worker one 100: /bin/a+400010\n"
	       "1 250000 10 10 worker one 101: /bin/a+400010\n");
}

static void several_events_are_sample_types(void **state)
{
	const struct event e[] = {
		{ .type = 1, .period = 4000, .sample_type = USUAL | HAS_IDENTIFIER, .id = 5 },
		{ .type = 1, .config = 2, .period = 4000, .sample_type = USUAL | HAS_IDENTIFIER, .id = 6 },
		{ .type = 1, .config = 9, .period = 1, .sample_type = USUAL | HAS_IDENTIFIER, .id = 8 },
	};
	struct file f = { 0 };
	struct profile *p;

	(void)state;
	begin(&f, e, 3);
	user_sample(&f, 0x10, 3, 1, 100);
	f.id = 6;
	user_sample(&f, 0x10, 3, 2, 1);
	user_sample(&f, 0x10, 3, 3, 2);
	f.id = 99;
	user_sample(&f, 0x10, 3, 4, 2);
	end(&f);
	p = read_file(&f);
	assert_int_equal(p->n_types, 5);
	assert_string_equal(profile_text(p, p->type[2].name), "page-faults");
	assert_string_equal(profile_text(p, p->type[2].unit), "count");
	assert_string_equal(profile_text(p, p->type[4].name), "page-faults_sample");
	profile_free(p);
	expect(&f, &no_limits, "3 100 3 1 2 3 3 :3: ?+10\n# perf: skipped 1 sample of an unknown event\n");
}

static void a_fixed_period_is_not_in_samples(void **state)
{
	struct event e = { .type = 0, .period = 500, .sample_type = USUAL & ~HAS_PERIOD };
	struct file f = { 0 };

	(void)state;
	begin(&f, &e, 1);
	user_sample(&f, 0x10, 3, 1, 0);
	user_sample(&f, 0x10, 3, 2, 0);
	end(&f);
	expect(&f, &no_limits, "2 1000 3 3 :3: ?+10\n");
}

static void counts_of_groups_are_differences(void **state)
{
	enum { GROUP = 8 | 4 };
	const struct event e[] = {
		{ .type = 0,
		  .period = 9,
		  .sample_type = USUAL | HAS_IDENTIFIER | HAS_READ,
		  .read_format = GROUP,
		  .id = 5 },
		{ .type = 0,
		  .config = 1,
		  .period = 9,
		  .sample_type = USUAL | HAS_IDENTIFIER | HAS_READ,
		  .read_format = GROUP,
		  .id = 6 },
	};
	const uint64_t counts[][2] = { { 100, 7 }, { 150, 7 }, { 175, 10 } };
	struct file f = { 0 };

	(void)state;
	begin(&f, e, 2);
	for (unsigned i = 0; i < 3; i++) {
		sample_head(&f, USER, 0x10, 3, 3, i + 1, 1);
		put64(&f, 2);
		put64(&f, counts[i][0]);
		put64(&f, 5);
		put64(&f, counts[i][1]);
		put64(&f, 6);
		CHAIN(&f, MARK_USER, 0x10);
		record_end(&f);
	}
	end(&f);
	expect(&f, &no_limits, "3 175 10 3 2 3 3 :3: ?+10\n");
}

/* The mapping comes after the sample in the file, and its time is before. */
static void records_are_put_into_the_order_of_time(void **state)
{
	struct file f = { 0 };

	(void)state;
	begin(&f, &clock_event, 1);
	user_sample(&f, 0x400010, 3, 20, 1);
	mmap2(&f, 3, 0x400000, 0x1000, 0, "/bin/a", 10);
	round_end(&f);
	mmap2(&f, 3, 0x400000, 0x1000, 0, "/bin/b", 30);
	user_sample(&f, 0x400010, 3, 25, 1);
	round_end(&f);
	user_sample(&f, 0x400010, 3, 40, 1);
	end(&f);
	expect(&f, &no_limits, "2 2 3 3 :3: /bin/a+400010\n1 1 3 3 :3: /bin/b+400010\n");
}

static void processes_have_their_own_mappings(void **state)
{
	struct file f = { 0 };

	(void)state;
	begin(&f, &clock_event, 1);
	comm(&f, 3, 3, "sh", 0, 1);
	mmap2(&f, 3, 0x400000, 0x4000, 0x1000, "/bin/sh", 2);
	task(&f, FORK, 4, 3, 4, 3);
	task(&f, FORK, 3, 3, 5, 3);
	user_sample(&f, 0x400010, 4, 4, 1); /* as its parent */
	mmap2(&f, 4, 0x401000, 0x1000, 0, "/lib/x", 5);
	user_sample(&f, 0x400010, 4, 6, 1);
	user_sample(&f, 0x401010, 4, 7, 1);
	user_sample(&f, 0x402010, 4, 8, 1); /* the rest of the mapping */
	user_sample(&f, 0x401010, 3, 9, 1); /* the parent has it still */
	comm(&f, 4, 4, "ls", MISC_EXEC, 10);
	user_sample(&f, 0x400010, 4, 11, 1); /* none after exec */
	mmap2(&f, 4, 0x800000, 0x4000, 0x1000, "/bin/sh", 12);
	user_sample(&f, 0x800010, 4, 13, 1); /* the same file elsewhere */
	sample_head(&f, USER, 0x400010, 3, 5, 14, 1);
	CHAIN(&f, MARK_USER, 0x400010);
	record_end(&f);
	end(&f);
	expect(&f, &no_limits,
	       "2 2 4 4 sh: /bin/sh+400010\n1 1 4 4 sh: /lib/x+401010\n1 1 4 4 sh: /bin/sh+402010\n"
	       "1 1 3 3 sh: /bin/sh+401010\n1 1 4 4 ls: ?+400010\n1 1 4 4 ls: /bin/sh+400010\n"
	       "1 1 3 5 sh: /bin/sh+400010\n");
}

static void modules_and_programs_of_the_kernel_have_names(void **state)
{
	struct file f = { 0 };

	(void)state;
	begin(&f, &clock_event, 1);
	record(&f, MMAP, KERNEL);
	put32(&f, UINT32_MAX);
	put32(&f, 0);
	put64(&f, 0xffffffffc0000000);
	put64(&f, 0x1000);
	put64(&f, 0);
	put_text(&f, "/lib/modules/6.1/kernel/net/nf-nat.ko.xz");
	trailer(&f, UINT32_MAX, 0, 0);
	record(&f, KSYMBOL, KERNEL);
	put64(&f, 0xffffffffc1000000);
	put32(&f, 0x100);
	put16(&f, 1);
	put16(&f, 0);
	put_text(&f, "bpf_prog_1_drop");
	trailer(&f, 0, 0, 0);
	sample_head(&f, KERNEL, 0xffffffffc0000010, 0, 0, 1, 1);
	CHAIN(&f, MARK_KERNEL, 0xffffffffc0000010, 0xffffffffc1000010);
	record_end(&f);
	end(&f);
	expect(&f, &no_limits, "1 1 0 0 swapper: [nf_nat]+ffffffffc0000010 bpf_prog_1_drop\n");
}

static void what_is_lost_or_skipped_is_counted(void **state)
{
	struct file f = { 0 };

	(void)state;
	begin(&f, &clock_event, 1);
	for (unsigned i = 0; i < 3; i++)
		user_sample(&f, 0x10, 3, i + 1, 1);
	record(&f, LOST_SAMPLES, 0);
	put64(&f, 1);
	trailer(&f, 3, 3, 4);
	record(&f, AUX, 0);
	buf_fill(&f.b, 0, 24);
	trailer(&f, 3, 3, 4);
	for (unsigned i = 0; i < 2; i++) {
		record(&f, 200, 0);
		record_end(&f);
	}
	record(&f, SAMPLE, 0);
	record_end(&f);
	record(&f, 76, 0);
	record_end(&f);
	end(&f);
	expect(&f, &no_limits,
	       "3 3 3 3 :3: ?+10\n"
	       "# perf: 1 sample was lost while recording (25.0 %); values are not scaled\n"
	       "# perf: the counts of perf stat are not read; perf stat report prints them\n"
	       "# perf: skipped 1 damaged record\n"
	       "# perf: skipped, since only perf script and perf inject decode it, 1 record of a processor trace\n"
	       "# perf: skipped 2 records of an unknown type\n");
}

/* The user part of two samples comes later, once. */
static void deferred_chains_are_joined(void **state)
{
	struct file f = { 0 };

	(void)state;
	begin(&f, &clock_event, 1);
	for (unsigned i = 0; i < 3; i++) {
		sample_head(&f, KERNEL, 0xff00 + i, 3, 3 + i / 2, 10 + i, 1);
		CHAIN(&f, MARK_KERNEL, 0xff00 + i, MARK_DEFERRED, 77 + i / 2);
		record_end(&f);
	}
	record(&f, DEFERRED, USER);
	put64(&f, 77);
	CHAIN(&f, MARK_USER, 0x10, 0x20);
	trailer(&f, 3, 3, 20);
	end(&f);
	expect(&f, &no_limits, "1 1 3 3 :3: ?+ff01 ?+10 ?+1f\n1 1 3 3 :3: ?+ff00 ?+10 ?+1f\n1 1 3 4 :4: ?+ff02\n");
}

static void call_stacks_of_the_processor_are_read(void **state)
{
	struct event e = { .type = 0, .period = 4000, .sample_type = USUAL | HAS_BRANCHES, .branch_type = 1 << 11 };
	struct file f = { 0 };

	(void)state;
	begin(&f, &e, 1);
	sample_head(&f, KERNEL, 0xff00, 3, 3, 10, 1);
	CHAIN(&f, MARK_KERNEL, 0xff00, MARK_USER, 0x10, 0x999);
	put64(&f, 2);
	put64(&f, 0x20);
	put64(&f, 0x8);
	put64(&f, 0);
	put64(&f, 0x30);
	put64(&f, 0x18);
	put64(&f, 0);
	record_end(&f);
	end(&f);
	expect(&f, &no_limits, "1 1 3 3 :3: ?+ff00 ?+10 ?+20 ?+30\n");
}

/* The bytes of all blocks are one stream; a record begins in one and ends in the next. */
static void compressed_records_are_one_stream(void **state)
{
	struct file plain = { 0 }, f = { 0 };
	const struct zstd *lib;
	ZSTD_CCtx *c;
	char packed[4096];
	size_t n, at_data = 104 + 8 + 128, parts[] = { 0, 20, 21, 0 };

	(void)state;
	assert_int_equal(zstd_load(&lib, NULL), 0);
	write_usual(&plain);
	c = lib->createCCtx();
	n = lib->compress2(c, packed, sizeof(packed), plain.b.data + at_data, plain.b.len - at_data);
	assert_false(lib->isError(n));
	lib->freeCCtx(c);
	parts[3] = n;
	begin(&f, &clock_event, 1);
	for (unsigned i = 0; i < 3; i++) {
		record(&f, COMPRESSED, 0);
		buf_add(&f.b, packed + parts[i], parts[i + 1] - parts[i]);
		record_end(&f);
	}
	end(&f);
	buf_release(&plain.b);
	expect(&f, &no_limits,
	       "1 250000 10 10 worker one: [kernel.kallsyms]+ffffffff81000010 [kernel.kallsyms]+ffffffff8100001f "
	       "/bin/a+400010 /bin/a+400020 /tmp/perf-10.map+700f ?+f\n"
	       "2 500000 10 10 worker one: /bin/a+400010\n");
}

static void a_pipe_has_events_as_records(void **state)
{
	struct file f = { 0 };

	(void)state;
	buf_addz(&f.b, "PERFILE2");
	put64(&f, 16);
	record(&f, HEADER_ATTR, 0);
	put_attr(&f, &clock_event);
	put64(&f, 7);
	record_end(&f);
	f.sample_type = USUAL;
	user_sample(&f, 0x10, 3, 1, 5);
	expect(&f, &no_limits, "1 5 3 3 :3: ?+10\n");
}

static void a_killed_recording_is_read_to_its_end(void **state)
{
	struct file f = { 0 };

	(void)state;
	begin(&f, &clock_event, 1);
	user_sample(&f, 0x10, 3, 1, 5);
	user_sample(&f, 0x10, 3, 2, 5);
	f.b.len -= 4;
	expect(&f, &no_limits,
	       "1 5 3 3 :3: ?+10\n"
	       "# perf: the recording was not ended; names of events and build IDs may be missing\n"
	       "# perf: the file ends too early, at byte 304; what is before it is read\n");
}

struct walker {
	unsigned n_open, n_closed, n_walks;
	bool is_whole;
};

static void *walker_open(void *arg, const struct profile *p, const struct mapping *map, size_t n)
{
	struct walker *w = arg;

	w->n_open++;
	assert_int_equal(n, 1);
	assert_string_equal(profile_text(p, map->file), "/bin/a");
	assert_int_equal(map->offset, 0x1000);
	return w;
}

static void walker_close(void *arg, void *space)
{
	struct walker *w = arg;

	assert_ptr_equal(space, w);
	w->n_closed++;
}

static size_t walker_walk(void *arg, void *space, const struct format_stack_copy *s, uint64_t *pc, size_t max,
			  bool *is_whole)
{
	struct walker *w = arg;

	assert_ptr_equal(space, w);
	assert_int_equal(s->mask, 0x180);
	assert_int_equal(s->n_stack, 8); /* of 16 bytes, which the kernel could not fill */
	assert_true(max > 3);
	*is_whole = w->is_whole;
	w->n_walks++;
	pc[0] = s->reg[1];
	memcpy(&pc[1], s->stack, sizeof(*pc));
	return 2;
}

static void write_copied(struct file *f)
{
	struct event e = { .type = 1, .period = 4000, .sample_type = USUAL | HAS_REGS | HAS_STACK, .regs = 0x180 };
	uint64_t word = 0x400020;

	begin(f, &e, 1);
	mmap2(f, 3, 0x400000, 0x1000, 0x1000, "/bin/a", 1);
	for (unsigned i = 0; i < 2; i++) {
		sample_head(f, KERNEL, 0xff00, 3, 3, 2 + i, 1);
		CHAIN(f, MARK_KERNEL, 0xff00);
		put64(f, 2);
		put64(f, 0x7fff0000);
		put64(f, 0x400010);
		put64(f, 16);
		buf_add(&f->b, &word, 8);
		put64(f, 0);
		put64(f, 8);
		record_end(f);
	}
	end(f);
}

/* Add the feature that says for which machine the registers are. */
static void put_arch(struct file *f)
{
	size_t at = f->b.len + 16;

	put64(f, at);
	put64(f, 4 + 8);
	put32(f, 8);
	put_text(f,
#if defined(__x86_64__)
		 "x86_64"
#else
		 "aarch64"
#endif
	);
	patch(f, 72, 1 << 6, 8);
}

static void copies_of_stacks_are_unwound(void **state)
{
	struct walker w = { .is_whole = true };
	const struct format_unwinder unwinder = { &w, walker_open, walker_close, walker_walk };
	struct format_options options = { .unwinder = &unwinder };
	struct file f = { 0 };

	(void)state;
	write_copied(&f);
	put_arch(&f);
	expect(&f, &options, "2 2 3 3 :3: ?+ff00 /bin/a+400010 /bin/a+400020\n");
	assert_int_equal(w.n_open, 1);
	assert_int_equal(w.n_closed, 1);
	assert_int_equal(w.n_walks, 2);
	w.is_whole = false;
	write_copied(&f);
	put_arch(&f);
	expect(&f, &options,
	       "2 2 3 3 :3: ?+ff00 /bin/a+400010 /bin/a+400020 [stack not unwound]\n"
	       "# perf: 2 of 2 samples have a copy of the stack that was not unwound to its end: binaries with their "
	       "build "
	       "IDs were not found, or another kind of machine recorded it\n");
	write_copied(&f);
	expect(&f, &no_limits,
	       "2 2 3 3 :3: ?+ff00 [stack not unwound]\n"
	       "# perf: 2 of 2 samples have a copy of the stack that was not unwound, because only reports and cpa "
	       "store "
	       "import unwind\n");
}

/* Read bytes that may be damaged: an error with a message, or a sound profile. */
static void read_damaged(const uint8_t *data, size_t n)
{
	struct format_options options = { .max_count = 1000, .max_depth = 100, .max_inflated = 1 << 20 };
	uint8_t *exact = malloc(n ? n : 1);
	struct profile *p = NULL;
	struct err err = { 0 };
	int rc;

	memcpy(exact, data, n);
	rc = perfdata_read(exact, n, &options, &p, &err);
	if (rc == 0)
		assert_int_equal(profile_check(p, &err), 0);
	else if (rc != ERR_UNKNOWN)
		assert_true(strlen(err.msg) > 10);
	profile_free(p);
	free(exact);
}

static void damage_is_an_error_or_a_comment(void **state)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	struct file f = { 0 };

	(void)state;
	write_usual(&f);
	for (size_t n = 0; n <= f.b.len; n++)
		read_damaged((uint8_t *)f.b.data, n);
	for (size_t i = 0; i < f.b.len * 3; i++) {
		f.b.data[i / 3] ^= (char)flips[i % 3];
		read_damaged((uint8_t *)f.b.data, f.b.len);
		f.b.data[i / 3] ^= (char)flips[i % 3];
	}
	buf_release(&f.b);
}

static void limits_are_named(void **state)
{
	struct format_options options = { .max_depth = 3 };
	struct profile *p = NULL;
	struct file f = { 0 };
	struct err err;

	(void)state;
	write_usual(&f);
	assert_int_equal(perfdata_read((uint8_t *)f.b.data, f.b.len, &options, &p, &err), ERR_LIMIT);
	assert_non_null(strstr(err.msg, "more than 3 frames; raise the limit with --max-depth"));
	assert_null(p);
	buf_release(&f.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_have_marks_and_return_addresses),
		cmocka_unit_test(recordings_of_simpleperf_are_read),
		cmocka_unit_test(times_are_kept_on_request),
		cmocka_unit_test(several_events_are_sample_types),
		cmocka_unit_test(a_fixed_period_is_not_in_samples),
		cmocka_unit_test(counts_of_groups_are_differences),
		cmocka_unit_test(records_are_put_into_the_order_of_time),
		cmocka_unit_test(processes_have_their_own_mappings),
		cmocka_unit_test(modules_and_programs_of_the_kernel_have_names),
		cmocka_unit_test(what_is_lost_or_skipped_is_counted),
		cmocka_unit_test(deferred_chains_are_joined),
		cmocka_unit_test(call_stacks_of_the_processor_are_read),
		cmocka_unit_test(compressed_records_are_one_stream),
		cmocka_unit_test(a_pipe_has_events_as_records),
		cmocka_unit_test(a_killed_recording_is_read_to_its_end),
		cmocka_unit_test(copies_of_stacks_are_unwound),
		cmocka_unit_test(damage_is_an_error_or_a_comment),
		cmocka_unit_test(limits_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
