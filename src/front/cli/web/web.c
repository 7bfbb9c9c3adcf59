/*
 * web.c - cpa -http: start the web UI, load the profile, stop the server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server listens at once; another thread loads the profile. The main thread waits for signals.
 */
#include "config.h"

#include "base/amount.h"
#include "base/mem.h"
#include "base/time.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "front/cli/report/events.h"
#include "front/cli/report/report.h"
#include "front/cli/web/access.h"
#include "front/cli/web/address.h"
#include "front/cli/web/browser.h"
#include "front/cli/web/folders.h"
#include "front/cli/web/signals.h"
#include "httpd/httpd.h"
#include "session/configs.h"
#include "session/url_settings.h"
#include "front/web/web.h"
#include "sources/load.h"
#include "sources/profile_server.h"
#include "sources/stored_browse.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STOP_SECONDS = 2, DRAIN_MS = 1000, DRAIN_STEP_MS = 20, IDLE_POLL_MS = 60000 };

/* A running web UI. */
struct site {
	const struct args *a;
	struct web *web;
	struct httpd *http;
	struct web_access access;
	struct load_request request;
	pthread_t loader;
	bool has_loader;
	atomic_bool has_failed; /* the profile could not be loaded */
	uint64_t upload_max;
	int64_t idle_ns;     /* 0: no limit */
	const char **server; /* see struct web_options */
	struct web_folders folders;
	struct stored_start store; /* the first source of a store */
	const char **word;         /* the sources, where that one is replaced; NULL without a store */
	bool has_store;
	struct buf settings_path; /* the file of saved configs; empty if there is no such folder */
};

/* ---- loading ---- */

static void web_note(void *arg, bool is_error, const char *line, size_t n)
{
	(void)arg;
	if (is_error)
		say_error("%.*s", (int)n, line);
	else
		say("%.*s", (int)n, line);
}

static void web_fetch(void *arg, struct remote *r, const struct query *q, struct buf *notes)
{
	const struct site *s = arg;

	cmd_report_say_sources(r, q);
	remote_fetch(r, NULL, s->request.stop, notes);
}

static void web_web_add_name(const struct load_result *l, struct buf *out)
{
	const struct source_set *load = &l->set[SIDE_NEW];

	buf_addz(out, load->n > 0 ? load->source[0] : "");
	if (load->n > 1)
		buf_addf(out, " and %zu more", load->n - 1);
}

/* Were all sources read, but not merged, because their kinds are different? Or was there too little memory? */
static bool can_continue(const struct site *s, const struct load_result *l, const struct err *err)
{
	const struct source_set *load = &l->set[SIDE_NEW];

	if (err->code == ERR_MEMORY)
		return true;
	return !l->profile && err->code == ERR_FORMAT && s->request.n_bases == 0 && load->n > 1 && load->n_failed == 0;
}

static int load_profile_of(struct site *s, struct err *err)
{
	struct load_result l = { 0 };
	struct buf name = { 0 };
	int rc;

	if (s->request.n_words == 0) {
		web_set_empty(s->web);
		return 0;
	}
	rc = web_load(s->web, &s->request, &l, err);
	if (rc == 0 && !l.profile)
		rc = err_set(err, ERR_IO, "no profile could be read");
	if (rc == 0) {
		web_web_add_name(&l, &name);
		rc = web_set_loaded(s->web, &l, name.data, err);
	}
	if (rc < 0 && can_continue(s, &l, err)) {
		say("%s; the web UI continues without the profile", err->msg);
		web_set_unmerged(s->web, &l, err);
		rc = 0;
	}
	buf_release(&name);
	load_result_release(&l);
	return rc;
}

static void *web_web_load(void *arg)
{
	struct site *s = arg;
	struct err err;

	if (load_profile_of(s, &err) == 0)
		return NULL;
	web_fail(s->web, err.msg);
	if (err.code != ERR_STOPPED)
		say_error("%s", err.msg);
	atomic_store(&s->has_failed, true);
	cmd_web_signals_wake();
	return NULL;
}

/* ---- start and end ---- */

static void web_report(void *arg, const char *line)
{
	(void)arg;
	say("%s", line);
}

/* Append the query of the first page: the options that have a parameter. */
static void add_query(const struct query *q, struct buf *out)
{
	struct query none;
	struct settings *base, *given = settings_new(q);
	struct url_params *params = url_params_new();
	struct buf query = { 0 };

	query_init(&none);
	base = settings_new(&none);
	settings_set_params(given, base, params);
	url_params_add_query(params, &query);
	if (query.len)
		buf_addf(out, "?%s", query.data);
	buf_release(&query);
	url_params_free(params);
	settings_free(base);
	settings_free(given);
	query_release(&none);
}

/* Print the link that contains the secret. The secret of a file is not printed. */
static void say_link(const struct site *s)
{
	const struct access_secret *secret = &s->access.rules.secret;
	bool is_unix = httpd_port(s->http) == 0; /* the link is for a tunnel to it */
	const char *url = is_unix ? "http://localhost:8080" : httpd_url(s->http), *port = strrchr(url, ':');
	char machine[HOST_NAME_MAX + 1] = "localhost";
	bool is_any = strstr(url, "//0.0.0.0:") || strstr(url, "//[::]:");
	struct buf link = { 0 };

	if (is_unix)
		cmd_web_say_ssh(httpd_url(s->http), 0);
	gethostname(machine, sizeof(machine) - 1);
	buf_addf(&link, "%s%s%s/ui/enter", is_any ? "http://" : "", is_any ? machine : url, is_any ? port : "");
	if (s->access.is_new)
		say("open %s#%.*s", link.data, (int)secret->n, (const char *)secret->text);
	else
		say("open %s and enter the secret in %s", link.data, s->a->q.http_secret);
	if (httpd_is_public(s->http))
		say("the connection is not encrypted: anyone on the network path can read profiles and the secret");
	buf_release(&link);
}

static void open_browser(const struct site *s)
{
	const char *url = httpd_url(s->http);
	struct buf page = { 0 };

	if (s->access.rules.secret.n > 0) { /* a command line with the secret would be visible to other users */
		say_link(s);
		return;
	}
	if (s->a->q.no_browser)
		return;
	/* a store without a window begins with the choice of one */
	buf_addf(&page, "%s/%s", url, s->has_store && !s->store.has_window ? "ui/store" : "");
	add_query(&s->a->q, &page);
	if (httpd_port(s->http) == 0 || !cmd_web_has_display())
		cmd_web_say_ssh(url, httpd_port(s->http));
	else if (!cmd_web_open_browser(page.data))
		say("no browser found; open %s", page.data);
	buf_release(&page);
}

/* Wait until a signal arrives, the load fails, or the server has been idle too long. Returns the signal, or 0. */
static int wait_for_end(struct site *s)
{
	int number = WEB_TIMEOUT;

	while (number == WEB_TIMEOUT && !atomic_load(&s->has_failed)) {
		int64_t idle = (int64_t)httpd_idle_ns(s->http), left = (s->idle_ns - idle) / NS_PER_MS + 1;

		if (s->idle_ns && idle >= s->idle_ns) {
			say("no request for %s; the server ends", s->a->q.http_idle);
			return 0;
		}
		number = cmd_web_signals_wait(s->idle_ns ? (int)(left < IDLE_POLL_MS ? left : IDLE_POLL_MS) : -1);
	}
	return number > 0 ? number : 0;
}

/* Send the error message to clients that wait for the profile. */
static void web_drain(struct site *s)
{
	for (int ms = 0; ms < DRAIN_MS && httpd_n_running(s->http) > 0; ms += DRAIN_STEP_MS)
		if (cmd_web_signals_wait(DRAIN_STEP_MS) > 0)
			break;
}

static int web_run(struct site *s, struct err *err)
{
	int number, failed;

	cmd_web_access_set_port(&s->access, httpd_port(s->http));
	fprintf(stderr, "Serving web UI on %s\n", httpd_url(s->http));
	failed = pthread_create(&s->loader, NULL, web_web_load, s);
	if (failed)
		return err_set(err, ERR_IO, "cannot create a thread: %s", strerror(failed));
	s->has_loader = true;
	if (!atomic_load(&s->has_failed))
		open_browser(s);
	number = wait_for_end(s);
	if (atomic_load(&s->has_failed))
		web_drain(s);
	return number;
}

/* End the process if stopping takes too long: a read from a pipe, for example, cannot be cancelled. */
static void *force_end(void *arg)
{
	const struct timespec wait = { .tv_sec = STOP_SECONDS };
	int number = (int)(intptr_t)arg;

	nanosleep(&wait, NULL);
	if (number > 0)
		cmd_web_signals_raise(number);
	_exit(STATUS_TROUBLE);
}

static void limit_stop(int number)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, force_end, (void *)(intptr_t)number) == 0)
		pthread_detach(thread);
}

static void web_release(struct site *s)
{
	if (s->web)
		stop_set(web_load_stop(s->web));
	httpd_stop(s->http);
	if (s->has_loader)
		pthread_join(s->loader, NULL);
	web_free(s->web);
	cmd_web_access_release(&s->access);
	buf_release(&s->settings_path);
	free(s->server);
	free(s->word);
	stored_start_release(&s->store);
	cmd_web_folders_release(&s->folders);
}

/* Find the first source of a store, and replace it by one that can be loaded. */
static int find_store(struct site *s, struct err *err)
{
	size_t n = s->request.n_words, at = 0;

	while (at < n && !stored_start_is_store(s->request.word[at]))
		at++;
	if (at == n)
		return 0;
	s->has_store = true;
	if (stored_start_find(s->request.word[at], &s->a->q, &s->store, err) < 0)
		return err->code;
	s->word = mem_alloc(n, sizeof(*s->word));
	memcpy(s->word, s->request.word, n * sizeof(*s->word));
	s->word[at] = buf_text(&s->store.source);
	s->request.word = s->word;
	return 0;
}

/* Fail if a value of --http-allow-server is not a server. */
static int check_servers(const struct query *q, struct err *err)
{
	for (size_t i = 0; i < q->http_allow_server.n; i++) {
		struct profile_server server;

		if (sources_server_parse(q->http_allow_server.item[i], &server, err) < 0)
			return err_set(err, ERR_USAGE, "--http-allow-server=%s: expected HOST:PORT, a URL or pid:PID",
				       q->http_allow_server.item[i]);
		sources_server_release(&server);
	}
	return 0;
}

/* The servers that pages may capture: the sources of the command line, and those of --http-allow-server. */
static void add_servers(struct site *s, struct web_options *options)
{
	const struct opt_list *allowed = &s->a->q.http_allow_server;

	s->server = mem_alloc(s->a->n_words + allowed->n + 1, sizeof(*s->server));
	for (size_t i = 0; i < s->a->n_words; i++)
		s->server[options->n_servers++] = s->a->word[i];
	for (size_t i = 0; i < allowed->n; i++)
		s->server[options->n_servers++] = allowed->item[i];
	options->server = s->server;
}

static int web_start(struct site *s, struct err *err)
{
	const struct query *q = &s->a->q;
	struct web_options options = { .q = q, .report = web_report };
	struct httpd_options server = { .check = cmd_web_access_check,
					.answer = cmd_web_access_answer,
					.is_upload = web_takes_file,
					.arg = &s->access,
					.secret_options = "--http-secret=new",
					.error_headers = web_security_headers };
	struct buf address = { 0 };
	int rc = cmd_web_parse_address(q->http, &address, err);

	rc = rc ? rc : amount_parse_bytes("--http-upload", q->http_upload, &s->upload_max, err);
	rc = rc ? rc : amount_parse_bytes("--http-cache", q->http_cache, &options.cache_bytes, err);
	options.memory_bytes = mem_limit() / 2;
	rc = rc || !*q->http_memory ? rc
				    : amount_parse_bytes("--http-memory", q->http_memory, &options.memory_bytes, err);
	rc = rc || !*q->http_idle ? rc : amount_parse_duration("--http-idle", q->http_idle, &s->idle_ns, err);
	rc = rc ? rc : check_servers(q, err);
	if (rc == 0 && !cmd_web_signals_catch())
		rc = err_set(err, ERR_IO, "cannot create a pipe: %s", strerror(errno));
	rc = rc ? rc : cmd_web_add_random(options.token, WEB_TOKEN_LENGTH, err);
	if (configs_add_path(&s->settings_path, NULL) == 0)
		options.settings_path = s->settings_path.data;
	if (rc == 0) {
		options.reload = sources_can_reload(&s->request) ? &s->request : NULL;
		add_servers(s, &options);
		options.folder = s->folders.folder;
		options.n_folders = s->folders.n_folders;
		if (s->has_store) {
			options.store = buf_text(&s->store.where);
			options.store_service = buf_text(&s->store.service);
			options.store_kind = buf_text(&s->store.kind);
		}
		s->web = web_new(&options);
		s->request.stop = web_load_stop(s->web);
		server.address = address.data;
		server.upload_max = s->upload_max;
		s->access.web = s->web;
		server.has_secret = s->access.rules.secret.n > 0;
		rc = httpd_start(&server, &s->http, err);
	}
	buf_release(&address);
	return rc;
}

int cmd_web(const struct args *a)
{
	struct site s = { .a = a, .request = cmd_report_request(a) };
	const struct load_events events = { .arg = &s, .note = web_note, .fetch = web_fetch };
	struct err err;
	int rc;

	if (a->report || a->q.shape != FORMAT_TEXT)
		return say_error("-http is not compatible with an output format on the command line");
	if (a->n_words == 0 && (a->q.base.n || a->q.diff_base.n))
		return say_error("no profile source specified; try: cpa -http=: -base=old.pb.gz new.pb.gz");
	if (*a->q.keys)
		return say_error("--keys plays keys on a screen; it is not compatible with -http");
	if (a->overruled_type)
		say("Multiple value selections, ignoring -%s", a->overruled_type);
	if (cmd_web_folders_find(s.request.word, s.request.n_words, &s.folders, &err) < 0) {
		cmd_web_folders_release(&s.folders);
		return say_error("%s", err.msg);
	}
	s.request.word = s.folders.word;
	s.request.n_words = s.folders.n_words;
	s.request.keep_sides = true;
	s.request.events = &events;
	rc = find_store(&s, &err);
	rc = rc < 0 ? rc : cmd_web_access_init(&s.access, &a->q, &err);
	rc = rc < 0 ? rc : web_start(&s, &err);
	rc = rc < 0 ? rc : web_run(&s, &err);
	limit_stop(rc);
	web_release(&s);
	if (rc < 0)
		return say_error("%s", err.msg);
	if (rc > 0)
		cmd_web_signals_raise(rc);
	return atomic_load(&s.has_failed) ? STATUS_TROUBLE : STATUS_FINE;
}
