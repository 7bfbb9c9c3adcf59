/*
 * config_job.c - the lines of collect.cpa that may be in a job: targets, kinds, labels, files of secrets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/str.h"
#include "base/time.h"
#include "scrape/config_int.h"
#include "scrape/find_int.h"
#include "scrape/pods.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { LABEL_NAME_MAX = 128, LABEL_VALUE_MAX = 256, WORDS_MAX = 2000, EVERY_DAYS_MAX = 31 };

static const char *config_job_copy(struct scrape_parser *p, const char *text)
{
	return arena_strndup(p->c->mem, text, strlen(text));
}

/* Length of the name of a label at the start of a word. */
static size_t name_length(const char *word)
{
	size_t n = 0;

	while (isalnum((unsigned char)word[n]) || word[n] == '_' || (n && (word[n] == '.' || word[n] == '-')))
		n++;
	return isdigit((unsigned char)*word) ? 0 : n;
}

bool scrape_config_is_label(const char *word)
{
	size_t n = name_length(word);

	return n && word[n] == '=';
}

int scrape_config_add_label(struct arena *mem, const struct store_label **label, size_t *n, const char *word,
			    const struct words *w, struct err *err)
{
	const char *equals = strchr(word, '='), *name = arena_strndup(mem, word, (size_t)(equals - word));
	struct store_label *all;
	size_t i;

	if (strlen(name) > LABEL_NAME_MAX || strlen(equals + 1) > LABEL_VALUE_MAX)
		return words_error(w, err, "label %.40s: longer than %d bytes", name, LABEL_VALUE_MAX);
	if (!equals[1])
		return words_error(w, err, "label %s has no value", name);
	if (strcmp(name, "service") == 0)
		return words_error(w, err, "label service: the service is the name of the job");
	if (strcmp(name, "kind") == 0)
		return words_error(w, err, "label kind: the kind is that of the profile; use another name");
	/* a copy, since the array may belong to the defaults too */
	all = arena_alloc(mem, *n + 1, sizeof(*all));
	for (i = 0; i < *n && strcmp((*label)[i].name, name) < 0; i++)
		all[i] = (*label)[i];
	all[i] = (struct store_label){ name, arena_strndup(mem, equals + 1, strlen(equals + 1)) };
	if (i < *n && strcmp((*label)[i].name, name) == 0) {
		memcpy(all + i + 1, *label + i + 1, (*n - i - 1) * sizeof(*all));
	} else {
		if (i < *n)
			memcpy(all + i + 1, *label + i, (*n - i) * sizeof(*all));
		++*n;
	}
	*label = all;
	return 0;
}

static int read_label(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct scrape_job *j = &scrape_config_draft(p)->job;
	int rc = w->n < 2 ? scrape_config_usage(w, "label NAME=VALUE", err) : 0;

	for (size_t i = 1; rc == 0 && i < w->n; i++)
		rc = scrape_config_is_label(w->word[i])
			     ? scrape_config_add_label(p->c->mem, &j->label, &j->n_labels, w->word[i], w, err)
			     : words_error(w, err, "label %s: expected NAME=VALUE", w->word[i]);
	return rc;
}

/* --- targets --- */

static int config_job_add_source(struct scrape_parser *p, struct scrape_source s, const struct words *w,
				 struct err *err)
{
	struct scrape_job *j;
	struct scrape_source *all;

	if (!p->job)
		return words_error(w, err, "%s: write a line \"job SERVICE\" before it", w->word[0]);
	if (p->n_sources++ >= SCRAPE_SOURCES_MAX)
		return words_error(w, err, "more than %d targets; write them to a file: targets file=PATH",
				   SCRAPE_SOURCES_MAX);
	j = &p->job->job;
	all = scrape_config_grow(p->c->mem, j->source, j->n_sources, sizeof(*all));
	s.address = config_job_copy(p, s.address);
	s.line = w->line;
	all[j->n_sources++] = s;
	j->source = all;
	return 0;
}

/* Read a line: target ADDRESS [NAME=VALUE]... ... */
static int config_job_read_target(struct scrape_parser *p, const struct words *w, struct err *err)
{
	int rc = w->n < 2 ? scrape_config_usage(w, "target ADDRESS [NAME=VALUE]...", err) : 0;

	for (size_t i = 1; rc == 0 && i < w->n;) {
		struct scrape_source s = { .type = SCRAPE_STATIC, .address = w->word[i] };
		struct url url;
		struct err reason;

		if (scrape_config_is_label(s.address))
			return words_error(w, err, "target: the label %s must follow a target", s.address);
		if (scrape_target_url(s.address, "", &url, &reason) < 0)
			return words_error(w, err, "target %s", reason.msg);
		url_release(&url);
		for (i++; rc == 0 && i < w->n && scrape_config_is_label(w->word[i]); i++)
			rc = scrape_config_add_label(p->c->mem, &s.label, &s.n_labels, w->word[i], w, err);
		if (rc == 0)
			rc = config_job_add_source(p, s, w, err);
	}
	return rc;
}

/* Read a line: targets kubernetes [WORD]... */
static int read_pods(struct scrape_parser *p, struct scrape_source *s, const struct words *w, struct err *err)
{
	int rc = scrape_pods_read_words(p->c->mem, w, s, err);

	if (rc == 0 && p->n_pods++ >= SCRAPE_PODS_SOURCES_MAX)
		rc = words_error(w, err, "more than %d lines targets kubernetes", SCRAPE_PODS_SOURCES_MAX);
	return rc < 0 ? rc : config_job_add_source(p, *s, w, err);
}

/* Read a line: targets file=PATH|dns=HOST:PORT|srv=NAME [NAME=VALUE]... */
static int read_targets(struct scrape_parser *p, const struct words *w, struct err *err)
{
	static const char usage[] = "targets file=PATH, targets dns=HOST:PORT, targets srv=NAME or targets kubernetes";
	struct scrape_source s = { .type = SCRAPE_FILE };
	struct url url;
	struct err reason;
	int rc = 0;

	while (w->n > 1 && s.type < N_SCRAPE_SOURCE_TYPES && !starts_with(w->word[1], scrape_source_kinds[s.type].word))
		s.type++;
	if (w->n > 1 && s.type == SCRAPE_PODS && strcmp(w->word[1], "kubernetes") == 0)
		return read_pods(p, &s, w, err);
	s.address = w->n > 1 ? strchr(w->word[1], '=') : NULL;
	if (!s.address || !*++s.address || s.type >= SCRAPE_PODS)
		return scrape_config_usage(w, usage, err);
	if (s.type == SCRAPE_DNS) {
		if (!scrape_target_has_port(s.address))
			return words_error(w, err, "targets dns=%s: missing port; write dns=HOST:PORT", s.address);
		if (scrape_target_url(s.address, "", &url, &reason) < 0)
			return words_error(w, err, "targets dns=%s", reason.msg);
		url_release(&url);
	}
	for (size_t i = 2; rc == 0 && i < w->n; i++)
		rc = scrape_config_is_label(w->word[i])
			     ? scrape_config_add_label(p->c->mem, &s.label, &s.n_labels, w->word[i], w, err)
			     : words_error(w, err, "targets: %s: expected NAME=VALUE", w->word[i]);
	return rc < 0 ? rc : config_job_add_source(p, s, w, err);
}

/* --- kinds --- */

static bool config_job_is_kind_name(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '-' || (n && s[n] == '.'))
		n++;
	return n && n <= 64 && !s[n];
}

static int config_job_check_kind(const struct words *w, const char *name, struct err *err)
{
	if (!config_job_is_kind_name(name))
		return words_error(w, err, "%.60s: not the name of a profile", name);
	if (strcmp(name, "profile") == 0)
		return words_error(w, err, "profile: the kind is called cpu");
	if (strcmp(name, "trace") == 0)
		return words_error(w, err, "trace: execution traces are not profiles");
	return 0;
}

static int read_kinds(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct job_draft *d = scrape_config_draft(p);

	if (w->n < 2 || w->n - 1 > SCRAPE_KINDS_MAX)
		return scrape_config_usage(w, "kinds KIND ..., at most 32", err);
	d->kind = arena_alloc(p->c->mem, w->n - 1, sizeof(*d->kind));
	d->n_kinds = 0;
	for (size_t i = 1; i < w->n; i++) {
		if (config_job_check_kind(w, w->word[i], err) < 0)
			return ERR_USAGE;
		for (size_t k = 0; k < d->n_kinds; k++)
			if (strcmp(d->kind[k], w->word[i]) == 0)
				return words_error(w, err, "kinds: %s is given twice", w->word[i]);
		d->kind[d->n_kinds++] = config_job_copy(p, w->word[i]);
	}
	for (size_t i = 0; i < d->n_settings; i++)
		d->setting[i].state = KIND_DEFAULT;
	return 0;
}

static struct kind_setting *get_setting(struct scrape_parser *p, const char *name)
{
	struct job_draft *d = scrape_config_draft(p);

	for (size_t i = 0; i < d->n_settings; i++)
		if (strcmp(d->setting[i].name, name) == 0)
			return &d->setting[i];
	d->setting = scrape_config_grow(p->c->mem, d->setting, d->n_settings, sizeof(*d->setting));
	d->setting[d->n_settings] = (struct kind_setting){ .name = config_job_copy(p, name) };
	return &d->setting[d->n_settings++];
}

/* Kinds that have a line of their own even if the keyword kinds does not list them. */
static const char *const known_kinds[] = { "cpu",    "heap",    "goroutine",    "mutex",         "block",
					   "allocs", "threads", "threadcreate", "goroutineleak", "fgprof" };

static bool is_capture(const char *kind)
{
	return strcmp(kind, "cpu") == 0 || strcmp(kind, "fgprof") == 0;
}

static bool config_job_is_snapshot(const char *kind)
{
	for (size_t i = 0; i < sizeof(known_kinds) / sizeof(known_kinds[0]); i++)
		if (strcmp(known_kinds[i], kind) == 0)
			return !is_capture(kind);
	return false;
}

static bool is_kind_line(const struct scrape_parser *p, const char *word)
{
	const struct job_draft *d = p->job ? p->job : &p->defaults;

	for (size_t i = 0; i < d->n_kinds; i++)
		if (strcmp(d->kind[i], word) == 0)
			return true;
	return is_capture(word) || config_job_is_snapshot(word);
}

/* Read a line: KIND [DURATION] [every=DURATION], KIND on, or KIND off. */
static int read_kind(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct kind_setting *s = get_setting(p, w->word[0]);
	int rc = 0;

	if (w->n == 2 && (strcmp(w->word[1], "off") == 0 || strcmp(w->word[1], "on") == 0)) {
		s->state = w->word[1][1] == 'n' ? KIND_ON : KIND_OFF;
		return 0;
	}
	if (w->n < 2 || w->n > 3)
		return words_error(w, err, "expected %s [DURATION] [every=DURATION], %s on or %s off", w->word[0],
				   w->word[0], w->word[0]);
	s->state = KIND_ON;
	for (size_t i = 1; rc == 0 && i < w->n; i++) {
		if (starts_with(w->word[i], "every="))
			rc = scrape_config_duration(w, w->word[i] + 6, NS_PER_S, EVERY_DAYS_MAX * NS_PER_DAY,
						    &s->every_ns, err);
		else if (config_job_is_snapshot(w->word[0]))
			rc = words_error(w, err,
					 "%s %s: %s is a snapshot and has no duration; its interval is every=%s",
					 w->word[0], w->word[i], w->word[0], w->word[i]);
		else
			rc = scrape_config_duration(w, w->word[i], NS_PER_S, NS_PER_DAY, &s->capture_ns, err);
	}
	return rc;
}

static int config_job_add_kind(struct scrape_parser *p, struct job_draft *d, const char *name, struct err *err)
{
	struct words at = { .file = p->c->file, .line = d->line };
	struct scrape_kind k = { .name = name, .path = strcmp(name, "cpu") == 0 ? "profile" : name };
	struct scrape_kind *all;
	struct kind_setting *s = NULL;
	size_t i;

	for (i = 0; i < d->n_settings; i++)
		if (strcmp(d->setting[i].name, name) == 0)
			s = &d->setting[i];
	if (s && s->state == KIND_OFF)
		return 0;
	k.every_ns = s && s->every_ns ? s->every_ns : d->every_ns;
	if (s && s->capture_ns)
		k.capture_ns = s->capture_ns;
	else if (is_capture(name))
		k.capture_ns = k.every_ns < 30 * NS_PER_S ? k.every_ns : 30 * NS_PER_S;
	if (k.capture_ns > k.every_ns)
		return words_error(&at, err, "%s%s%s: a duration of %lld s does not fit into the interval of %lld s",
				   d->job.name, *d->job.name ? ": " : "", name, (long long)(k.capture_ns / NS_PER_S),
				   (long long)(k.every_ns / NS_PER_S));
	if (d->job.n_kinds == SCRAPE_KINDS_MAX)
		return words_error(&at, err, "more than %d kinds", SCRAPE_KINDS_MAX);
	all = scrape_config_grow(p->c->mem, d->job.kind, d->job.n_kinds, sizeof(*all));
	for (i = d->job.n_kinds; k.capture_ns && i > 0 && !all[i - 1].capture_ns; i--)
		all[i] = all[i - 1];
	all[i] = k;
	d->job.kind = all;
	d->job.n_kinds++;
	return 0;
}

int scrape_config_finish_kinds(struct scrape_parser *p, struct job_draft *d, struct err *err)
{
	struct words at = { .file = p->c->file, .line = d->line };
	double busy = 0;
	int rc = 0;

	d->job.kind = NULL;
	d->job.n_kinds = 0;
	for (size_t i = 0; rc == 0 && i < d->n_kinds; i++)
		rc = config_job_add_kind(p, d, d->kind[i], err);
	for (size_t i = 0; rc == 0 && i < d->n_settings; i++) {
		bool is_listed = d->setting[i].state != KIND_ON;

		for (size_t k = 0; k < d->n_kinds; k++)
			is_listed |= strcmp(d->kind[k], d->setting[i].name) == 0;
		if (!is_listed)
			rc = config_job_add_kind(p, d, d->setting[i].name, err);
	}
	for (size_t i = 0; i < d->job.n_kinds; i++)
		busy += (double)d->job.kind[i].capture_ns / (double)d->job.kind[i].every_ns;
	if (rc == 0 && busy > 1)
		rc = words_error(&at, err,
				 "%s%sthe durations of all kinds take more than the whole time, one after the other",
				 d->job.name, *d->job.name ? ": " : "");
	if (rc == 0 && d->job.n_kinds == 0)
		rc = words_error(&at, err, "%s%sall kinds are off", d->job.name, *d->job.name ? ": " : "");
	return rc;
}

/* --- other settings of a job --- */

static int read_every(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n != 2)
		return scrape_config_usage(w, "every DURATION", err);
	return scrape_config_duration(w, w->word[1], NS_PER_S, EVERY_DAYS_MAX * NS_PER_DAY,
				      &scrape_config_draft(p)->every_ns, err);
}

static int read_timeout(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n != 2)
		return scrape_config_usage(w, "timeout DURATION", err);
	return scrape_config_duration(w, w->word[1], NS_PER_S, NS_PER_DAY, &scrape_config_draft(p)->job.timeout_ns,
				      err);
}

static int read_folder(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n != 2 || w->word[1][0] != '/' || strpbrk(w->word[1], "?#"))
		return scrape_config_usage(w, "folder PATH, as in: folder /debug/pprof", err);
	scrape_config_draft(p)->job.folder = config_job_copy(p, w->word[1]);
	return 0;
}

static int read_honor_labels(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n != 2 || (strcmp(w->word[1], "yes") != 0 && strcmp(w->word[1], "no") != 0))
		return scrape_config_usage(w, "honor-labels yes or honor-labels no", err);
	scrape_config_draft(p)->job.honors_labels = w->word[1][0] == 'y';
	return 0;
}

static bool has_version(const struct scrape_job *j, enum scrape_version_source source)
{
	for (size_t i = 0; i < j->n_versions; i++)
		if (j->version[i] == source)
			return true;
	return false;
}

/* Insert the URL before the build id, which every profile has. */
static void insert_version_url(struct scrape_job *j)
{
	size_t i = j->n_versions;

	if (has_version(j, SCRAPE_VERSION_URL))
		return;
	for (; i > 0 && j->version[i - 1] == SCRAPE_VERSION_BUILD_ID; i--)
		j->version[i] = j->version[i - 1];
	j->version[i] = SCRAPE_VERSION_URL;
	j->n_versions++;
}

/* Read a line: version [label] [comment] [buildid] [url=PATH [field=MEMBER]] */
static int config_job_read_version(struct scrape_parser *p, const struct words *w, struct err *err)
{
	static const char *const names[] = { [SCRAPE_VERSION_LABEL] = "label",
					     [SCRAPE_VERSION_COMMENT] = "comment",
					     [SCRAPE_VERSION_BUILD_ID] = "buildid" };
	struct scrape_job *j = &scrape_config_draft(p)->job;
	bool is_replaced = false;

	if (w->n < 2)
		return scrape_config_usage(w, "version [label] [comment] [buildid] [url=PATH [field=MEMBER]]", err);
	for (size_t i = 1; i < w->n; i++) {
		size_t source = 0;

		if (starts_with(w->word[i], "url=/")) {
			j->version_url = config_job_copy(p, w->word[i] + 4);
			insert_version_url(j);
			continue;
		}
		if (starts_with(w->word[i], "field=") && w->word[i][6]) {
			j->version_field = config_job_copy(p, w->word[i] + 6);
			continue;
		}
		while (source < N_SCRAPE_VERSION_SOURCES && (!names[source] || strcmp(w->word[i], names[source]) != 0))
			source++;
		if (source == N_SCRAPE_VERSION_SOURCES)
			return words_error(w, err,
					   "version %s: expected label, comment, buildid, url=/PATH or field=MEMBER",
					   w->word[i]);
		if (!is_replaced && !(i > 1 && starts_with(w->word[i - 1], "url=")))
			j->n_versions = 0;
		is_replaced = true;
		if (has_version(j, (enum scrape_version_source)source))
			return words_error(w, err, "version: %s is given twice", w->word[i]);
		j->version[j->n_versions++] = (enum scrape_version_source)source;
	}
	if (*j->version_field && !*j->version_url)
		return words_error(w, err, "version: field=%s needs url=/PATH", j->version_field);
	if (*j->version_url && !has_version(j, SCRAPE_VERSION_URL))
		insert_version_url(j);
	return 0;
}

/* Keywords whose value is the path of a file. */
static const struct {
	const char *name;
	size_t at;
} files[] = {
	{ "header", offsetof(struct scrape_job, header_file) },
	{ "header-file", offsetof(struct scrape_job, header_file) },
	{ "bearer", offsetof(struct scrape_job, bearer_file) },
	{ "bearer-file", offsetof(struct scrape_job, bearer_file) },
	{ "tls-ca", offsetof(struct scrape_job, tls_ca) },
	{ "tls-cert", offsetof(struct scrape_job, tls_cert) },
	{ "tls-key", offsetof(struct scrape_job, tls_key) },
};

static int read_file_name(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct scrape_job *j = &scrape_config_draft(p)->job;

	if (strcmp(w->word[0], "netrc") == 0 && w->n <= 2) {
		j->netrc = w->n == 2 ? config_job_copy(p, w->word[1]) : "true";
		return 0;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(files[i].name, w->word[0]) != 0)
			continue;
		if (w->n != 2 || !*w->word[1])
			break;
		*(const char **)((char *)j + files[i].at) = config_job_copy(p, w->word[1]);
		return 0;
	}
	return words_error(w, err, "expected %s FILE", w->word[0]);
}

typedef int line_fn(struct scrape_parser *p, const struct words *w, struct err *err);

static const struct {
	const char *name;
	line_fn *read;
} keywords[] = {
	{ "label", read_label },
	{ "target", config_job_read_target },
	{ "targets", read_targets },
	{ "kinds", read_kinds },
	{ "every", read_every },
	{ "timeout", read_timeout },
	{ "folder", read_folder },
	{ "honor-labels", read_honor_labels },
	{ "version", config_job_read_version },
	{ "header", read_file_name },
	{ "header-file", read_file_name },
	{ "bearer", read_file_name },
	{ "bearer-file", read_file_name },
	{ "tls-ca", read_file_name },
	{ "tls-cert", read_file_name },
	{ "tls-key", read_file_name },
	{ "netrc", read_file_name },
};

int scrape_config_job_line(struct scrape_parser *p, const struct words *w, struct err *err)
{
	assert(w->n > 0);
	if (w->n > WORDS_MAX)
		return words_error(w, err, "more than %d words in a line", WORDS_MAX);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (strcmp(keywords[i].name, w->word[0]) == 0)
			return keywords[i].read(p, w, err);
	return is_kind_line(p, w->word[0]) ? read_kind(p, w, err) : ERR_UNKNOWN;
}
