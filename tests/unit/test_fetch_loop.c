/*
 * test_fetch_loop.c - many requests in one epoll loop
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/loop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { BODY = 20000 };

/* A server with a thread per connection, which answers by path and lives as long as the process. */
static unsigned port;

static void send_text(int fd, const char *text, size_t n)
{
	while (n > 0) {
		ssize_t k = send(fd, text, n, MSG_NOSIGNAL);

		if (k <= 0)
			return;
		text += k;
		n -= (size_t)k;
	}
}

static void answer(int fd, const char *path)
{
	char body[BODY];
	char head[256];

	if (strncmp(path, "/body", 5) == 0) {
		memset(body, 'x', sizeof(body));
		snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", (int)BODY);
		send_text(fd, head, strlen(head));
		send_text(fd, body, sizeof(body));
	} else if (strncmp(path, "/away", 5) == 0) {
		snprintf(head, sizeof(head),
			 "HTTP/1.1 302 Found\r\nLocation: http://localhost:%u/body\r\nContent-Length: 0\r\n\r\n", port);
		send_text(fd, head, strlen(head));
	} else if (strncmp(path, "/here", 5) == 0) {
		snprintf(head, sizeof(head), "HTTP/1.1 302 Found\r\nLocation: /body\r\nContent-Length: 5\r\n\r\nmoved");
		send_text(fd, head, strlen(head));
	} else if (strncmp(path, "/busy", 5) == 0) {
		snprintf(head, sizeof(head),
			 "HTTP/1.1 500 No\r\nX-Go-Pprof: 1\r\nRetry-After: 17\r\nContent-Length: 4\r\n\r\nbusy");
		send_text(fd, head, strlen(head));
	} else if (strncmp(path, "/silent", 7) == 0) {
		poll(NULL, 0, 60000);
	}
}

static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char request[4096], path[256];
	ssize_t n;

	while ((n = recv(fd, request, sizeof(request) - 1, 0)) > 0) {
		request[n] = '\0';
		if (sscanf(request, "GET %255s", path) == 1)
			answer(fd, path);
	}
	close(fd);
	return NULL;
}

static void *accept_all(void *arg)
{
	int at = (int)(intptr_t)arg, fd;
	pthread_t thread;

	while ((fd = accept(at, NULL, NULL)) >= 0)
		if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0)
			pthread_detach(thread);
	return NULL;
}

static int start_server(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t n = sizeof(a);
	pthread_t thread;

	(void)state;
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 256) || getsockname(fd, (struct sockaddr *)&a, &n))
		return -1;
	port = ntohs(a.sin_port);
	return pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)fd);
}

struct result {
	size_t n_done, n_fine, n_bytes;
	struct fetch_request last;
	struct fetch_loop *loop;
	bool holds; /* keep the bytes counted */
};

static void done(void *arg, struct fetch_request *r)
{
	struct result *to = arg;

	to->n_done++;
	to->n_fine += r->rc == 0;
	to->last = *r;
	if (r->rc == 0) {
		to->n_bytes += r->bytes.n;
		free(r->bytes.data);
		if (!to->holds)
			fetch_loop_release(to->loop, r->bytes.n);
	}
}

static struct fetch_group *new_group(void)
{
	struct fetch_options o = { .tls_cert = "",
				   .tls_key = "",
				   .tls_ca = "",
				   .header_file = "",
				   .bearer_file = "",
				   .netrc = "",
				   .max = 1 << 20 };
	struct buf notes = { 0 };
	struct fetch_group *g;
	struct err err;

	assert_int_equal(fetch_group_new(&o, &g, &notes, &err), 0);
	buf_release(&notes);
	return g;
}

static struct fetch_open *start(struct fetch_loop *l, struct fetch_group *g, const char *path, struct result *to)
{
	struct fetch_start s = { .group = g, .extra_ms = 60000, .done = done, .arg = to };
	struct fetch_open *open;
	struct url url;
	struct err err;
	char text[256];

	to->loop = l;
	snprintf(text, sizeof(text), "http://127.0.0.1:%u%s", port, path);
	assert_int_equal(url_parse(text, 0, &url, &err), 0);
	s.url = &url;
	open = fetch_loop_start(l, &s);
	url_release(&url);
	return open;
}

static void run_until(struct fetch_loop *l, const struct result *r, size_t n_done)
{
	struct pollfd fd = { .fd = fetch_loop_fd(l), .events = POLLIN };

	while (r->n_done < n_done) {
		assert_int_not_equal(poll(&fd, 1, 60000), 0);
		fetch_loop_run(l);
	}
}

static void hundred_requests_run_at_once(void **state)
{
	struct fetch_group *g = new_group();
	struct result r = { 0 };
	struct fetch_loop *l;
	struct err err;

	(void)state;
	assert_int_equal(fetch_loop_new(64 << 20, 100, &l, &err), 0);
	for (int i = 0; i < 100; i++)
		assert_non_null(start(l, g, "/body", &r));
	assert_int_equal(fetch_loop_n_open(l), 100);
	run_until(l, &r, 100);
	assert_int_equal(r.n_fine, 100);
	assert_int_equal(r.n_bytes, 100 * BODY);
	assert_int_equal(fetch_loop_n_open(l), 0);
	assert_int_equal(fetch_loop_n_bytes(l), 0);
	fetch_group_free(g);
	fetch_loop_free(l);
}

static void more_bytes_than_the_limit_arrive_one_after_the_other(void **state)
{
	struct fetch_group *g = new_group();
	struct result r = { 0 };
	struct fetch_loop *l;
	struct err err;

	(void)state;
	assert_int_equal(fetch_loop_new(BODY / 2, 100, &l, &err), 0);
	for (int i = 0; i < 20; i++)
		start(l, g, "/body", &r);
	run_until(l, &r, 20);
	assert_int_equal(r.n_fine, 20);
	assert_int_equal(fetch_loop_n_bytes(l), 0);
	fetch_group_free(g);
	fetch_loop_free(l);
}

static void bytes_that_are_held_pause_the_others_until_they_are_released(void **state)
{
	struct fetch_group *g = new_group();
	struct result r = { .holds = true };
	struct fetch_loop *l;
	struct err err;

	(void)state;
	assert_int_equal(fetch_loop_new(BODY, 100, &l, &err), 0);
	start(l, g, "/body", &r);
	run_until(l, &r, 1);
	start(l, g, "/body", &r);
	for (int i = 0; i < 20; i++) {
		struct pollfd fd = { .fd = fetch_loop_fd(l), .events = POLLIN };

		poll(&fd, 1, 10);
		fetch_loop_run(l);
	}
	assert_int_equal(r.n_done, 1);
	fetch_loop_release(l, BODY);
	run_until(l, &r, 2);
	assert_int_equal(r.n_fine, 2);
	fetch_group_free(g);
	fetch_loop_free(l);
}

static void redirects_stay_on_the_server(void **state)
{
	struct fetch_group *g = new_group();
	struct result r = { 0 };
	struct fetch_loop *l;
	struct err err;

	(void)state;
	assert_int_equal(fetch_loop_new(1 << 20, 100, &l, &err), 0);
	start(l, g, "/here", &r);
	run_until(l, &r, 1);
	assert_int_equal(r.n_fine, 1);
	assert_int_equal(r.n_bytes, BODY);
	start(l, g, "/away", &r);
	run_until(l, &r, 2);
	assert_int_equal(r.last.rc, ERR_IO);
	assert_non_null(strstr(r.last.err.msg, "redirects to another server"));
	assert_int_equal(fetch_loop_n_bytes(l), 0);
	fetch_group_free(g);
	fetch_loop_free(l);
}

static void an_error_keeps_status_and_retry_time(void **state)
{
	struct fetch_group *g = new_group();
	struct result r = { 0 };
	struct fetch_loop *l;
	struct err err;

	(void)state;
	assert_int_equal(fetch_loop_new(1 << 20, 100, &l, &err), 0);
	start(l, g, "/busy", &r);
	run_until(l, &r, 1);
	assert_int_equal(r.last.status, 500);
	assert_int_equal(r.last.retry_after, 17);
	assert_true(r.last.is_go_pprof);
	fetch_group_free(g);
	fetch_loop_free(l);
}

static void a_cancelled_request_ends_with_its_message_and_frees_its_group(void **state)
{
	struct fetch_group *g = new_group();
	struct result r = { 0 };
	struct fetch_open *open;
	struct fetch_loop *l;
	struct err err;

	(void)state;
	assert_int_equal(fetch_loop_new(1 << 20, 100, &l, &err), 0);
	open = start(l, g, "/silent", &r);
	fetch_group_free(g);
	fetch_loop_run(l);
	fetch_loop_cancel(l, open, "the collector ends");
	assert_int_equal(r.n_done, 1);
	assert_int_equal(r.last.rc, ERR_IO);
	assert_non_null(strstr(r.last.err.msg, "the collector ends"));
	fetch_loop_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hundred_requests_run_at_once),
		cmocka_unit_test(more_bytes_than_the_limit_arrive_one_after_the_other),
		cmocka_unit_test(bytes_that_are_held_pause_the_others_until_they_are_released),
		cmocka_unit_test(redirects_stay_on_the_server),
		cmocka_unit_test(an_error_keeps_status_and_retry_time),
		cmocka_unit_test(a_cancelled_request_ends_with_its_message_and_frees_its_group),
	};

	return cmocka_run_group_tests(tests, start_server, NULL);
}
