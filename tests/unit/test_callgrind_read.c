/*
 * test_callgrind_read.c - read call costs of callgrind
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/callgrind/callgrind.h"

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

static const struct format_options no_limits;

static struct profile *read_text(const char *text)
{
	struct profile *p = NULL;
	struct err err;

	if (callcosts_read((const uint8_t *)text, strlen(text), &no_limits, &p, &err) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

/* All rows: "object function file:line value,value;", in their order. */
static void expect_rows(const struct profile *p, const char *rows)
{
	struct buf got = { 0 };

	for (uint32_t row = 0; row < p->n_rows; row++) {
		uint32_t loc = stack_id_at(&p->stacks, p->stacks.off[p->stack[row]]), line = p->loc_line[loc];
		uint32_t func = p->line_func[line];

		assert_int_equal(p->stacks.off[p->stack[row] + 1] - p->stacks.off[p->stack[row]], 1);
		buf_addf(&got, "%s %s %s:%lld",
			 p->loc_map[loc] == PROFILE_NONE ? "-" : profile_text(p, p->map[p->loc_map[loc]].file),
			 profile_text(p, p->func_name[func]), profile_text(p, p->func_file[func]),
			 (long long)p->line_no[line]);
		for (uint32_t t = 0; t < p->n_types; t++)
			buf_addf(&got, "%c%lld", t ? ',' : ' ', (long long)p->value[t][row]);
		buf_addz(&got, ";");
	}
	assert_string_equal(buf_text(&got), rows);
	buf_release(&got);
}

static void expect_comment(const struct profile *p, uint32_t i, const char *text)
{
	assert_true(i < p->meta.n_comments);
	assert_string_equal(profile_text(p, p->meta.comment[i]), text);
}

static void the_cost_of_a_call_is_not_added(void **state)
{
	struct profile *p = read_text("# callgrind format\nversion: 1\ncreator: x\npid: 1\ncmd:  ./a\npart: 1\n\n"
				      "positions: line\nevents: Ir\nsummary: 60\n\n"
				      "ob=(1) /bin/a\nfl=(1) a.c\nfn=(1) main\n10 5\n+2 7\ncfn=(2) work\ncalls=2 +8\n"
				      "* 48\n-1 3\n* 1\n\nfn=(2)\n20 40\n+1 4\n");

	(void)state;
	assert_int_equal(p->n_types, 1);
	assert_string_equal(profile_text(p, p->type[0].name), "Ir");
	assert_string_equal(profile_text(p, p->type[0].unit), "count");
	expect_rows(p, "/bin/a main a.c:10 5;/bin/a main a.c:12 7;/bin/a main a.c:11 4;"
		       "/bin/a work a.c:20 40;/bin/a work a.c:21 4;");
	assert_int_equal(p->meta.n_comments, 1);
	expect_comment(p, 0, "callgrind: 1 call is not read: a call graph has no stacks, so cum is equal to flat");
	profile_free(p);
}

static void positions_have_columns(void **state)
{
	struct profile *p = read_text("positions: instr line\nevents: Ir Dr\nfl=a.c\nfn=f\n0x1000 10 2 1\n+3 * 1\n"
				      "+0x10 +1 4 2\njcnd=1/2 +4 -1\n* *\n-19 -1 1\ntotals: 8 3\n");

	(void)state;
	expect_rows(p, "- f a.c:10 4,1;- f a.c:11 4,2;");
	assert_int_equal(p->meta.n_comments, 0);
	profile_free(p);
	p = read_text("positions: instr\nevents: Ir\nfl=a.c\nfn=f\n0x1000 10\n+3 2\n");
	expect_rows(p, "- f a.c:0 12;");
	profile_free(p);
}

static void inlined_code_has_its_own_file(void **state)
{
	struct profile *p = read_text("events: Ir\nfl=(1) a.c\nfn=(1) f\n10 1\nfi=(2) b.h\n7 2\nfe=(1)\n11 4\n"
				      "fi=(2)\n8 8\nfn=(2) g\n20 16\nfl=???\nfn=(3) h\n0 32\n");

	(void)state;
	expect_rows(p, "- f a.c:10 1;- f b.h:7 2;- f a.c:11 4;- f b.h:8 8;- g a.c:20 16;- h :0 32;");
	profile_free(p);
}

static void names_of_files_functions_and_objects_are_apart(void **state)
{
	struct profile *p =
		read_text("events: Ir\nob=(1) /bin/a\nfl=(1) a.c\nfn=(1) (below main)\n1 1\ncob=(2) /lib/b\n"
			  "cfi=(2) b.c\ncfn=(2) g'2\ncalls=1 0\n1 100\nob=(2)\nfl=(2)\nfn=(2)\n2 2\n"
			  "fn=(1) other\n3 4\nfn=(1)\n3 8\n");

	(void)state;
	expect_rows(p, "/bin/a (below main) a.c:1 1;/lib/b g'2 b.c:2 2;/lib/b other b.c:3 12;");
	profile_free(p);
}

static void the_program_of_the_command_is_the_first_mapping(void **state)
{
	struct profile *p =
		read_text("cmd: ./shop --port 80\nevents: Ir\nob=/lib/m.so\nfn=f\n1 1\nob=/srv/shop\nfn=g\n2 2\n");

	(void)state;
	assert_string_equal(profile_text(p, p->map[0].file), "/srv/shop");
	expect_rows(p, "/lib/m.so f :1 1;/srv/shop g :2 2;");
	profile_free(p);
}

static void parts_are_added_up(void **state)
{
	struct profile *p = read_text("events: Ir\nsummary: 3\nfl=a\nfn=f\n1 3\n\npart: 2\nevents: Ir\nsummary: 4\n"
				      "fl=a\nfn=f\n1 4\ntotals: 7\n");

	(void)state;
	expect_rows(p, "- f a:1 7;");
	assert_int_equal(p->meta.n_comments, 0);
	profile_free(p);
}

static void units_are_in_the_names_of_events(void **state)
{
	struct profile *p = read_text("version: 1\ncreator: xdebug 3.1.0\ncmd: /a.php\npart: 1\npositions: line\n\n"
				      "events: Time_(10ns) Memory_(bytes)\n\nfl=(1) php:internal\n"
				      "fn=(1) php::strlen\n3 12 -32\n\nsummary: 12 -32\n");

	(void)state;
	assert_string_equal(profile_text(p, p->type[0].name), "Time");
	assert_string_equal(profile_text(p, p->type[0].unit), "nanoseconds");
	assert_string_equal(profile_text(p, p->type[1].unit), "bytes");
	assert_string_equal(profile_text(p, p->meta.default_type), "Time");
	expect_rows(p, "- php::strlen php:internal:3 120,-32;");
	assert_int_equal(p->meta.n_comments, 0);
	profile_free(p);
}

static void a_sum_that_differs_is_reported(void **state)
{
	struct profile *p = read_text("events: Ir Dr\nsummary: 9 1\nfl=a\nfn=f\n1 3 1\nstrange\n");

	(void)state;
	expect_comment(p, 0, "callgrind: skipped 1 line of unknown kind, the first in line 6");
	expect_comment(p, 1, "callgrind: the costs of Ir add up to 3, but the file says 9");
	profile_free(p);
}

static void expect_error(const char *text, const struct format_options *limits, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(callcosts_read((const uint8_t *)text, strlen(text), limits, &p, &err), code);
	assert_string_equal(err.msg, message);
	assert_null(p);
}

static void errors_name_the_line(void **state)
{
	const struct format_options two = { .max_count = 2 };

	(void)state;
	expect_error("", &no_limits, ERR_FORMAT, "no line events:");
	expect_error("fn=f\n1 1\n", &no_limits, ERR_FORMAT, "line 2: a cost before the line events:");
	expect_error("events: Ir\n1 1\n", &no_limits, ERR_FORMAT, "line 2: a cost before the first line fn=");
	expect_error("events: Ir\nfn=(7)\n1 1\n", &no_limits, ERR_FORMAT, "line 2: the name (7) is not defined");
	expect_error("events: Ir\nfn=f\n1 x\n", &no_limits, ERR_FORMAT, "line 3: invalid cost");
	expect_error("events: Ir\nfn=f\n1x 1\n", &no_limits, ERR_FORMAT, "line 3: invalid position");
	expect_error("events: Ir\nfn=f\n1 1 1\n", &no_limits, ERR_FORMAT, "line 3: more costs than events");
	expect_error("events: Ir\nfn=f\n5 1\n-6 1\n", &no_limits, ERR_FORMAT,
		     "line 4: the line number is out of range");
	expect_error("events: Ir\npositions: line addr\n", &no_limits, ERR_FORMAT, "line 2: unknown positions");
	expect_error("events: Ir\nevents: Ir Dr\n", &no_limits, ERR_FORMAT,
		     "line 2: the events are not those of the first part, \"Ir\"");
	expect_error("events: Ir\nfn=f\n1 1\n2 1\n3 1\n", &two, ERR_LIMIT,
		     "line 5: more than 2 locations; raise the limit with --max-count");
}

static enum format_match probe(const char *text)
{
	return callcosts_probe((const uint8_t *)text, strlen(text));
}

static void the_first_lines_decide(void **state)
{
	(void)state;
	assert_int_equal(probe("# callgrind format\n"), FORMAT_SURE);
	assert_int_equal(probe("version: 1\ncreator: xdebug\n\nevents: Time_(10ns)\n\nfl=(1) a\nfn=(1) b\n"),
			 FORMAT_SURE);
	assert_int_equal(probe("events: Ir\n"), FORMAT_NO);
	assert_int_equal(probe("fn=b\n"), FORMAT_NO);
	assert_int_equal(probe(""), FORMAT_NO);
}

static void damaged_text_is_read_or_refused(void **state)
{
	static const char text[] = "# callgrind format\npositions: instr line\nevents: Ir Dr\nob=(1) /b\nfl=(1) a\n"
				   "fn=(1) f\n0x10 5 7\n+2 * 1\ncfn=(2) g\ncalls=1 0x20 -1\n* * 9\nsummary: 8 0\n";
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
			if (callcosts_read((const uint8_t *)part, n + 1, &no_limits, &p, &err) == 0)
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
		cmocka_unit_test(the_cost_of_a_call_is_not_added),
		cmocka_unit_test(positions_have_columns),
		cmocka_unit_test(inlined_code_has_its_own_file),
		cmocka_unit_test(names_of_files_functions_and_objects_are_apart),
		cmocka_unit_test(the_program_of_the_command_is_the_first_mapping),
		cmocka_unit_test(parts_are_added_up),
		cmocka_unit_test(units_are_in_the_names_of_events),
		cmocka_unit_test(a_sum_that_differs_is_reported),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(the_first_lines_decide),
		cmocka_unit_test(damaged_text_is_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
