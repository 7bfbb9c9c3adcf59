/*
 * test_web_respond.c - cached pages, entity tags, cancelled requests, the page while a profile loads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/make_web.h"

/* The value of a header line; the caller frees it. */
static char *header(const struct http_response *r, const char *name)
{
	const char *at = strstr(buf_text(&r->header), name);

	if (!at)
		fail_msg("no %s in %s", name, buf_text(&r->header));
	at += strlen(name) + strlen(": ");
	return strndup(at, strcspn(at, "\r"));
}

/* Request a path with If-None-Match. */
static struct http_response get_if_newer(struct web_test *t, const char *path, const char *query, const char *etag)
{
	const struct http_header line[] = { { "Accept", "text/html" }, { "If-None-Match", etag } };
	const struct http_request q = {
		.method = "GET", .path = path, .query = query, .header = line, .n_headers = 2, .body = "", .upload = -1
	};
	struct http_response r = { 0 };
	struct stop stop = { 0 };

	web_answer(t->web, &q, &stop, &r);
	return r;
}

static void the_same_page_is_computed_once(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response a = get(&t, "/ui/top?f=runtime&n=5"), b = get(&t, "/ui/top?n=5&f=runtime"),
			     other = get(&t, "/ui/top?n=6&f=runtime");

	(void)state;
	assert_non_null(a.blob);
	assert_ptr_equal(a.blob, b.blob);
	assert_ptr_not_equal(a.blob, other.blob);
	assert_string_equal(buf_text(&a.header), buf_text(&b.header));
	http_response_release(&a);
	http_response_release(&b);
	http_response_release(&other);
	web_test_end(&t);
}

static void pages_with_errors_are_not_kept(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response a = get(&t, "/ui/top?f=%28"), b = get(&t, "/ui/top?f=%28");
	char *control = header(&a, "Cache-Control");

	(void)state;
	assert_int_equal(a.status, 400);
	assert_true(!a.blob || a.blob != b.blob);
	assert_string_equal(control, "no-store");
	assert_null(strstr(buf_text(&a.header), "ETag"));
	free(control);
	http_response_release(&a);
	http_response_release(&b);
	web_test_end(&t);
}

static void a_page_with_a_known_entity_tag_is_not_sent_again(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response a = get(&t, "/ui/top?n=5"), b;
	char *etag = header(&a, "ETag"), *control = header(&a, "Cache-Control");
	struct buf several = { 0 };

	(void)state;
	assert_string_equal(control, "private, no-cache");
	buf_addf(&several, "\"x\", %s", etag);
	b = get_if_newer(&t, "/ui/top", "n=5", buf_text(&several));
	assert_int_equal(b.status, 304);
	assert_int_equal(b.body.len, 0);
	assert_null(b.blob);
	http_response_release(&b);
	b = get_if_newer(&t, "/ui/top", "n=6", etag);
	assert_int_equal(b.status, 200);
	http_response_release(&b);
	http_response_release(&a);
	buf_release(&several);
	free(etag);
	free(control);
	web_test_end(&t);
}

static void pages_of_different_profiles_have_different_entity_tags(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz"), other = web_test_start("go-heap1.pb.gz");
	struct http_response a = get(&t, "/ui/top"), b = get(&other, "/ui/top");
	char *first = header(&a, "ETag"), *second = header(&b, "ETag");

	(void)state;
	assert_string_not_equal(first, second);
	free(first);
	free(second);
	http_response_release(&a);
	http_response_release(&b);
	web_test_end(&t);
	web_test_end(&other);
}

static void a_browser_gets_a_page_that_reloads_while_the_profile_loads(void **state)
{
	struct web_test t = web_test_start_empty();

	(void)state;
	stop_begin(web_load_stop(t.web), "reading", 200);
	stop_set_done(web_load_stop(t.web), 86);
	expect_page(&t, "/ui/top?n=5", 200, "<meta http-equiv=\"refresh\" content=\"1\">");
	expect_page(&t, "/ui/top?n=5", 200, "43&nbsp;%");
	expect_page(&t, "/ui/progress", 200, "{\"state\":\"loading\",\"activity\":\"reading\",\"percent\":43,");
	web_test_load(&t, "go-cpu.pb.gz", NULL);
	expect_absent(&t, "/ui/top?n=5", "http-equiv=\"refresh\"");
	expect_page(&t, "/ui/progress?tab=a", 200, "{\"state\":\"idle\"}");
	web_test_end(&t);
}

static void every_view_answers_for_every_file_type(void **state)
{
	static const char *const view[] = { "top",    "peek",    "tree",     "flamegraph", "graph",   "source",
					    "disasm", "labels",  "traces",   "binaries",   "compare", "diff",
					    "gate",   "profile", "comments", "download",   "help",    "data/flame" };
	static const char *const ext[] = { "", "txt", "json", "csv", "md", "svg", "pdf", "folded", "dot", "pb.gz" };
	static const char *const base[] = { NULL, "go-heap1.pb.gz" };

	(void)state;
	setenv("PATH", "/nonexistent", 1); /* no Graphviz, no objdump */
	for (size_t b = 0; b < sizeof(base) / sizeof(base[0]); b++) {
		struct web_test t = web_test_start_empty();

		web_test_load(&t, "go-heap2.pb.gz", base[b]);
		for (size_t v = 0; v < sizeof(view) / sizeof(view[0]); v++) {
			for (size_t e = 0; e < sizeof(ext) / sizeof(ext[0]); e++) {
				char target[100];
				struct http_response r;

				snprintf(target, sizeof(target), "/ui/%s%s%s", view[v], *ext[e] ? "." : "", ext[e]);
				r = get(&t, target);
				assert_in_range(r.status, 200, 501);
				http_response_release(&r);
			}
		}
		web_test_end(&t);
	}
}

struct waiting {
	struct web_test *t;
	struct http_response r;
	pthread_t thread;
};

static void *wait_main(void *arg)
{
	struct waiting *w = arg;

	w->r = request(w->t, "GET", "/ui/top?n=5", "*/*");
	return NULL;
}

static void a_program_waits_until_the_profile_is_loaded(void **state)
{
	struct web_test t = web_test_start_empty();
	struct waiting w = { .t = &t };

	(void)state;
	pthread_create(&w.thread, NULL, wait_main, &w);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	web_test_load(&t, "go-cpu.pb.gz", NULL);
	pthread_join(w.thread, NULL);
	assert_int_equal(w.r.status, 200);
	assert_non_null(strstr(body(&w.r), "<table"));
	http_response_release(&w.r);
	web_test_end(&t);
}

static void waiting_requests_fail_with_the_message_of_the_load(void **state)
{
	struct web_test t = web_test_start_empty();
	struct waiting w = { .t = &t };

	(void)state;
	pthread_create(&w.thread, NULL, wait_main, &w);
	web_fail(t.web, "x.pb.gz: no such file");
	pthread_join(w.thread, NULL);
	assert_int_equal(w.r.status, 500);
	assert_string_equal(body(&w.r), "x.pb.gz: no such file\n");
	http_response_release(&w.r);
	web_test_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_page_is_computed_once),
		cmocka_unit_test(pages_with_errors_are_not_kept),
		cmocka_unit_test(a_page_with_a_known_entity_tag_is_not_sent_again),
		cmocka_unit_test(pages_of_different_profiles_have_different_entity_tags),
		cmocka_unit_test(a_browser_gets_a_page_that_reloads_while_the_profile_loads),
		cmocka_unit_test(every_view_answers_for_every_file_type),
		cmocka_unit_test(a_program_waits_until_the_profile_is_loaded),
		cmocka_unit_test(waiting_requests_fail_with_the_message_of_the_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
