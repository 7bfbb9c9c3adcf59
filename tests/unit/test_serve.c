/*
 * test_serve.c - captures, how they end, and the state after them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "make_serve.h"

#include <time.h>

struct fixture {
	struct made_host h;
	struct serve_options options;
	struct serve *s;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ 0 };
	made_host_open(&f.h);
	*state = &f;
	return serve_new(&f.h.host, &f.options, &f.s);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	serve_free(f->s);
	made_host_close(&f->h);
	return 0;
}

static struct serve_job *begin(struct fixture *f, const char *target)
{
	struct serve_request r = { .method = "GET", .target = target };
	struct serve_job *j;

	assert_int_equal(serve_begin(f->s, &r, &j), 0);
	return j;
}

/* Send a request, and check status and body of the answer. */
static void expect(struct fixture *f, const char *target, int status, const char *text)
{
	struct serve_job *j = made_request(f->s, "GET", target);

	if (text)
		assert_string_equal(made_text(j), text);
	assert_int_equal(serve_answer(j)->status, status);
	serve_end(j);
}

static void expect_part(struct fixture *f, const char *target, const char *text)
{
	struct serve_job *j = made_request(f->s, "GET", target);

	if (!strstr(made_text(j), text))
		fail_msg("%s: no \"%s\" in %s", target, text, made_text(j));
	assert_int_equal(serve_answer(j)->status, 200);
	serve_end(j);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void a_capture_takes_steps_until_its_time_is_over(void **state)
{
	struct fixture *f = *state;
	uint64_t start = now_ns(), due;
	struct serve_job *j = begin(f, "/debug/pprof/heap?seconds=1");
	unsigned n = 0;

	while ((due = serve_step(j, false))) {
		struct timespec until = { (time_t)(due / 1000000000), (long)(due % 1000000000) };

		assert_true(due >= start && due <= start + 1100000000);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		n++;
	}
	assert_true(now_ns() - start >= 1000000000);
	assert_true(n >= 2);
	assert_int_equal(serve_answer(j)->status, 200);
	assert_string_equal(serve_answer(j)->file, "heap-delta");
	serve_end(j);
}

static void a_capture_ends_early_on_request(void **state)
{
	struct fixture *f = *state;
	struct serve_job *j = begin(f, "/debug/pprof/profile?seconds=300");

	assert_true(serve_step(j, false));
	assert_true(serve_step(j, false));
	assert_int_equal(f->h.recording, 1);
	assert_int_equal(serve_step(j, true), 0);
	assert_int_equal(f->h.recording, 0);
	assert_int_equal(serve_answer(j)->status, 200);
	assert_string_equal(serve_answer(j)->file, "profile");
	serve_end(j);
}

static void a_client_that_disconnects_ends_its_recording(void **state)
{
	struct fixture *f = *state;
	struct serve_job *j = begin(f, "/debug/pprof/profile?seconds=300");

	assert_true(serve_step(j, false));
	serve_end(j);
	assert_int_equal(f->h.recording, 0);
	assert_int_equal(f->h.n_ended, 1);
	serve_end(begin(f, "/debug/pprof/profile")); /* ends without any step */
	assert_int_equal(f->h.n_begun, 1);
	j = begin(f, "/debug/pprof/heap?seconds=5");
	assert_true(serve_step(j, false));
	serve_end(j);
}

static void processes_are_not_used_after_the_collector_is_gone(void **state)
{
	struct fixture *f = *state;
	struct serve_job *j = begin(f, "/debug/pprof/heap?debug=1"), *k = begin(f, "/debug/pprof/heap?seconds=5");
	unsigned n_pins;

	assert_true(serve_step(k, false));
	f->h.ends_in_lookup = true;
	assert_int_equal(serve_step(j, false), 0);
	assert_int_equal(serve_answer(j)->status, 503);
	n_pins = f->h.m.p->n_pins;
	assert_int_equal(n_pins, 2);
	serve_end(j);
	serve_end(k);
	assert_int_equal(f->h.m.p->n_pins, n_pins);
}

static void only_one_capture_of_cpu_time_runs_at_a_time(void **state)
{
	struct fixture *f = *state;
	struct serve_job *j = begin(f, "/debug/pprof/profile?seconds=300"), *k;

	assert_true(serve_step(j, false));
	expect(f, "/debug/pprof/profile", 500, "Could not enable CPU profiling: cpu profiling already in use\n");
	k = begin(f, "/debug/pprof/profile?share=1");
	assert_true(serve_step(k, false));
	assert_int_equal(serve_step(k, true), 0);
	assert_int_equal(serve_answer(k)->status, 200);
	assert_int_equal(f->h.recording, 1); /* the first capture still needs the recording */
	serve_end(k);
	expect(f, "/debug/pprof/profile?share=1&hz=50", 400,
	       "cannot set \"hz\" to 50: CPU time is already being sampled at 100 Hz\n");
	serve_end(j);
}

static void a_shared_recording_ends_with_its_last_capture(void **state)
{
	struct fixture *f = *state;
	struct serve_job *j = begin(f, "/debug/pprof/profile?seconds=20"),
			 *k = begin(f, "/debug/pprof/profile?share=1");

	assert_true(serve_step(j, false));
	assert_true(serve_step(k, false));
	serve_end(j);
	assert_int_equal(f->h.recording, 1);
	assert_true(serve_step(k, false));
	assert_int_equal(serve_step(k, true), 0);
	assert_int_equal(serve_answer(k)->status, 200);
	serve_end(k);
	assert_int_equal(f->h.recording, 0);
	assert_int_equal(f->h.n_ended, 1);
}

static void a_capture_fails_when_the_program_ends_the_recording(void **state)
{
	struct fixture *f = *state;
	struct serve_job *k = begin(f, "/debug/pprof/profile?share=1");

	f->h.recording = 7;
	assert_true(serve_step(k, false));
	f->h.recording = 0;
	assert_int_equal(serve_step(k, false), 0);
	assert_int_equal(serve_answer(k)->status, 500);
	assert_string_equal(made_text(k), "CPU profiling ended before 30 seconds had passed\n");
	serve_end(k);
	assert_int_equal(f->h.n_ended, 0);
}

/* As in Go, where timelines and CPU profiles are independent. */
static void a_timeline_and_a_profile_run_at_the_same_time(void **state)
{
	struct fixture *f = *state;

	for (int profile_first = 0; profile_first < 2; profile_first++) {
		struct serve_job *trace = begin(f, "/debug/pprof/trace?seconds=20"),
				 *profile = begin(f, "/debug/pprof/profile?seconds=20");

		assert_true(serve_step(profile_first ? profile : trace, false));
		assert_true(serve_step(profile_first ? trace : profile, false));
		expect(f, "/debug/pprof/profile", 500,
		       "Could not enable CPU profiling: cpu profiling already in use\n");
		serve_end(profile_first ? profile : trace);
		assert_int_equal(f->h.recording, profile_first + 1);
		assert_int_equal(serve_step(profile_first ? trace : profile, true), 0);
		assert_int_equal(serve_answer(profile_first ? trace : profile)->status, 200);
		serve_end(profile_first ? trace : profile);
		assert_int_equal(f->h.recording, 0);
	}
}

static void a_failed_cpu_recording_reports_the_reason(void **state)
{
	struct fixture *f = *state;

	f->h.cpu_error = -EPERM;
	expect(f, "/debug/pprof/profile", 500, "Could not enable CPU profiling: Operation not permitted\n");
}

static void cpa_parameters_are_validated(void **state)
{
	static const char hz[] = "invalid value for \"hz\" - must be an integer from 1 to 1000\n";
	struct fixture *f = *state;

	expect(f, "/debug/pprof/profile?hz=0", 400, hz);
	expect(f, "/debug/pprof/profile?hz=1001", 400, hz);
	expect(f, "/debug/pprof/profile?hz=x", 400, hz);
	expect(f, "/debug/pprof/profile?hz=1000&clock=cpu&engine=perf", 200, NULL);
	expect(f, "/debug/pprof/profile?engine=x", 400,
	       "invalid value for \"engine\" - must be timer, perf or itimer\n");
	expect(f, "/debug/pprof/profile?clock=wall", 400, "invalid value for \"clock\" - must be cpu\n");
	expect(f, "/debug/pprof/heap?pid=0", 400, "invalid value for \"pid\" - must be a positive integer\n");
	expect(f, "/debug/pprof/heap?hz=x", 200, NULL);
}

static void a_requested_engine_replaces_the_default(void **state)
{
	struct fixture *f = *state;

	expect(f, "/debug/pprof/profile", 200, NULL);
	assert_int_equal(f->h.settings.engine, 0);
	expect(f, "/debug/pprof/profile?engine=timer", 200, NULL);
	assert_int_equal(f->h.settings.engine, REQUEST_TIMER + 1);
	f->h.host.is_cpu_always = true;
	f->h.recording = 1;
	expect(f, "/debug/pprof/profile?engine=timer", 200, NULL);
	expect(f, "/debug/pprof/profile?engine=itimer", 400,
	       "cannot set \"engine\": CPU time is already being sampled\n");
}

static void the_number_of_captures_is_limited(void **state)
{
	static const char too_long[] = "profile duration exceeds the limit of 300 seconds\n";
	struct fixture *f = *state;
	struct serve_job *j[SERVE_DELTAS_MAX];

	expect(f, "/debug/pprof/profile?seconds=301", 400, too_long);
	expect(f, "/debug/pprof/heap?seconds=301", 400, too_long);
	expect(f, "/debug/pprof/heap?seconds=9223372036854775807", 400, too_long);
	expect(f, "/debug/pprof/trace?seconds=300.5", 400, too_long);
	expect(f, "/debug/pprof/trace?seconds=inf", 400, too_long);
	expect(f, "/debug/pprof/trace?seconds=nan", 400, too_long);
	for (int i = 0; i < SERVE_DELTAS_MAX; i++) {
		j[i] = begin(f, "/debug/pprof/heap?seconds=300");
		assert_true(serve_step(j[i], false));
	}
	expect(f, "/debug/pprof/block?seconds=1", 429, "8 captures are already running; try again later\n");
	serve_end(j[0]);
	expect(f, "/debug/pprof/block?seconds=1", 200, NULL);
	for (int i = 1; i < SERVE_DELTAS_MAX; i++)
		serve_end(j[i]);
}

static void a_capture_ends_with_its_program(void **state)
{
	struct fixture *f = *state;
	struct serve_job *j = begin(f, "/debug/pprof/heap?seconds=300"),
			 *k = begin(f, "/debug/pprof/profile?seconds=300");
	char text[64];

	assert_true(serve_step(j, false));
	assert_true(serve_step(k, false));
	f->h.ended = true;
	assert_int_equal(serve_step(j, false), 0);
	assert_int_equal(serve_answer(j)->status, 200);
	assert_int_equal(serve_step(k, false), 0);
	assert_int_equal(serve_answer(k)->status, 200);
	serve_end(j);
	serve_end(k);
	snprintf(text, sizeof(text), "process %d has ended\n", (int)getpid());
	expect(f, "/debug/pprof/heap", 404, text);
	expect(f, "/debug/pprof/", 404, text);
	expect(f, "/debug/pprof/heap?pid=1", 404, "process 1 has ended, or is not profiled\n");
}

static void a_head_request_for_a_capture_does_not_wait(void **state)
{
	struct fixture *f = *state;
	struct serve_request r = { .method = "HEAD", .target = "/debug/pprof/profile?seconds=300" };
	struct serve_job *j;

	assert_int_equal(serve_begin(f->s, &r, &j), 0);
	assert_int_equal(serve_step(j, false), 0);
	assert_int_equal(serve_answer(j)->status, 200);
	assert_true(serve_answer(j)->no_length);
	assert_int_equal(f->h.n_begun, 0);
	serve_end(j);
}

/* Does the answer contain a row with these objects? */
static bool has_objects(struct fixture *f, const char *target, const char *objects)
{
	struct serve_job *j = made_request(f->s, "GET", target);
	bool has = strstr(made_text(j), objects) != NULL;

	assert_int_equal(serve_answer(j)->status, 200);
	serve_end(j);
	return has;
}

static void delta_paths_return_the_change_since_the_last_request(void **state)
{
	static const char before[] = "1: 100 [1: 100] @ 0x1001 0x2001", after[] = "1: 100 [0: 0] @ 0x1001 0x2001";
	struct fixture *f = *state;

	assert_true(has_objects(f, "/debug/pprof/delta_heap?debug=1", before));
	serve_end(made_request(f->s, "HEAD", "/debug/pprof/delta_heap"));
	assert_true(has_objects(f, "/debug/pprof/delta_heap?debug=1", after)); /* still in use */
	assert_true(has_objects(f, "/debug/pprof/heap?debug=1", before));
	assert_true(has_objects(f, "/debug/pprof/delta_block?debug=1", " 1 @ 0x1001 0x2001"));
	assert_false(has_objects(f, "/debug/pprof/delta_block?debug=1", " 1 @ 0x1001 0x2001"));
}

static void text_profiles_contain_function_names(void **state)
{
	struct fixture *f = *state;

	expect_part(f, "/debug/pprof/heap?debug=1", "#\t0x1000\tf1000+0x3");
	assert_int_equal(f->h.n_names, 1);
	assert_true(f->h.n_rows > 0);
	expect_part(f, "/debug/pprof/my.custom?debug=1", "my.custom profile: total 3\n3 @ 0x1001 0x2001\n");
}

static void symbols_have_the_format_of_go(void **state)
{
	static const char body[] = "0x1000+0x10+8192+0xQ+0x0";
	struct fixture *f = *state;
	struct serve_request r = { .method = "POST", .target = "/debug/pprof/symbol", .body = body };
	struct serve_job *j;

	expect(f, "/debug/pprof/symbol?0x1000+0x2000", 200, "num_symbols: 1\n0x1000 f1000\n0x2000 f2000\n");
	r.n_body = sizeof(body) - 1;
	assert_int_equal(serve_begin(f->s, &r, &j), 0);
	assert_int_equal(serve_step(j, false), 0);
	assert_string_equal(made_text(j), "num_symbols: 1\n0x1000 f1000\n0x2000 f2000\n");
	serve_end(j);
	r.n_body = SERVE_BODY_MAX + 1;
	assert_int_equal(serve_begin(f->s, &r, &j), 0);
	assert_int_equal(serve_answer(j)->status, 413);
	serve_end(j);
	expect(f, "/pprof/symbol?0x2000", 200, "num_symbols: 1\n0x2000 f2000\n");
}

static void clients_of_gperftools_get_text(void **state)
{
	struct fixture *f = *state;

	expect_part(f, "/pprof/heap",
		    "heap profile: 1: 100 [1: 101] @ heap_v2/524288\n1: 100 [1: 100] @ 0x1001 0x2001\n");
	expect_part(f, "/pprof/contention", "--- contention:\ncycles/second=1000000000\n");
	expect(f, "/pprof/growth", 404, "404 page not found\n");
	expect(f, "/pprof", 404, "404 page not found\n");
	expect(f, "/pprof/", 404, "404 page not found\n");
}

static void the_command_line_can_be_hidden(void **state)
{
	struct fixture *f = *state;
	struct serve_options options = { .hide_cmdline = true };
	struct process_info facts;
	struct serve *s;
	struct serve_job *j;

	process_info(f->h.m.p, &facts);
	assert_int_equal(serve_new(&f->h.host, &options, &s), 0);
	j = made_request(s, "GET", "/debug/pprof/cmdline");
	assert_int_equal(serve_answer(j)->body.v.n, facts.n_program);
	serve_end(j);
	serve_free(s);
	j = made_request(f->s, "GET", "/debug/pprof/cmdline");
	assert_true(serve_answer(j)->body.v.n > 0);
	assert_int_not_equal(((const char *)serve_answer(j)->body.v.data)[serve_answer(j)->body.v.n - 1], 0);
	serve_end(j);
}

static void names_of_the_program_are_escaped_in_html(void **state)
{
	struct fixture *f = *state;
	struct serve_job *j;

	made_name(&f->h.m, "<b>'x\"&/%?");
	j = made_request(f->s, "GET", "/debug/pprof/");
	assert_non_null(strstr(made_text(j), ">&lt;b&gt;&#39;x&#34;&amp;/%?</a>"));
	assert_non_null(strstr(made_text(j), "href=\"%3Cb%3E%27x%22&amp;/%25%3F?debug=1\""));
	assert_null(strstr(made_text(j), "<b>"));
	serve_end(j);
	expect_part(f, "/debug/pprof/%3Cb%3E%27x%22&/%25%3F?debug=1", "profile: total 3");
	j = made_request(f->s, "GET", "/debug/pprof/%3Cb%3E%27x%22&/%25%3F");
	assert_string_equal(serve_answer(j)->file, "<b>'x_&/%?");
	serve_end(j);
}

static void headers_have_the_order_of_go_and_are_truncated(void **state)
{
	static const char want[] = "Allow: GET\r\nCache-Control: no-store\r\n"
				   "Content-Disposition: attachment; filename=\"x\"\r\nContent-Type: text/plain\r\n"
				   "Cross-Origin-Resource-Policy: same-origin\r\nLocation: /y\r\n"
				   "X-Content-Type-Options: nosniff\r\nX-Go-Pprof: 1\r\n";
	struct serve_answer a = {
		.allow = "GET", .file = "x", .type = "text/plain", .location = "/y", .is_error = true
	};
	char out[512];

	(void)state;
	assert_int_equal(serve_headers(&a, out, sizeof(out)), sizeof(want) - 1);
	assert_string_equal(out, want);
	assert_int_equal(serve_headers(&a, out, 20), sizeof(want) - 1);
	assert_int_equal(strlen(out), 19);
	assert_int_equal(serve_headers(&a, NULL, 0), sizeof(want) - 1);
}

static void a_request_target_cannot_inject_header_lines(void **state)
{
	struct fixture *f = *state;

	expect(f, "/debug/pprof?x\r\nSet-Cookie: a=b", 400, "400 Bad Request\n");
	expect(f, "/debug/pprof/\x7f", 400, "400 Bad Request\n");
	expect(f, "", 400, "400 Bad Request\n");
	expect(f, "*", 400, "400 Bad Request\n");
	expect(f, "debug/pprof/", 400, "400 Bad Request\n");
	expect(f, "http:/debug/pprof/nope", 400, NULL);
}

static void a_redirection_that_is_too_long_is_refused(void **state)
{
	struct fixture *f = *state;
	char target[600] = "/debug/pprof?";

	memset(target + strlen(target), 'x', sizeof(target) - 1 - strlen(target));
	expect(f, target, 414, "redirection too long\n");
}

#define test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_capture_takes_steps_until_its_time_is_over),
		test(a_capture_ends_early_on_request),
		test(a_client_that_disconnects_ends_its_recording),
		test(processes_are_not_used_after_the_collector_is_gone),
		test(only_one_capture_of_cpu_time_runs_at_a_time),
		test(a_shared_recording_ends_with_its_last_capture),
		test(a_capture_fails_when_the_program_ends_the_recording),
		test(a_timeline_and_a_profile_run_at_the_same_time),
		test(a_failed_cpu_recording_reports_the_reason),
		test(cpa_parameters_are_validated),
		test(a_requested_engine_replaces_the_default),
		test(the_number_of_captures_is_limited),
		test(a_capture_ends_with_its_program),
		test(a_head_request_for_a_capture_does_not_wait),
		test(delta_paths_return_the_change_since_the_last_request),
		test(text_profiles_contain_function_names),
		test(symbols_have_the_format_of_go),
		test(clients_of_gperftools_get_text),
		test(the_command_line_can_be_hidden),
		test(names_of_the_program_are_escaped_in_html),
		test(headers_have_the_order_of_go_and_are_truncated),
		test(a_request_target_cannot_inject_header_lines),
		test(a_redirection_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
