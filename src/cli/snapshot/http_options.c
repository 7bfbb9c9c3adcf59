/*
 * http_options.c - how the commands that are no reports ask servers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/snapshot/http_options.h"

#include "base/mem.h"
#include "base/stop.h"
#include "base/str.h"
#include "cli/messages.h"
#include "cli/report/report.h"
#include "fetch/url_query.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MAX = 512 << 20 }; /* bytes, unless told otherwise or memory is small */

#define AT(field) offsetof(struct asking, field)

/* clang-format off */
static const struct opt options[] = {
	{ "timeout", OPT_INT, AT(timeout), 0, "-1", "N", 0, false, "wait N seconds for an answer (60, or 1.5 times --seconds)" },
	{ "tls_cert", OPT_TEXT, AT(tls_cert), 0, "", "FILE", 0, false, "certificate to show to servers (PEM)" },
	{ "tls_key", OPT_TEXT, AT(tls_key), 0, "", "FILE", 0, false, "private key of that certificate (PEM)" },
	{ "tls_ca", OPT_TEXT, AT(tls_ca), 0, "", "FILE", 0, false, "certificates to trust servers by (PEM)" },
	{ "header_file", OPT_TEXT, AT(header_file), 0, "", "FILE", 0, true, "send the header lines in FILE" },
	{ "bearer_file", OPT_TEXT, AT(bearer_file), 0, "", "FILE", 0, true, "send the token in FILE as Authorization: Bearer" },
	{ "netrc", OPT_MODE, AT(netrc), 0, "", NULL, 0, true, "log in with what ~/.netrc says, or =FILE" },
	{ "max_input", OPT_INT, AT(max_input), 0, "-1", "BYTES", 0, true, "of one answer; 0: no limit" },
	{ "max_inflated", OPT_INT, AT(max_inflated), 0, "-1", "BYTES", 0, true, "of one answer, unpacked; 0: no limit" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

void asking_preset(struct asking *a)
{
	opt_preset(options, N_OPTIONS, a);
}

const struct opt *asking_option(const char *name, size_t n)
{
	return opt_find(options, N_OPTIONS, name, n);
}

static void name_of(const struct opt *o, char out[2 * OPT_NAME_MAX])
{
	char name[OPT_NAME_MAX];

	snprintf(out, 2 * OPT_NAME_MAX, "%s%s%s%s", o->own ? "--" : "-", opt_shown(o, name), o->arg ? "=" : "",
		 o->arg ? o->arg : "");
}

void asking_help(void)
{
	char shown[2 * OPT_NAME_MAX];

	puts("\nHow servers are asked");
	for (size_t i = 0; i < N_OPTIONS; i++) {
		name_of(&options[i], shown);
		printf("  %-22s %s\n", shown, options[i].help);
	}
}

void asking_print_words(void)
{
	char name[OPT_NAME_MAX];

	for (size_t i = 0; i < N_OPTIONS; i++)
		printf("--%s%s ", opt_shown(&options[i], name), opt_is_flag(&options[i]) ? "" : "=");
}

uint64_t asking_max_inflated(const struct asking *a)
{
	return a->max_inflated < 0 ? mem_quarter() : (uint64_t)a->max_inflated;
}

/* What servers have below /debug/pprof: a URL that ends in one names the folder it is in. */
static bool is_profile(const char *name)
{
	static const char *const names[] = { "profile", "cmdline", "heap",  "allocs",       "goroutine", "threads",
					     "block",   "mutex",   "trace", "threadcreate", "symbol" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Without what each profile is asked for itself. */
static char *query_of(const char *query)
{
	struct buf out = { 0 };
	char *text;

	for (const char *at = query; *at;) {
		size_t n = strcspn(at, "&");

		if (!starts_with(at, "seconds=") && !starts_with(at, "debug=")) {
			buf_addz(&out, out.len ? "&" : "");
			buf_add(&out, at, n);
		}
		at += n + (at[n] == '&');
	}
	text = mem_strndup(buf_text(&out), out.len);
	buf_release(&out);
	return text;
}

int asking_folder(const char *source, struct url *out, struct err *err)
{
	struct buf shown = { 0 };
	char *slash, *query;
	size_t n;
	int rc = url_parse(source, 0, out, err);

	if (rc < 0) {
		url_redact(source, &shown);
		err_wrap(err, "%.300s", buf_text(&shown));
		buf_release(&shown);
		return rc;
	}
	slash = strrchr(out->path, '/');
	if (slash && is_profile(slash + 1))
		*slash = '\0';
	for (n = strlen(out->path); n && out->path[n - 1] == '/';)
		out->path[--n] = '\0';
	query = query_of(out->query);
	free(out->query);
	out->query = query;
	out->seconds = 0;
	return 0;
}

void asking_url(const struct url *folder, const char *name, const char *query, int64_t seconds, struct url *out)
{
	struct buf path = { 0 }, all = { 0 };

	url_copy(folder, out);
	buf_addf(&path, "%s/", folder->path);
	url_escape(name, strlen(name), URL_PATH, &path);
	buf_addf(&all, "%s%s%s", folder->query, *folder->query && *query ? "&" : "", query);
	free(out->path);
	free(out->query);
	out->path = mem_strndup(path.data, path.len);
	out->query = mem_strndup(buf_text(&all), all.len);
	out->seconds = seconds;
	buf_release(&path);
	buf_release(&all);
}

/* Set by Ctrl-C while servers are asked. */
static struct stop interrupted;

static void interrupt(int number)
{
	(void)number;
	stop_set(&interrupted);
}

bool asking_fetch(const struct asking *a, struct fetch *get, size_t n, const char *what)
{
	struct sigaction ours = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND }, before;
	uint64_t quarter = mem_quarter();
	struct fetch_how how = {
		.tls_cert = a->tls_cert,
		.tls_key = a->tls_key,
		.tls_ca = a->tls_ca,
		.header_file = a->header_file,
		.bearer_file = a->bearer_file,
		.netrc = a->netrc,
		.timeout = a->timeout,
		.max = a->max_input >= 0      ? (uint64_t)a->max_input
		       : quarter < ANSWER_MAX ? quarter
					      : ANSWER_MAX,
	};
	struct buf notes = { 0 };

	if (a->max_input != 0)
		how.max_all = quarter > how.max ? quarter : how.max;
	interrupted = (struct stop){ 0 };
	sigaction(SIGINT, NULL, &before);
	if (before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &ours, NULL);
	progress_begin(what);
	fetch_all(get, n, &how, progress_fetch, &interrupted, &notes);
	progress_end();
	sigaction(SIGINT, &before, NULL);
	cmd_report_tell_lines(&notes);
	buf_release(&notes);
	return stop_is_set(&interrupted);
}
