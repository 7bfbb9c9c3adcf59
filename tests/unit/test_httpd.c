/*
 * test_httpd.c - the server: requests, bodies, responses, limits, cancellation
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "make_listen.h"

#include "httpd/httpd.h"

#include <libdeflate.h>
#include <stdatomic.h>
#include <time.h>

enum { ROOM = 1 << 17, UPLOAD_MAX = 100000, LARGE = 200000, MS = 1000000, SECOND_NS = 1000000000 };

static char received[ROOM + LARGE];
static struct blob *shared;
static atomic_int n_waiting, n_stopped;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void sleep_ms(int ms)
{
	poll(NULL, 0, ms);
}

static bool is_upload(const struct http_request *q)
{
	return strcmp(q->path, "/upload") == 0;
}

static bool check(void *arg, const struct http_request *q, struct http_response *out)
{
	(void)arg;
	if (strcmp(q->path, "/refused") != 0)
		return true;
	*out = (struct http_response){ .status = 403, .type = "text/plain" };
	buf_addz(&out->body, "refused\n");
	return false;
}

static void wait_for_stop(struct stop *stop)
{
	atomic_fetch_add(&n_waiting, 1);
	for (uint64_t from = now_ns(); !stop_is_set(stop) && now_ns() - from < 10ULL * SECOND_NS;)
		sleep_ms(1);
	atomic_fetch_add(&n_stopped, stop_is_set(stop));
}

static void print_request(const struct http_request *q, struct buf *to)
{
	char part[64];
	ssize_t n;
	size_t n_file = 0;

	buf_addf(to, "%s|%s|%s|%s", q->method, q->path, q->query, q->body);
	while (q->upload >= 0 && (n = read(q->upload, part, sizeof(part))) > 0)
		n_file += (size_t)n;
	buf_addf(to, "|%zu|%s%s%s\n", n_file, q->peer.is_user ? "user " : "", q->peer.is_loopback ? "loopback " : "",
		 q->peer.address);
}

static void answer(void *arg, const struct http_request *q, struct stop *stop, struct http_response *out)
{
	(void)arg;
	out->status = 200;
	out->type = "text/plain";
	http_response_add(out, "X-Test", "a\r\nb");
	if (strcmp(q->path, "/wait") == 0)
		wait_for_stop(stop);
	else if (strcmp(q->path, "/blob") == 0)
		out->blob = blob_ref(shared);
	else if (strcmp(q->path, "/late") == 0)
		out->delay_ms = 300;
	out->can_compress = strstr(q->query, "compress") != NULL;
	if (!out->blob)
		print_request(q, &out->body);
}

static struct httpd *start(const char *address, struct httpd_limits limits)
{
	const struct httpd_options options = { .address = address,
					       .upload_max = UPLOAD_MAX,
					       .check = check,
					       .is_upload = is_upload,
					       .answer = answer,
					       .error_headers = "X-Error: 1\r\n",
					       .limits = limits };
	struct httpd *h = NULL;
	struct err err;

	if (httpd_start(&options, &h, &err) < 0)
		fail_msg("%s", err.msg);
	atomic_store(&n_waiting, 0);
	atomic_store(&n_stopped, 0);
	return h;
}

static struct httpd *start_local(void)
{
	return start("localhost:0", (struct httpd_limits){ 0 });
}

/* Connect from the loopback address 127.0.0.N. */
static int dial_from(const struct httpd *h, unsigned n)
{
	struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + n) };
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)httpd_port(h)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static int dial(const struct httpd *h)
{
	return dial_from(h, 1);
}

static void put(int fd, const void *text, size_t n)
{
	size_t done = 0;
	ssize_t got = 0;

	while (done < n && (got = send(fd, (const char *)text + done, n - done, MSG_NOSIGNAL)) > 0)
		done += (size_t)got;
}

static void puts_to(int fd, const char *text)
{
	put(fd, text, strlen(text));
}

/* Read until the server closes the connection. Returns the number of bytes. */
static size_t read_all(int fd)
{
	size_t n = 0;
	ssize_t got;

	while (n < sizeof(received) - 1 && (got = recv(fd, received + n, sizeof(received) - 1 - n, 0)) > 0)
		n += (size_t)got;
	received[n] = '\0';
	close(fd);
	return n;
}

/* Send a request head, after "Connection: close", and a body. Returns the response. */
static const char *ask(const struct httpd *h, const char *line, const char *headers, const char *body)
{
	char head[512];
	int fd = dial(h);

	snprintf(head, sizeof(head), "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n", line, headers);
	puts_to(fd, head);
	put(fd, body, strlen(body));
	read_all(fd);
	return received;
}

static void contains(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" does not contain \"%s\"", text, words);
}

static void path_and_query_are_as_sent(void **state)
{
	struct httpd *h = start_local();

	(void)state;
	contains(ask(h, "GET /a%2Fb+c?f=x+y&f=%3F?z", "", ""),
		 "\nGET|/a%2Fb+c|f=x+y&f=%3F?z||0|user loopback 127.0.0.1");
	contains(received, "HTTP/1.1 200 ");
	contains(received, "X-Test: a??b\r\n");
	assert_null(strstr(received, "Server:"));
	contains(ask(h, "GET /", "", ""), "\nGET|/|||0|");
	ask(h, "HEAD /", "", "");
	contains(received, "Content-Length: 35\r\n");
	assert_string_equal(strstr(received, "\r\n\r\n"), "\r\n\r\n");
	httpd_stop(h);
}

static void a_connection_serves_several_requests(void **state)
{
	struct httpd *h = start_local();
	int fd = dial(h);

	(void)state;
	puts_to(fd, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n"
		    "POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=b"
		    "GET /4 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	read_all(fd);
	contains(received, "GET|/1|");
	contains(received, "GET|/2|");
	contains(received, "POST|/3||a=b|");
	contains(received, "GET|/4|");
	httpd_stop(h);
}

static void bodies_are_limited(void **state)
{
	static char body[UPLOAD_MAX + 2];
	struct httpd *h = start_local();

	(void)state;
	memset(body, 'b', sizeof(body) - 1);
	contains(ask(h, "POST /", "Content-Length: 65537\r\n", body), "HTTP/1.1 413 ");
	contains(received, "X-Error: 1\r\n");
	contains(ask(h, "POST /upload", "Content-Length: 100000\r\n", body), "POST|/upload|||100000|");
	contains(ask(h, "POST /upload", "Content-Length: 100001\r\n", body), "HTTP/1.1 413 ");
	contains(ask(h, "POST /upload", "Content-Length: 99999999999\r\n", body), "HTTP/1.1 413 ");
	contains(ask(h, "POST /refused", "Content-Length: 100001\r\n", body), "\r\n\r\nrefused\n");
	contains(ask(h, "POST /", "Transfer-Encoding: chunked\r\n", "3\r\na=b\r\n0\r\n\r\n"), "POST|/||a=b|");
	memcpy(body, "11000\r\n", 7);
	memcpy(body + 7 + 0x11000, "\r\n0\r\n\r\n", 8);
	contains(ask(h, "POST /", "Transfer-Encoding: chunked\r\n", body), "HTTP/1.1 413 ");
	httpd_stop(h);
}

static void ambiguous_requests_are_refused(void **state)
{
	struct httpd *h = start_local();

	(void)state;
	contains(ask(h, "POST /", "Content-Length: 1\r\nContent-Length: 2\r\n", "ab"), "HTTP/1.1 400 ");
	contains(ask(h, "POST /", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "HTTP/1.1 400 ");
	contains(ask(h, "POST /", "Content-Length: 1x\r\n", "ab"), "HTTP/1.1 400 ");
	contains(ask(h, "GET http://localhost/", "", ""), "HTTP/1.1 400 ");
	contains(ask(h, "OPTIONS *", "", ""), "HTTP/1.1 400 ");
	httpd_stop(h);
}

static void long_heads_are_refused(void **state)
{
	static char head[17000];
	struct httpd *h = start_local();
	int n, fd;

	(void)state;
	for (int i = 0; i < 2; i++) {
		n = snprintf(head, sizeof(head), "GET /?");
		memset(head + n, 'x', i ? 16400 : 15000);
		snprintf(head + n + (i ? 16400 : 15000), 64, " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
		fd = dial(h);
		puts_to(fd, head);
		read_all(fd);
		contains(received, i ? "HTTP/1.1 431 " : "HTTP/1.1 200 ");
	}
	httpd_stop(h);
}

static void bodies_are_compressed_for_clients_that_accept_it(void **state)
{
	struct buf text = { 0 };
	struct httpd *h = start_local();
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	static char unpacked[LARGE];
	struct blob *packed;
	size_t n = 0;
	const char *body;
	int fd;

	(void)state;
	for (int i = 0; text.len < LARGE; i++)
		buf_addf(&text, "%d\n", i);
	text.len = LARGE;
	text.data[LARGE] = '\0';
	shared = blob_new(&text);
	contains(ask(h, "GET /blob", "Accept-Encoding: gzip\r\n", ""), "Content-Length: 200000\r\n");
	contains(ask(h, "GET /blob?compress", "Accept-Encoding: br, gzip;q=0\r\n", ""), "Content-Length: 200000\r\n");
	contains(received, "Vary: Accept-Encoding\r\n");
	assert_memory_equal(strstr(received, "\r\n\r\n") + 4, blob_data(shared), LARGE);
	fd = dial(h);
	puts_to(fd, "GET /blob?compress HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br, gzip;q=0.8\r\nConnection: "
		    "close\r\n\r\n");
	n = read_all(fd);
	contains(received, "Content-Encoding: gzip\r\n");
	body = strstr(received, "\r\n\r\n") + 4;
	n -= (size_t)(body - received);
	assert_in_range(n, 1000, LARGE / 2);
	assert_int_equal(libdeflate_gzip_decompress(d, body, n, unpacked, LARGE, NULL), LIBDEFLATE_SUCCESS);
	assert_memory_equal(unpacked, blob_data(shared), LARGE);
	packed = blob_get_packed(shared); /* kept for the next client */
	assert_non_null(packed);
	assert_int_equal(blob_size(packed), n);
	blob_unref(packed);
	libdeflate_free_decompressor(d);
	httpd_stop(h);
	blob_unref(shared);
}

static bool wait_until(const atomic_int *n, int value)
{
	for (uint64_t from = now_ns(); atomic_load(n) != value; sleep_ms(1))
		if (now_ns() - from > (uint64_t)SOON_MS * MS)
			return false;
	return true;
}

static void a_disconnected_client_stops_its_answer(void **state)
{
	struct httpd *h = start_local();
	int fd = dial(h);
	uint64_t from;

	(void)state;
	puts_to(fd, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_true(wait_until(&n_waiting, 1));
	sleep_ms(50);
	assert_int_equal(atomic_load(&n_stopped), 0);
	from = now_ns();
	close(fd);
	assert_true(wait_until(&n_stopped, 1));
	print_message("# stopped after %.1f ms\n", (double)(now_ns() - from) / MS);
	contains(ask(h, "GET /after", "", ""), "GET|/after|");
	httpd_stop(h);
}

static void stopping_the_server_stops_answers(void **state)
{
	struct httpd *h = start_local();
	int one = dial(h), two = dial(h);

	(void)state;
	puts_to(one, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
	puts_to(two, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_true(wait_until(&n_waiting, 2));
	httpd_stop(h);
	assert_int_equal(atomic_load(&n_stopped), 2);
	assert_int_equal(read_all(one), 0);
	assert_int_equal(read_all(two), 0);
}

static void slow_clients_are_disconnected(void **state)
{
	enum { LIMIT_MS = 2000 };
	struct httpd *h = start("127.0.0.1:0", (struct httpd_limits){ LIMIT_MS, LIMIT_MS, LIMIT_MS, 0 });
	int head = dial(h), body = dial(h), idle = dial(h);
	uint64_t from = now_ns();

	(void)state;
	puts_to(body, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n");
	puts_to(head, "GET / HTTP/1.1\r\n");
	puts_to(idle, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	for (int i = 0; i < LIMIT_MS / 100 + 2; i++) {
		sleep_ms(100);
		puts_to(head, "A: b\r\n");
		puts_to(body, "b");
	}
	read_all(head);
	assert_null(strstr(received, " 200 "));
	read_all(body);
	assert_null(strstr(received, " 200 "));
	read_all(idle);
	contains(received, " 200 ");
	assert_in_range((now_ns() - from) / MS, LIMIT_MS, 10 * LIMIT_MS);
	httpd_stop(h);
}

static void idle_connections_make_room_for_others(void **state)
{
	enum { EXTRA = 6 };
	int fd[HTTPD_CONNECTIONS_DEFAULT + EXTRA];
	struct httpd *h = start_local();
	char one;

	(void)state;
	for (int i = 0; i < HTTPD_CONNECTIONS_DEFAULT + EXTRA; i++) {
		fd[i] = dial(h);
		puts_to(fd[i], "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
		assert_int_equal(recv(fd[i], &one, 1, 0), 1);
	}
	for (int i = 0; i < EXTRA; i++) /* the oldest are closed */
		read_all(fd[i]);
	for (int i = EXTRA; i < HTTPD_CONNECTIONS_DEFAULT + EXTRA; i++)
		close(fd[i]);
	httpd_stop(h);
}

static void the_address_with_most_connections_makes_room(void **state)
{
	struct httpd *h = start("127.0.0.1:0", (struct httpd_limits){ 0 });
	int first = dial(h), fd[HTTPD_CONNECTIONS_DEFAULT];
	char one;

	(void)state;
	puts_to(first, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_int_equal(recv(first, &one, 1, 0), 1);
	for (int i = 0; i < HTTPD_CONNECTIONS_DEFAULT;
	     i++) { /* one too many, and the first one has been idle for longest */
		fd[i] = dial_from(h, 2);
		puts_to(fd[i], "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
		assert_int_equal(recv(fd[i], &one, 1, 0), 1);
	}
	puts_to(first, "GET /again HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	read_all(first);
	contains(received, "GET|/again|");
	for (int i = 0; i < HTTPD_CONNECTIONS_DEFAULT; i++)
		close(fd[i]);
	httpd_stop(h);
}

static void incomplete_requests_make_room_for_others(void **state)
{
	static const char *const parts[] = { "", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\nA",
					     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc" };
	struct httpd *h = start("127.0.0.1:0", (struct httpd_limits){ 60000, 60000, 60000, 0 });
	int fd[4][HTTPD_CONNECTIONS_DEFAULT], waiting = dial(h);
	uint64_t from = now_ns();

	(void)state;
	puts_to(waiting, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_true(wait_until(&n_waiting, 1));
	for (int p = 0; p < 4; p++) {
		for (int i = 0; i < HTTPD_CONNECTIONS_DEFAULT; i++) {
			fd[p][i] = dial(h);
			puts_to(fd[p][i], parts[p]);
		}
		contains(ask(h, "GET /other", "", ""), "GET|/other|");
	}
	assert_true(now_ns() - from < 50ULL * SECOND_NS); /* before any time limit */
	assert_int_equal(atomic_load(&n_stopped), 0);     /* a request that is answered is not closed */
	for (int p = 0; p < 4; p++)
		for (int i = 0; i < HTTPD_CONNECTIONS_DEFAULT; i++)
			close(fd[p][i]);
	httpd_stop(h);
	close(waiting);
}

static void responses_can_be_delayed(void **state)
{
	struct httpd *h = start_local();
	uint64_t from = now_ns();

	(void)state;
	contains(ask(h, "GET /late", "", ""), "GET|/late|");
	assert_true(now_ns() - from >= 300ULL * MS);
	httpd_stop(h);
}

static void addresses_have_the_real_port(void **state)
{
	struct httpd *h = start("[::1]:0", (struct httpd_limits){ 0 });
	char url[64], folder[64], path[128];
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd;

	(void)state;
	snprintf(url, sizeof(url), "http://[::1]:%u", httpd_port(h));
	assert_string_equal(httpd_url(h), url);
	httpd_stop(h);
	h = start(":0", (struct httpd_limits){ 0 });
	snprintf(url, sizeof(url), "http://localhost:%u", httpd_port(h));
	assert_string_equal(httpd_url(h), url);
	httpd_stop(h);
	snprintf(path, sizeof(path), "unix:%s/s", made_folder(folder));
	h = start(path, (struct httpd_limits){ 0 });
	assert_string_equal(httpd_url(h), path);
	snprintf(at.sun_path, sizeof(at.sun_path), "%.100s", path + 5);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	puts_to(fd, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	read_all(fd);
	contains(received, "|0|user \n");
	httpd_stop(h);
	assert_int_equal(access(at.sun_path, F_OK), -1);
	made_folder_end(folder);
}

static void public_addresses_need_a_secret(void **state)
{
	struct httpd_options options = { .address = "0.0.0.0:0", .answer = answer, .secret_options = "--http-secret" };
	struct httpd *h = NULL;
	struct err err;

	(void)state;
	assert_int_equal(httpd_start(&options, &h, &err), ERR_USAGE);
	contains(err.msg, "a secret is required (--http-secret)");
	options.has_secret = true;
	assert_int_equal(httpd_start(&options, &h, &err), 0);
	httpd_stop(h);
	options.address = "localhost:x";
	assert_int_equal(httpd_start(&options, &h, &err), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_and_query_are_as_sent),
		cmocka_unit_test(a_connection_serves_several_requests),
		cmocka_unit_test(bodies_are_limited),
		cmocka_unit_test(ambiguous_requests_are_refused),
		cmocka_unit_test(long_heads_are_refused),
		cmocka_unit_test(bodies_are_compressed_for_clients_that_accept_it),
		cmocka_unit_test(a_disconnected_client_stops_its_answer),
		cmocka_unit_test(stopping_the_server_stops_answers),
		cmocka_unit_test(slow_clients_are_disconnected),
		cmocka_unit_test(idle_connections_make_room_for_others),
		cmocka_unit_test(the_address_with_most_connections_makes_room),
		cmocka_unit_test(incomplete_requests_make_room_for_others),
		cmocka_unit_test(responses_can_be_delayed),
		cmocka_unit_test(addresses_have_the_real_port),
		cmocka_unit_test(public_addresses_need_a_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
