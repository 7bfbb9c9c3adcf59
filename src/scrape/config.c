/*
 * config.c - read collect.cpa and the arguments of cpa collect
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Options of the command line are read as lines of a file, after the defaults of the file and before its first job. So the
 * file and the options give the same configuration.
 */
#include "config.h"

#include "scrape/scrape_config.h"

#include "base/amount.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "scrape/config_int.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_WORDS_MAX = 65 };

void *scrape_config_grow(struct arena *mem, const void *array, size_t n, size_t size)
{
	char *bigger;

	if (n & (n - 1))
		return (void *)array;
	bigger = arena_alloc(mem, n ? 2 * n : 1, size);
	if (n)
		memcpy(bigger, array, n * size);
	return bigger;
}

int scrape_config_usage(const struct words *w, const char *usage, struct err *err)
{
	return words_error(w, err, "expected %s", usage);
}

int scrape_config_duration(const struct words *w, const char *text, int64_t min, int64_t max, int64_t *out,
			   struct err *err)
{
	struct err reason;
	int64_t ns;

	if (amount_parse_duration(w->word[0], text, &ns, &reason) < 0)
		return words_error(w, err, "%s", reason.msg);
	if (ns < min || ns > max)
		return words_error(w, err, "%s %s: the duration must be between %" PRId64 " s and %" PRId64 " days",
				   w->word[0], text, min / NS_PER_S, max / NS_PER_DAY);
	*out = ns;
	return 0;
}

struct scrape_config *scrape_config_ref(struct scrape_config *c)
{
	atomic_fetch_add(&((struct scrape_config_counted *)c)->refs, 1);
	return c;
}

void scrape_config_unref(struct scrape_config *c)
{
	struct scrape_config_counted *counted = (struct scrape_config_counted *)c;

	if (!c || atomic_fetch_sub(&counted->refs, 1) > 1)
		return;
	arena_free(c->mem);
	free(counted);
}

static struct scrape_config *config_new(const char *file)
{
	struct scrape_config_counted *counted = mem_zalloc(1, sizeof(*counted));
	struct scrape_config *c = &counted->config;

	counted->refs = 1;
	c->mem = arena_new();
	c->file = arena_strndup(c->mem, file, strlen(file));
	c->store = c->group = "";
	c->limit_default = SCRAPE_LIMIT_DEFAULT;
	c->push_rate = SCRAPE_PUSH_RATE_DEFAULT;
	c->push_age_ns = NS_PER_HOUR;
	c->push = SCRAPE_PUSH_PPROF | SCRAPE_PUSH_INGEST | SCRAPE_PUSH_CONNECT;
	return c;
}

static void scrape_config_set_defaults(struct job_draft *d)
{
	static const char *const kinds[] = { "cpu", "heap", "goroutine", "mutex", "block" };
	static const enum scrape_version_source versions[] = { SCRAPE_VERSION_LABEL, SCRAPE_VERSION_COMMENT,
							       SCRAPE_VERSION_BUILD_ID };
	struct scrape_job *j = &d->job;

	j->name = j->version_url = j->version_field = "";
	j->tls_cert = j->tls_key = j->tls_ca = j->header_file = j->bearer_file = j->netrc = "";
	j->folder = SCRAPE_FOLDER_DEFAULT;
	j->timeout_ns = INT64_C(20000000000);
	memcpy(j->version, versions, sizeof(versions));
	j->n_versions = sizeof(versions) / sizeof(versions[0]);
	d->every_ns = INT64_C(600000000000);
	d->kind = (const char **)kinds;
	d->n_kinds = sizeof(kinds) / sizeof(kinds[0]);
}

/* Copy arrays that the job may change. */
static void copy_draft(struct arena *mem, const struct job_draft *from, struct job_draft *to)
{
	*to = *from;
	to->setting = NULL;
	for (size_t i = 0; i < from->n_settings; i++) {
		to->setting = scrape_config_grow(mem, to->setting, i, sizeof(*to->setting));
		to->setting[i] = from->setting[i];
	}
	to->job.source = NULL;
	to->job.n_sources = 0;
}

/* Add the current job to the configuration. */
static int finish_job(struct scrape_parser *p, struct err *err)
{
	struct scrape_config *c = p->c;
	struct scrape_job *jobs;

	if (!p->job)
		return 0;
	if (scrape_config_finish_kinds(p, p->job, err) < 0)
		return ERR_USAGE;
	jobs = scrape_config_grow(c->mem, c->job, c->n_jobs, sizeof(*jobs));
	jobs[c->n_jobs++] = p->job->job;
	c->job = jobs;
	p->job = NULL;
	return 0;
}

static void start_job(struct scrape_parser *p, const char *name, uint32_t line)
{
	p->job = arena_zalloc(p->c->mem, 1, sizeof(*p->job));
	copy_draft(p->c->mem, &p->defaults, p->job);
	p->job->job.name = arena_strndup(p->c->mem, name, strlen(name));
	p->job->line = line;
}

static int read_words(struct scrape_parser *p, const struct words *w, struct err *err)
{
	int rc = scrape_config_job_line(p, w, err);

	return rc == ERR_UNKNOWN ? scrape_config_file_line(p, w, err) : rc;
}

/* Read an option as if it were a line: its name, then the values, which are separated by commas. */
static int scrape_config_read_option(struct scrape_parser *p, const char *option, const char *name, const char *values,
				     struct err *err)
{
	const char *word[OPTION_WORDS_MAX] = { name };
	struct words w = { .file = option, .word = word, .n = 1 };

	if (!values || !*values)
		return 0;
	for (const char *at = values; *at;) {
		size_t n = strcspn(at, ",");

		if (w.n == OPTION_WORDS_MAX)
			return err_set(err, ERR_USAGE, "%s: more than %d values; repeat the option", option,
				       OPTION_WORDS_MAX - 1);
		word[w.n++] = arena_strndup(p->c->mem, at, n);
		at += n + (at[n] == ',');
	}
	return read_words(p, &w, err);
}

/* Read the options that replace defaults of the file. */
static int scrape_config_read_options(struct scrape_parser *p, struct err *err)
{
	const struct scrape_arguments *a = p->arguments;
	int rc = 0;

	p->arguments = NULL;
	if (!a)
		return 0;
	if (a->continuous) {
		rc = scrape_config_read_option(p, "--continuous", "every", "30s", err);
		rc = rc < 0 ? rc : scrape_config_read_option(p, "--continuous", "cpu", "30s", err);
	}
	if (rc == 0)
		rc = scrape_config_read_option(p, "--store", "store", a->store, err);
	if (rc == 0)
		rc = scrape_config_read_option(p, "--cap", "cap", a->cap, err);
	if (rc == 0)
		rc = scrape_config_read_option(p, "--every", "every", a->every, err);
	if (rc == 0)
		rc = scrape_config_read_option(p, "--kinds", "kinds", a->kinds, err);
	if (rc == 0)
		rc = scrape_config_read_option(p, "--cpu", "cpu", a->cpu, err);
	for (size_t i = 0; rc == 0 && i < a->n_labels; i++)
		rc = scrape_config_read_option(p, "--label", "label", a->label[i], err);
	if (a->n_keep_labels)
		p->c->n_keep_labels = 0;
	for (size_t i = 0; rc == 0 && i < a->n_keep_labels; i++)
		rc = scrape_config_read_option(p, "--keep-label", "keep-label", a->keep_label[i], err);
	for (size_t i = 0; rc == 0 && i < a->n_listens; i++)
		rc = scrape_config_read_option(p, "--listen", "listen", a->listen[i], err);
	return rc;
}

/* Read the line "job NAME". */
static int read_job(struct scrape_parser *p, const struct words *w, struct err *err)
{
	int rc = finish_job(p, err);

	if (rc == 0)
		rc = scrape_config_read_options(p, err);
	if (rc < 0)
		return rc;
	if (w->n != 2 || !*w->word[1])
		return scrape_config_usage(w, "job SERVICE", err);
	if (strlen(w->word[1]) > 255)
		return words_error(w, err, "the name of the job is longer than 255 bytes");
	for (const char *at = w->word[1]; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return words_error(w, err, "the name of the job contains a control character");
	if (p->c->n_jobs >= SCRAPE_JOBS_MAX)
		return words_error(w, err, "more than %d jobs", SCRAPE_JOBS_MAX);
	start_job(p, w->word[1], w->line);
	return 0;
}

static int scrape_config_read_line(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n == 0)
		return 0;
	return strcmp(w->word[0], "job") == 0 ? read_job(p, w, err) : read_words(p, w, err);
}

/* A job of targets that are arguments. */
static int scrape_config_add_arguments(struct scrape_parser *p, const char *service, const char *option,
				       const char *const *target, size_t n, struct err *err)
{
	int rc = 0;

	if (n == 0)
		return 0;
	start_job(p, service, 0);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const char *word[2] = { "target", target[i] };
		struct words w = { .file = option, .word = word, .n = 2 };

		rc = scrape_config_job_line(p, &w, err);
	}
	return rc < 0 ? rc : finish_job(p, err);
}

static int scrape_config_add_targets(struct scrape_parser *p, const struct scrape_arguments *a, struct err *err)
{
	int rc = scrape_config_add_arguments(p, "", "", a->target, a->n_targets, err);

	if (rc == 0 && a->dapr && *a->dapr)
		rc = scrape_config_add_arguments(p, "daprd", "--dapr", &a->dapr, 1, err);
	if (rc == 0 && a->dendrite && *a->dendrite)
		rc = scrape_config_add_arguments(p, "dendrite", "--dendrite", &a->dendrite, 1, err);
	return rc;
}

/* The rest after the last line of the file. */
static int scrape_config_finish(struct scrape_parser *p, const struct scrape_arguments *a, struct err *err)
{
	static const struct scrape_listen own_socket = { .address = "unix:auto", .tls = "", .client_ca = "" };
	struct scrape_config *c = p->c;
	int rc = finish_job(p, err);

	if (rc == 0)
		rc = scrape_config_read_options(p, err);
	if (rc == 0 && a)
		rc = scrape_config_add_targets(p, a, err);
	if (rc < 0)
		return rc;
	if (c->n_listens == 0) {
		c->listen = &own_socket;
		c->n_listens = 1;
	} else if (p->is_plain_text) {
		for (size_t i = 0; i < c->n_listens; i++)
			((struct scrape_listen *)c->listen)[i].plain_text = true;
	}
	return 0;
}

int scrape_config_parse(const char *text, size_t n, const char *file, const struct scrape_arguments *arguments,
			struct scrape_config **out, struct err *err)
{
	struct scrape_parser p = { .c = config_new(file), .arguments = arguments };
	struct words_reader r;
	int rc;

	scrape_config_set_defaults(&p.defaults);
	words_start(&r, text, n, p.c->file, p.c->mem);
	while ((rc = words_next(&r, err)) > 0 && (rc = scrape_config_read_line(&p, &r.line, err)) == 0)
		;
	words_release(&r);
	if (rc == 0)
		rc = scrape_config_finish(&p, arguments, err);
	if (rc < 0) {
		assert(rc == ERR_USAGE);
		scrape_config_unref(p.c);
		return rc;
	}
	*out = p.c;
	return 0;
}

int scrape_config_read(const char *file, const struct scrape_arguments *arguments, struct scrape_config **out,
		       struct err *err)
{
	struct bytes bytes = { 0 };
	int rc = file ? io_read_file(file, SCRAPE_FILE_MAX, NULL, &bytes, err) : 0;

	if (rc < 0)
		return err_wrap(err, "%s", file);
	rc = scrape_config_parse((const char *)bytes.data, bytes.n, file ? file : "", arguments, out, err);
	free(bytes.data);
	return rc;
}
