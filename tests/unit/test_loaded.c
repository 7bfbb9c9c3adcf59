/*
 * test_loaded.c - load and reload the sources of a command line
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server is a thread of the test that listens on a Unix socket and sends a list of answers in order.
 */
#include "config.h"

#include "engine/query.h"
#include "sources/load.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/cpa-reload-XXXXXX";

#define ANSWER "200 OK\r\n\r\ngoroutine profile: total "
#define SILENCE NULL /* no answer until the client disconnects */

struct server {
	int fd;
	const char *const *answer; /* [n] */
	size_t n;
	char socket[100], source[150];
	pthread_t thread;
};

static void *serve(void *arg)
{
	struct server *s = arg;
	char text[8192];

	for (size_t i = 0; i < s->n; i++) {
		int fd = accept(s->fd, NULL, NULL);
		ssize_t got = read(fd, text, sizeof(text));

		if (s->answer[i])
			dprintf(fd, "HTTP/1.1 %s", s->answer[i]);
		while (!s->answer[i] && got > 0)
			got = read(fd, text, sizeof(text));
		close(fd);
	}
	return NULL;
}

static void server_start(struct server *s, const char *const *answer, size_t n)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	*s = (struct server){ .fd = socket(AF_UNIX, SOCK_STREAM, 0), .answer = answer, .n = n };
	snprintf(s->socket, sizeof(s->socket), "%s/sock", folder);
	snprintf(s->source, sizeof(s->source), "unix:%s:/debug/pprof/goroutine?debug=1&seconds=7", s->socket);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", s->socket);
	unlink(s->socket);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(s->fd, 8), 0);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void server_end(struct server *s)
{
	pthread_join(s->thread, NULL);
	close(s->fd);
	unlink(s->socket);
}

/* A load of one or two sources. */
struct test_load {
	struct query q;
	const char *word[2];
	struct load_request request;
	struct load_events events;
	struct buf notes;
	struct err err;
	struct load_result l;
};

static void add_note(void *arg, bool is_error, const char *line, size_t n)
{
	(void)is_error;
	buf_addf(arg, "%.*s\n", (int)n, line);
}

static void test_load_init(struct test_load *a, const char *first, const char *second)
{
	*a = (struct test_load){ .word = { first, second } };
	query_init(&a->q);
	a->request = (struct load_request){
		.q = &a->q, .word = a->word, .n_words = second ? 2 : 1, .is_reload = true, .events = &a->events
	};
	a->events = (struct load_events){ .arg = &a->notes, .note = add_note };
}

static int test_load_run(struct test_load *a)
{
	return sources_load(&a->request, &a->l, &a->err);
}

static void test_load_release(struct test_load *a)
{
	load_result_release(&a->l);
	buf_release(&a->notes);
	query_release(&a->q);
}

static int64_t total(const struct profile *p)
{
	int64_t sum = 0;

	for (uint32_t row = 0; row < p->n_rows; row++)
		sum += p->value[0][row];
	return sum;
}

static void fetches_from_a_server_at_each_load(void **state)
{
	static const char *const answer[] = { ANSWER "3\n1 @ 0x1001 0x2001\n2 @ 0x3001 0x2001\n",
					      ANSWER "7\n7 @ 0x1001 0x2001\n" };
	static const int64_t want[] = { 3, 7 };
	struct server s;

	(void)state;
	server_start(&s, answer, 2);
	for (int i = 0; i < 2; i++) {
		struct test_load a;

		test_load_init(&a, s.source, NULL);
		a.q.symbolize = "none";
		assert_true(sources_can_reload(&a.request));
		assert_int_equal(test_load_run(&a), 0);
		assert_int_equal(total(a.l.profile), want[i]);
		test_load_release(&a);
	}
	server_end(&s);
}

static void compares_two_fetched_profiles(void **state)
{
	static const char *const answer[] = { ANSWER "3\n1 @ 0x1001 0x2001\n2 @ 0x3001 0x2001\n",
					      ANSWER "3\n1 @ 0x1001 0x2001\n2 @ 0x3001 0x2001\n" };
	struct server s;
	struct test_load a;

	(void)state;
	server_start(&s, answer, 2);
	test_load_init(&a, s.source, NULL);
	a.q.symbolize = "none";
	a.request.base = a.word;
	a.request.n_bases = 1;
	a.request.keep_sides = true;
	assert_int_equal(test_load_run(&a), 0);
	assert_int_equal(a.l.profile->n_rows, 0);
	assert_int_equal(a.l.sides->n_rows, 4);
	test_load_release(&a);
	server_end(&s);
}

static void a_reload_fails_if_one_source_fails(void **state)
{
	static const char *const answer[] = { ANSWER "3\n1 @ 0x1001 0x2001\n2 @ 0x3001 0x2001\n",
					      "500 No\r\n\r\nbroken" };
	struct server s;
	struct test_load a;

	(void)state;
	server_start(&s, answer, 2);
	test_load_init(&a, s.source, s.source);
	a.q.symbolize = "none";
	assert_int_equal(test_load_run(&a), ERR_IO);
	assert_non_null(strstr(a.err.msg, "500"));
	assert_null(a.l.profile);
	test_load_release(&a);
	server_end(&s);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct watcher {
	struct stop stop;
	char what[100];
	int percent;
};

/* Record the progress after 0.3 s, then stop the load. */
static void *watch(void *arg)
{
	struct watcher *w = arg;
	const char *what = NULL;

	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	w->percent = stop_percent(&w->stop, &what);
	snprintf(w->what, sizeof(w->what), "%s", what ? what : "");
	stop_set(&w->stop);
	return NULL;
}

static void stops_while_a_server_does_not_answer(void **state)
{
	static const char *const answer[] = { SILENCE };
	struct watcher w = { .percent = -1 };
	int64_t start = now_ms();
	struct server s;
	struct test_load a;
	pthread_t thread;

	(void)state;
	server_start(&s, answer, 1);
	test_load_init(&a, s.source, NULL);
	a.request.stop = &w.stop;
	pthread_create(&thread, NULL, watch, &w);
	assert_int_equal(test_load_run(&a), ERR_STOPPED);
	pthread_join(thread, NULL);
	assert_true(now_ms() - start < 5000);
	assert_string_equal(w.what, "waiting for the server");
	assert_in_range(w.percent, 1, 99); /* percent of the 7 seconds in the URL */
	test_load_release(&a);
	server_end(&s);
}

static void files_and_standard_input_cannot_be_reloaded(void **state)
{
	struct test_load a;

	(void)state;
	test_load_init(&a, "/no/such/file.pb.gz", NULL);
	assert_false(sources_can_reload(&a.request));
	assert_true(test_load_run(&a) < 0);
	test_load_release(&a);
	test_load_init(&a, "http://localhost:1/x", "-");
	assert_false(sources_can_reload(&a.request));
	assert_int_equal(test_load_run(&a), ERR_USAGE);
	test_load_release(&a);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fetches_from_a_server_at_each_load),
		cmocka_unit_test(compares_two_fetched_profiles),
		cmocka_unit_test(a_reload_fails_if_one_source_fails),
		cmocka_unit_test(stops_while_a_server_does_not_answer),
		cmocka_unit_test(files_and_standard_input_cannot_be_reloaded),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
