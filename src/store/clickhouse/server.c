/*
 * server.c - requests to a ClickHouse server, over HTTP
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A server may fail after it began to send a result with status 200. So it is asked to begin when the result is complete
 * (wait_end_of_query), and each failure has a status.
 */
#include "config.h"

#include "store/clickhouse/server.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/url_escape.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CLICK_PLAIN "clickhouse://"
#define CLICK_TLS "clickhouse+https://"

/* Codes of errors that end by themselves: time limits, too many queries or parts, memory, network, replicas, disk space. */
static const int click_passing[] = { 159, 160, 164, 201, 202, 203, 209, 210, 225,
				     236, 241, 242, 243, 252, 279, 319, 425, 999 };

static bool click_is_name(const char *name)
{
	const char *at = name;

	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return *name && !*at && !isdigit((unsigned char)*name);
}

/* Set the parts of a server from HOST[:PORT]/DATABASE. */
static int click_take_host(struct click_server *s, const char *host, bool is_tls, struct err *err)
{
	size_t n = strcspn(host, "/");
	const char *bracket = memchr(host, ']', n), *from = bracket ? bracket : host;
	bool has_port = memchr(from, ':', n - (size_t)(from - host)) != NULL;
	const char *database = host[n] ? host + n + 1 : "";
	struct buf url = { 0 }, name = { 0 };

	if (!n || !click_is_name(database))
		return err_set(err, ERR_USAGE,
			       "a store in ClickHouse is clickhouse://[USER@]HOST[:PORT]/DATABASE, with letters, "
			       "digits and _ in DATABASE");
	buf_addf(&url, "%s://%.*s%s/?", is_tls ? "https" : "http", (int)n, host,
		 has_port ? ""
		 : is_tls ? ":8443"
			  : ":8123");
	buf_addf(&name, "%s%s", is_tls ? CLICK_TLS : CLICK_PLAIN, host);
	s->url = url.data;
	s->name = name.data;
	s->database = mem_strndup(database, strlen(database));
	return 0;
}

int click_server_init(struct click_server *s, const char *place, const struct fetch_options *options, struct err *err)
{
	bool is_tls = starts_with(place, CLICK_TLS);
	const char *host = place + strlen(is_tls ? CLICK_TLS : CLICK_PLAIN);
	size_t n = strcspn(host, "/@");
	bool has_user = host[n] == '@';

	*s = (struct click_server){ .options = *options };
	s->options.stays_on_server = true;
	if (has_user && memchr(host, ':', n))
		return err_set(err, ERR_USAGE,
			       "a password in a URL is visible to other users; use --netrc, or --header-file with a "
			       "line X-ClickHouse-Key: PASSWORD");
	s->user = mem_strndup(host, has_user ? n : 0);
	if (click_take_host(s, has_user ? host + n + 1 : host, is_tls, err) == 0)
		return 0;
	click_server_release(s);
	return ERR_USAGE;
}

void click_server_release(struct click_server *s)
{
	free(s->url);
	free(s->name);
	free(s->database);
	free(s->user);
	*s = (struct click_server){ 0 };
}

/* Is a failure that the server reports one that ends by itself? */
static bool click_is_passing(const char *message, long status)
{
	const char *code = strstr(message, "Code: ");
	int n = code ? atoi(code + strlen("Code: ")) : 0;

	for (size_t i = 0; i < sizeof(click_passing) / sizeof(*click_passing); i++)
		if (click_passing[i] == n)
			return true;
	return n == 0 && (status == 0 || status == 408 || status == 429 || status >= 500);
}

/* A message without the URL of the request, which has the statement. */
static const char *click_skip_url(const char *message)
{
	const char *url = strstr(message, "://"), *end = url ? strstr(url, ": ") : NULL;

	return end ? end + strlen(": ") : message;
}

/* Make the error of a request, from what the server says. */
static int click_fail(struct click_server *s, struct fetch_request *r, struct err *err)
{
	size_t n = r->bytes.data ? r->bytes.n : 0;
	char text[400];

	n = n < sizeof(text) - 1 ? n : sizeof(text) - 1;
	if (n)
		memcpy(text, r->bytes.data, n);
	text[n] = 0;
	n = strcspn(text, "\n");
	text[n] = 0;
	s->is_later = click_is_passing(text, r->status);
	free(r->bytes.data);
	r->bytes = (struct bytes){ 0 };
	if (r->status && *text && r->rc != ERR_STOPPED)
		return err_set(err, r->rc == ERR_LIMIT ? ERR_LIMIT : ERR_IO, "%.200s: %s", s->name, text);
	return err_set(err, r->rc, "%.200s: %.500s", s->name, click_skip_url(r->err.msg));
}

/* Send a body with parameters of the URL. */
static int click_send(struct click_server *s, const struct buf *parameters, const void *data, size_t n,
		      struct stop *stop, struct bytes *out, struct err *err)
{
	struct buf text = { 0 }, user = { 0 }, notes = { 0 };
	const char *header[1];
	struct fetch_request r = {
		.body = data, .n_body = n, .header = header, .takes_any = true, .keeps_refusal = true
	};
	struct url url;
	int rc;

	buf_addf(&text, "%s%s", s->url, buf_text(parameters));
	buf_addf(&user, "X-ClickHouse-User: %s", s->user);
	header[0] = buf_text(&user);
	r.n_headers = *s->user && !(s->options.netrc && *s->options.netrc);
	rc = url_parse(buf_text(&text), 0, &url, err);
	if (rc == 0) {
		free(url.path); /* without a path, the URL would be that of a CPU profile */
		url.path = mem_strndup("/", 1);
		r.url = &url;
		fetch_all(&r, 1, &s->options, NULL, stop, &notes);
		url_release(&url);
		rc = r.rc < 0 ? click_fail(s, &r, err) : 0;
		*out = r.bytes;
	}
	buf_release(&text);
	buf_release(&user);
	buf_release(&notes);
	return rc;
}

int click_server_ask(struct click_server *s, const char *sql, bool uses_database, struct stop *stop, struct bytes *out,
		     struct err *err)
{
	struct buf parameters = { 0 };
	int rc;

	buf_addz(&parameters, "wait_end_of_query=1");
	if (uses_database)
		buf_addf(&parameters, "&database=%s", s->database);
	rc = click_send(s, &parameters, sql, strlen(sql), stop, out, err);
	buf_release(&parameters);
	return rc;
}

int click_server_run(struct click_server *s, const char *sql, struct stop *stop, struct err *err)
{
	struct bytes ignored = { 0 };
	int rc = click_server_ask(s, sql, true, stop, &ignored, err);

	free(ignored.data);
	return rc;
}

int click_server_insert(struct click_server *s, const char *sql, const void *data, size_t n, struct stop *stop,
			struct err *err)
{
	struct buf parameters = { 0 };
	struct bytes ignored = { 0 };
	int rc;

	buf_addf(&parameters, "database=%s&insert_distributed_sync=1&wait_end_of_query=1&query=", s->database);
	url_escape(sql, strlen(sql), URL_QUERY, &parameters);
	rc = click_send(s, &parameters, data, n, stop, &ignored, err);
	buf_release(&parameters);
	free(ignored.data);
	return rc;
}

void click_add_text(struct buf *sql, const char *text)
{
	buf_addz(sql, "'");
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_addz(sql, "\\");
		buf_add(sql, text, 1);
	}
	buf_addz(sql, "'");
}
