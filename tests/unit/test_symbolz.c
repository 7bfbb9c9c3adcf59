/*
 * test_symbolz.c - names from the server of a fetched profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server is a thread of the test that listens on a Unix socket and sends a list of answers in order.
 */
#include "config.h"

#include "engine/query.h"
#include "sources/symbolize.h"

#include "fetch/curl.h"
#include "sources/read.h"
#include "sources/remote.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/cpa-symbolz-XXXXXX";

struct server {
	int fd;
	const char *const *answer; /* [n] */
	size_t n;
	char request[4][1024]; /* first line and body of each request */
	char socket[100], source[150];
	pthread_t thread;
};

/* Read a request: the head, and the body, whose length is in the head. */
static void read_request(int fd, char *out, size_t size)
{
	char text[8192];
	size_t n = 0, length = 0;
	char *end = NULL, *header;

	while (n < sizeof(text) - 1) {
		ssize_t got = read(fd, text + n, sizeof(text) - 1 - n);

		if (got <= 0)
			break;
		n += (size_t)got;
		text[n] = '\0';
		end = strstr(text, "\r\n\r\n");
		header = strcasestr(text, "content-length:");
		length = header ? strtoul(header + 15, NULL, 10) : 0;
		if (end && n >= (size_t)(end + 4 - text) + length)
			break;
	}
	snprintf(out, size, "%.*s|%s", (int)strcspn(text, "\r"), text, end ? end + 4 : "");
}

static void *serve(void *arg)
{
	struct server *s = arg;

	for (size_t i = 0; i < s->n; i++) {
		int fd = accept(s->fd, NULL, NULL);

		read_request(fd, s->request[i], sizeof(s->request[i]));
		dprintf(fd, "HTTP/1.1 %s", s->answer[i]);
		close(fd);
	}
	return NULL;
}

static void server_start(struct server *s, const char *const *answer, size_t n)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	*s = (struct server){ .fd = socket(AF_UNIX, SOCK_STREAM, 0), .answer = answer, .n = n };
	snprintf(s->socket, sizeof(s->socket), "%s/sock", folder);
	snprintf(s->source, sizeof(s->source), "unix:%s:/debug/pprof/goroutine?debug=1", s->socket);
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

/* A profile that was fetched from a server and read. */
struct fetched {
	struct query q;
	struct sources sources;
	struct remote *remote;
	struct source_set load;
	struct profile *p;
};

static void fetch(struct fetched *f, const char *source)
{
	struct err err;

	memset(f, 0, sizeof(*f));
	query_init(&f->q);
	assert_int_equal(sources_add(&f->sources, &source, 1, SPLIT_NONE, &f->q, &err), 0);
	f->remote = remote_new(&f->q);
	remote_add(f->remote, &f->sources);
	assert_int_equal(remote_count(f->remote), 1);
	remote_fetch(f->remote, NULL, NULL, NULL);
	f->load = sources_set_of(&f->sources, 0, 1, "source", &f->q, f->remote);
	assert_int_equal(sources_set_read(&f->load, &f->p, &err), 0);
}

static void release(struct fetched *f)
{
	profile_free(f->p);
	remote_free(f->remote);
	sources_release(&f->sources);
	query_release(&f->q);
	buf_release(&f->load.notes);
	buf_release(&f->load.info);
}

/* The name at an address; "" if there is none. */
static const char *name_at(const struct profile *p, uint64_t addr)
{
	for (uint32_t i = 0; i < p->n_locs; i++)
		if (p->loc_addr[i] == addr && p->loc_line[i] < p->loc_line[i + 1])
			return profile_text(p, p->func_name[p->line_func[p->loc_line[i]]]);
	return "";
}

#define GOROUTINES "200 OK\r\n\r\ngoroutine profile: total 3\n1 @ 0x1001 0x2001\n2 @ 0x3001 0x2001\n"

static void looks_up_names_on_the_server(void **state)
{
	static const char *const answer[] = {
		GOROUTINES,
		"200 OK\r\n\r\nnum_symbols: 1\n0x1000\tmain.first\n0x2000 main.(*T).second \r\n"
		"0x77 not requested\n0xzz bad\n0x 0x3000   last",
	};
	struct server s;
	struct fetched f;
	struct buf notes = { 0 };
	struct err err = { 0 };

	(void)state;
	server_start(&s, answer, 2);
	fetch(&f, s.source);
	assert_true(symbolz_is_available(&f.load, NULL));
	assert_true(url_is_absolute(profile_text(f.p, f.p->map[0].file)));
	assert_int_equal(symbolz_run(f.p, &f.load, NULL, false, &notes, &err), 0);
	server_end(&s);
	assert_string_equal(s.request[1], "POST /debug/pprof/symbol HTTP/1.1|0x1000+0x2000+0x3000");
	assert_string_equal(name_at(f.p, 0x1000), "main.first");
	assert_string_equal(name_at(f.p, 0x2000), "main.(*T).second");
	assert_string_equal(name_at(f.p, 0x3000), "last");
	assert_true(f.p->map[0].has_functions);
	remote_remove_urls(f.p);
	assert_string_equal(profile_text(f.p, f.p->map[0].file), "");
	assert_int_equal(notes.len, 0);
	release(&f);
}

static void locations_with_the_same_address_get_the_same_name(void **state)
{
	static const char *const answer[] = { GOROUTINES, "200 OK\r\n\r\n0x1000 a\n0x3000 c\n" };
	struct server s;
	struct fetched f;
	struct buf notes = { 0 };
	struct err err;
	unsigned n = 0;

	(void)state;
	server_start(&s, answer, 2);
	fetch(&f, s.source);
	for (uint32_t i = 0; i < f.p->n_locs; i++)
		if (f.p->loc_addr[i] == 0x2000)
			f.p->loc_addr[i] = 0x1000;
	assert_int_equal(symbolz_run(f.p, &f.load, NULL, false, &notes, &err), 0);
	server_end(&s);
	assert_string_equal(s.request[1], "POST /debug/pprof/symbol HTTP/1.1|0x1000+0x3000");
	for (uint32_t line = 0; line < f.p->n_lines; line++)
		n += strcmp(profile_text(f.p, f.p->func_name[f.p->line_func[line]]), "a") == 0;
	assert_int_equal(n, 2);
	assert_string_equal(name_at(f.p, 0x3000), "c");
	release(&f);
}

static void limits_the_total_size_of_all_answers(void **state)
{
	static const char *const answer[] = { "200 OK\r\n\r\n0123456789", "200 OK\r\n\r\n0123456789",
					      "200 OK\r\n\r\n0123456789" };
	struct fetch_options options = { "", "", "", "", "", "", .max = 10, .max_all = 25 };
	struct fetch_request request[3] = { { .url = NULL } };
	struct buf notes = { 0 };
	struct server s;
	struct url url;
	size_t n_failed = 0;

	(void)state;
	server_start(&s, answer, 3);
	assert_int_equal(url_parse(s.source, 0, &url, NULL), 0);
	for (int i = 0; i < 3; i++)
		request[i].url = &url;
	fetch_all(request, 3, &options, NULL, NULL, &notes);
	server_end(&s);
	for (int i = 0; i < 3; i++) {
		if (request[i].rc == ERR_LIMIT && ++n_failed)
			assert_string_equal(
				request[i].err.msg,
				"more than 25 bytes in all answers together; raise the limit with --max-input");
		else
			assert_int_equal(request[i].bytes.n, 10);
		free(request[i].bytes.data);
	}
	assert_int_equal(n_failed, 1);
	url_release(&url);
}

static void does_not_query_for_mappings_with_functions(void **state)
{
	static const char *const answer[] = { GOROUTINES };
	struct server s;
	struct fetched f;
	struct buf notes = { 0 };
	struct err err;

	(void)state;
	server_start(&s, answer, 1);
	fetch(&f, s.source);
	f.p->map[0].has_functions = true;
	assert_int_equal(symbolz_run(f.p, &f.load, NULL, false, &notes, &err), 0);
	server_end(&s);
	assert_string_equal(name_at(f.p, 0x1000), "");
	release(&f);
}

static void reports_url_and_status_if_a_server_refuses(void **state)
{
	static const char *const answer[] = { GOROUTINES, "404 Not Found\r\n\r\nno" };
	struct server s;
	struct fetched f;
	struct buf notes = { 0 };
	struct err err;

	(void)state;
	server_start(&s, answer, 2);
	fetch(&f, s.source);
	assert_int_equal(symbolz_run(f.p, &f.load, NULL, false, &notes, &err), ERR_IO);
	server_end(&s);
	assert_non_null(strstr(err.msg, "/debug/pprof/symbol"));
	assert_non_null(strstr(err.msg, "server response: 404 Not Found"));
	release(&f);
}

static void queries_with_get_if_post_is_not_allowed(void **state)
{
	static const char *const answer[] = { GOROUTINES, "405 Method Not Allowed\r\n\r\nno",
					      "200 OK\r\n\r\n0x1000 a\n0x3000 c\n" };
	struct server s;
	struct fetched f;
	struct buf notes = { 0 };
	struct err err;

	(void)state;
	server_start(&s, answer, 3);
	fetch(&f, s.source);
	assert_int_equal(symbolz_run(f.p, &f.load, NULL, false, &notes, &err), 0);
	server_end(&s);
	assert_string_equal(s.request[2], "GET /debug/pprof/symbol?0x1000+0x2000+0x3000 HTTP/1.1|");
	assert_string_equal(name_at(f.p, 0x1000), "a");
	assert_string_equal(name_at(f.p, 0x3000), "c");
	release(&f);
}

static void converts_addresses_to_those_of_the_server(void **state)
{
	static const char *const answer[] = { GOROUTINES, "200 OK\r\n\r\n0x5000 a\n0x7000 c\n" };
	struct server s;
	struct fetched f;
	struct buf notes = { 0 };
	struct err err;

	(void)state;
	server_start(&s, answer, 2);
	fetch(&f, s.source);
	f.p->map[0].start -= 0x4000; /* merging may move a mapping */
	assert_int_equal(symbolz_run(f.p, &f.load, NULL, false, &notes, &err), 0);
	server_end(&s);
	assert_string_equal(s.request[1], "POST /debug/pprof/symbol HTTP/1.1|0x5000+0x6000+0x7000");
	assert_string_equal(name_at(f.p, 0x1000), "a");
	assert_string_equal(name_at(f.p, 0x2000), "");
	assert_string_equal(name_at(f.p, 0x3000), "c");
	release(&f);
}

static void sends_no_query_for_a_profile_from_a_file(void **state)
{
	const char *name = "a.pb.gz";
	struct source_set file = { .source = &name, .n = 1 };

	(void)state;
	assert_false(symbolz_is_available(&file, NULL));
	assert_int_equal(symbolz_run(NULL, &file, NULL, true, NULL, NULL), 0);
}

static void query_url_replaces_the_last_part_of_the_path(void **state)
{
	static const char *const pair[][2] = {
		{ "http://h:1/debug/pprof/heap?x=1", "http://h:1/debug/pprof/symbol" },
		{ "http://h/a/pprof/heap", "http://h/a/pprof/symbol" },
		{ "http://h/a/pprof/contention", "http://h/a/pprof/symbol" },
		{ "http://h/profilez?x=1", "http://h/symbolz" },
		{ "http://h/a/b/", "http://h/a/symbolz" },
		{ "https+insecure://u:p@h/pprof/growth", "https+insecure://h/pprof/symbol" },
		{ "unix:/s.sock:/debug/pprof/", "unix:/s.sock:/debug/symbol" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		struct url from, to;
		struct buf b = { 0 };

		assert_int_equal(url_parse(pair[i][0], 0, &from, NULL), 0);
		symbolz_url(&from, &to);
		url_add_redacted(&to, &b);
		assert_string_equal(b.data, pair[i][1]);
		buf_release(&b);
		url_release(&from);
		url_release(&to);
	}
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
	const struct CMUnitTest with_server[] = {
		cmocka_unit_test(looks_up_names_on_the_server),
		cmocka_unit_test(locations_with_the_same_address_get_the_same_name),
		cmocka_unit_test(limits_the_total_size_of_all_answers),
		cmocka_unit_test(does_not_query_for_mappings_with_functions),
		cmocka_unit_test(reports_url_and_status_if_a_server_refuses),
		cmocka_unit_test(queries_with_get_if_post_is_not_allowed),
		cmocka_unit_test(converts_addresses_to_those_of_the_server),
		cmocka_unit_test(sends_no_query_for_a_profile_from_a_file),
		cmocka_unit_test(query_url_replaces_the_last_part_of_the_path),
	};
	const struct CMUnitTest without[] = {
		cmocka_unit_test(sends_no_query_for_a_profile_from_a_file),
		cmocka_unit_test(query_url_replaces_the_last_part_of_the_path),
	};
	const struct curl *curl;
	struct err err;

	if (curl_load(&curl, &err) < 0)
		return cmocka_run_group_tests(without, NULL, NULL);
	return cmocka_run_group_tests(with_server, make_folder, remove_folder);
}
