/*
 * test_perfscript.c - read the text of perf script
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/perfscript/perfscript.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "tests/unit/check_profile.h"
#include "profile/stack_walk.h"

static const struct format_options no_limits;

static struct profile *read_text(const char *text)
{
	struct profile *p = NULL;
	struct err err;

	if (perfscript_read((const uint8_t *)text, strlen(text), &no_limits, &p, &err) < 0 ||
	    profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

/* The frames of a row, leaf first, separated by |: names, inlined ones joined with =, or the address. */
static void add_frames(const struct profile *p, uint32_t row, struct buf *out)
{
	uint32_t loc;

	for (struct stack_walk w = stack_walk(p, p->stack[row], STACK_LEAF_FIRST); stack_walk_next(&w, &loc);) {
		buf_addz(out, out->len ? "|" : "");
		if (p->loc_line[loc] == p->loc_line[loc + 1])
			buf_addf(out, "%llx", (unsigned long long)p->loc_addr[loc]);
		for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++)
			buf_addf(out, "%s%s", l > p->loc_line[loc] ? "=" : "",
				 profile_text(p, p->func_name[p->line_func[l]]));
	}
}

/* Check a row: the sum of its columns after the first one, its labels as text, and its frames. */
static void expect_row(const struct profile *p, uint32_t row, int64_t value, const char *labels, const char *frames)
{
	struct buf got = { 0 }, text = { 0 };
	int64_t sum = 0;

	assert_true(row < p->n_rows);
	assert_int_equal(p->value[0][row], 1);
	for (uint32_t t = 1; t < p->n_types; t++)
		sum += p->value[t][row];
	assert_int_equal(sum, value);
	add_frames(p, row, &got);
	assert_string_equal(buf_text(&got), frames);
	for (uint32_t i = p->label_sets.off[p->labels[row]]; i < p->label_sets.off[p->labels[row] + 1]; i++) {
		uint32_t label = p->label_sets.item[i];

		buf_addf(&text, "%s%s=", text.len ? " " : "", profile_text(p, p->label_key[label]));
		if (p->label_is_text[label])
			buf_addf(&text, "%s", profile_text(p, p->label_text[label]));
		else
			buf_addf(&text, "%lld", (long long)p->label_num[label]);
	}
	assert_string_equal(buf_text(&text), labels);
	buf_release(&got);
	buf_release(&text);
}

static void expect_comment(const struct profile *p, uint32_t i, const char *text)
{
	assert_true(i < p->meta.n_comments);
	assert_string_equal(profile_text(p, p->meta.comment[i]), text);
}

/* Check the header of one sample without frames. */
static void expect_header(const char *header, int64_t value, const char *labels)
{
	struct profile *p = read_text(header);

	assert_int_equal(p->n_rows, 1);
	expect_row(p, 0, value, labels, "");
	assert_int_equal(p->meta.n_comments, 0);
	profile_free(p);
}

static void the_comm_is_the_shortest_text_before_the_ids(void **state)
{
	(void)state;
	expect_header("spin 19807  2659.935971:          9 page-faults: \n", 9, "comm=spin tid=19807");
	expect_header("worker one 7/8 [003]  5.125000: 250 cpu-clock:ppp: \n", 250, "comm=worker one pid=7 tid=8");
	expect_header("mill (x;y) 7 21133  2689.385728:    1000 cpu-clock: \n", 1000, "comm=mill (x;y) 7 tid=21133");
	expect_header("[ET_NET 0]  812 [001]  9.000001:  4 cycles: ", 4, "comm=[ET_NET 0] tid=812");
	expect_header("a 1 [002] 3 [000] 1.000000: 5 cycles:", 5, "comm=a 1 [002] tid=3");
	expect_header("a 1/2 3/4 1.000000: 5 cycles:", 5, "comm=a 1/2 pid=3 tid=4");
	expect_header(":-1    -1 [000]  1.000000: 6 cycles: ", 6, "comm=:-1 tid=-1");
	expect_header("      padded    12/13     1.000000123:  7 cycles:u: \n", 7, "comm=padded pid=12 tid=13");
	expect_header("kworker/0:1-eve 9 U      1.000000: 8 cycles: \n", 8, "comm=kworker/0:1-eve tid=9");
	expect_header("12/13 1.000000: 9 cycles: ", 9, "pid=12 tid=13");
}

static void fields_may_be_missing(void **state)
{
	struct profile *p;

	(void)state;
	expect_header("CUPSManager cup 12 cycles: \n", 1, "comm=CUPSManager cup tid=12");
	expect_header("a b 12/13 5 cycles: \n", 5, "comm=a b pid=12 tid=13");
	expect_header("a b 12 [003] 5 cycles: \n", 5, "comm=a b tid=12");
	expect_header("a b 1.000000: 5 cycles: \n", 5, "comm=a b");
	expect_header("a b 1.000000: cycles: \n", 1, "comm=a b");
	expect_header("a b          5 cycles: \n", 5, "comm=a b");
	expect_header("a b 10000000000 cycles: \n", 10000000000, "comm=a b");
	expect_header("a b     5 cycles: \n", 1, "comm=a b tid=5");
	p = read_text("a b\n\t 12 f (/x)\n\n");
	assert_int_equal(p->n_types, 1);
	expect_row(p, 0, 0, "comm=a b", "f");
	profile_free(p);
	p = read_text("spin 19807  2659.935971: \n\t              10 f+0x1 (/x)\n");
	expect_row(p, 0, 0, "comm=spin tid=19807", "f");
	profile_free(p);
}

static void the_dso_is_the_last_group_in_parentheses(void **state)
{
	struct profile *p = read_text("a 1 1.000000: 3 cycles: \n"
				      "\t    7f01 corn::grind<corn::Wheel, 3>(corn::Wheel const&)+0x1f (/bin/a b)\n"
				      "\t    7f02 jit (x) (/memfd:doublemapper (deleted))\n"
				      "\t    7f03 js +0x (y)+0x10 ([JIT app cache])\n"
				      "\t    7f04 [unknown] (/lib/c.so)\n"
				      "\t    7f05 [unknown] ([unknown])\n"
				      "\t    7f06 (/lib/c.so)\n"
				      "\t    7f07\n"
				      "\t    7f08 a)b (/lib/d(e)\n"
				      "\t    7f07\n\n"); /* the same location again */

	(void)state;
	expect_row(p, 0, 3, "comm=a tid=1",
		   "corn::grind<corn::Wheel, 3>(corn::Wheel const&)|jit (x)|js +0x (y)|7f04|7f05|7f06|7f07|a)b|7f07");
	assert_int_equal(p->n_locs, 8);
	assert_int_equal(p->n_maps, 5);
	assert_string_equal(profile_text(p, p->map[0].file), "/bin/a b");
	assert_string_equal(profile_text(p, p->map[1].file), "/memfd:doublemapper (deleted)");
	assert_string_equal(profile_text(p, p->map[2].file), "[JIT app cache]");
	assert_string_equal(profile_text(p, p->map[3].file), "/lib/c.so");
	assert_string_equal(profile_text(p, p->map[4].file), "/lib/d(e");
	assert_int_equal(p->loc_map[4], PROFILE_NONE);
	profile_free(p);
}

static void inlined_frames_are_lines_of_their_caller(void **state)
{
	struct profile *p = read_text("a 1 1.000000: 3 cycles:u: \r\n"
				      "\t    7f01 mix (inlined)\r\n"
				      "  spin.c:25\r\n"
				      "\t    7f01 gamma_leaf+0x1f (/bin/spin)\r\n"
				      "  spin.c:34\r\n"
				      "\t    7f02 main+0x1 (/bin/spin)\r\n"
				      "  ??:0\r\n"
				      "\r\n");

	(void)state;
	expect_row(p, 0, 3, "comm=a tid=1", "mix=gamma_leaf|main");
	assert_int_equal(p->n_locs, 2);
	assert_int_equal(p->line_no[0], 25);
	assert_int_equal(p->line_no[1], 34);
	assert_int_equal(p->line_no[2], 0);
	assert_string_equal(profile_text(p, p->func_file[p->line_func[1]]), "spin.c");
	assert_int_equal(p->meta.n_comments, 0);
	profile_free(p);
}

static void each_event_is_a_sample_type(void **state)
{
	struct profile *p = read_text("a 1 1.000000:      9 page-faults: \n\t 10 f (/x)\n\n"
				      "a 1 1.500000:    100 cpu-clock:u: \n\t 10 f (/x)\n\n"
				      "a 1 3.000000: sched:sched_switch: prev_comm=a 1 2.0: x:\n\t 10 f (/x)\n\n"
				      "a 1 2.000000:      1 cpu/event=0xC4,umask=0x20/pu: \n"
				      "a 1 2.100000:        cpu-clock:u: \n");

	(void)state;
	assert_int_equal(p->n_types, 5);
	assert_string_equal(profile_text(p, p->type[0].name), "samples");
	assert_string_equal(profile_text(p, p->type[1].name), "page-faults");
	assert_string_equal(profile_text(p, p->type[1].unit), "count");
	assert_string_equal(profile_text(p, p->type[2].name), "cpu-clock:u");
	assert_string_equal(profile_text(p, p->type[2].unit), "nanoseconds");
	assert_string_equal(profile_text(p, p->type[3].name), "sched:sched_switch");
	assert_string_equal(profile_text(p, p->type[4].name), "cpu/event=0xC4,umask=0x20/pu");
	assert_string_equal(profile_text(p, p->meta.default_type), "cpu-clock:u");
	assert_int_equal(p->meta.duration_ns, 2000000000);
	assert_int_equal(p->n_rows, 5);
	assert_int_equal(p->value[1][0], 9);
	assert_int_equal(p->value[2][1], 100);
	assert_int_equal(p->value[3][2], 1);
	assert_int_equal(p->value[4][3], 1);
	assert_int_equal(p->value[2][4], 1);
	expect_comment(p, 0, "perf-script: counted 1 for 1 sample without a period, the first in line 11");
	profile_free(p);
}

static void frames_without_a_call_chain_are_in_the_header(void **state)
{
	struct profile *p =
		read_text("   spin 7 1.000000:    100 cpu-clock:  401000 main+0x10 (/bin/spin)\n"
			  "  other 8 1.000001:    100 cpu-clock:  ffffffff81000130 [unknown] ([kernel.kallsyms])\n"
			  "   spin 7 1.000002:  401000 main+0x10 (/bin/spin)\n"
			  "   spin 7 1.000003:    100 branches:  401000 f+0x1 (/bin/a) => 402000 g+0x2 (/b)\n"
			  "   cafe 7        100 cycles:  401000 g+0x10 (/bin/spin)\n"
			  "   cafe       2000 cycles:  401000 g+0x10 (/bin/spin)\n");

	(void)state;
	assert_int_equal(p->n_rows, 6);
	expect_row(p, 4, 100, "comm=cafe tid=7", "g");
	expect_row(p, 5, 2000, "comm=cafe", "g");
	expect_row(p, 0, 100, "comm=spin tid=7", "main");
	expect_row(p, 1, 100, "comm=other tid=8", "ffffffff81000130");
	expect_row(p, 2, 0, "comm=spin tid=7", "main");
	expect_row(p, 3, 100, "comm=spin tid=7", "f");
	profile_free(p);
}

static void what_is_no_sample_is_counted(void **state)
{
	struct profile *p = read_text("# captured on    : x\n"
				      "a 1 1.000000: PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0]: r-xp /bin/a\n"
				      "a 1 1.000000: PERF_RECORD_LOST lost 12\n"
				      "a 1 1.000000: 3 cycles: \n"
				      "\t    7f01 f (/bin/a)\n"
				      "what is this?\n"
				      "\n"
				      "\t    7f01 f (/bin/a)\n");

	(void)state;
	assert_int_equal(p->n_rows, 1);
	expect_row(p, 0, 3, "comm=a tid=1", "f");
	expect_comment(p, 0, "perf-script: skipped 2 lines that are neither a header nor a frame, the first in line 6");
	expect_comment(p, 1, "perf-script: skipped 2 records that are no samples, the first in line 2");
	expect_comment(p, 2, "perf-script: perf lost 12 samples");
	profile_free(p);
}

static void times_are_labels_on_request(void **state)
{
	static const char text[] = "a 1 7.000000: 3 cycles: \n\na 1 6.500000: 3 cycles: \n";
	const struct format_options with_times = { .keeps_times = true };
	struct profile *p = NULL;
	struct err err;

	(void)state;
	assert_int_equal(perfscript_read((const uint8_t *)text, sizeof(text) - 1, &with_times, &p, &err), 0);
	expect_row(p, 0, 3, "comm=a tid=1 time=500000000", "");
	expect_row(p, 1, 3, "comm=a tid=1 time=0", "");
	profile_free(p);
}

static void more_than_64_events_share_a_type(void **state)
{
	struct buf text = { 0 };
	struct profile *p;

	(void)state;
	for (int i = 0; i < 70; i++)
		buf_addf(&text, "a 1 1.000000: %d e%d: \n", i + 1, i);
	p = read_text(buf_text(&text));
	assert_int_equal(p->n_types, 66);
	assert_string_equal(profile_text(p, p->type[65].name), "other events");
	expect_row(p, 63, 64, "comm=a tid=1", "");
	expect_row(p, 69, 1, "comm=a tid=1", "");
	assert_int_equal(p->meta.n_comments, 1);
	profile_free(p);
	buf_release(&text);
}

static void expect_error(const char *text, const struct format_options *limits, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(perfscript_read((const uint8_t *)text, strlen(text), limits, &p, &err), code);
	assert_string_equal(err.msg, message);
	assert_null(p);
}

static void errors_name_the_line(void **state)
{
	const struct format_options one = { .max_count = 1 }, two_frames = { .max_depth = 2 };

	(void)state;
	expect_error("", &no_limits, ERR_FORMAT, "the text has no sample of perf script");
	expect_error("hello\n", &no_limits, ERR_FORMAT, "the text has no sample of perf script");
	expect_error("a 1 1.000000: 3 c: \na 1 1.000000: 3 c: \n", &one, ERR_LIMIT,
		     "line 2: more than 1 samples; raise the limit with --max-count");
	expect_error("a 1 1.000000: 3 c: \n\t 1 f (a)\n\t 1 g (a)\n\n", &one, ERR_LIMIT,
		     "line 4: more than 1 functions; raise the limit with --max-count");
	expect_error("a 1 1.000000: 3 c: \n\t 1 f (a)\n\t 1 g (a)\n\t 1 g (a)\n", &two_frames, ERR_LIMIT,
		     "line 4: more than 2 frames; raise the limit with --max-depth");
}

#define PROBE(literal) perfscript_probe((const uint8_t *)(literal), sizeof(literal) - 1)

static void headers_decide_the_format(void **state)
{
	(void)state;
	assert_int_equal(PROBE("spin 19807  2659.935971:          9 page-faults: \n"), FORMAT_SURE);
	assert_int_equal(PROBE("# hostname : x\n#\n\nspin 1/2 [000] 2659.935971: 9 page-faults: \n"), FORMAT_SURE);
	assert_int_equal(PROBE("a b\n\t    7f01 f (/bin/a)\n"), FORMAT_SURE);
	assert_int_equal(PROBE("a 12 cycles: \n\t    7f01 f (/bin/a)\n"), FORMAT_SURE);
	assert_int_equal(PROBE("a 12 cycles: \n"), FORMAT_NO);
	assert_int_equal(PROBE("  a b    2000 cycles:   401000 f+0x1 (/x)\n"), FORMAT_SURE);
	assert_int_equal(PROBE("bash-123 [000] d..1 12.345678: sched_switch: prev_comm=bash\n"), FORMAT_NO);
	assert_int_equal(PROBE("daemon 123 12.345678: it is a log file\n"), FORMAT_NO);
	assert_int_equal(PROBE("a;b 12\na;c 1\n"), FORMAT_NO);
	assert_int_equal(PROBE("heap profile: 12\n"), FORMAT_NO);
	assert_int_equal(PROBE(""), FORMAT_NO);
}

static void damaged_text_is_read_or_refused(void **state)
{
	static const char text[] = "mill (x) 7 1/2 [003] 1.000000: 3 cycles:u: \n\t 7f01 mix (inlined)\n"
				   "\t 7f01 g+0x1 (/b (d))\n  s.c:3\n\na 1 1.000000: PERF_RECORD_LOST lost 1\n";
	char copy[sizeof(text)];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++)
		for (int flip = 0; flip < 3; flip++) {
			char *part = malloc(n + 1);
			struct profile *p = NULL;
			struct err err;

			memcpy(copy, text, sizeof(text));
			copy[n] = (char)(flip == 0 ? copy[n] : flip == 1 ? copy[n] ^ 0x10 : ' ');
			assert_non_null(part);
			memcpy(part, copy, n + 1);
			if (perfscript_read((const uint8_t *)part, n + 1, &no_limits, &p, &err) == 0)
				assert_int_equal(profile_check(p, &err), 0);
			else
				assert_null(p);
			profile_free(p);
			free(part);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_comm_is_the_shortest_text_before_the_ids),
		cmocka_unit_test(fields_may_be_missing),
		cmocka_unit_test(the_dso_is_the_last_group_in_parentheses),
		cmocka_unit_test(inlined_frames_are_lines_of_their_caller),
		cmocka_unit_test(each_event_is_a_sample_type),
		cmocka_unit_test(frames_without_a_call_chain_are_in_the_header),
		cmocka_unit_test(what_is_no_sample_is_counted),
		cmocka_unit_test(times_are_labels_on_request),
		cmocka_unit_test(more_than_64_events_share_a_type),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(headers_decide_the_format),
		cmocka_unit_test(damaged_text_is_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
