/*
 * pods_words.c - the words of the line "targets kubernetes" of collect.cpa
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/pods.h"

#include "base/str.h"
#include "fetch/url.h"
#include "scrape/config_int.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PORT_DEFAULT = 6060, PORT_MAX = 65535, NAMESPACE_BYTES_MAX = 63, LABELS_MAX = 32 };

struct pods_words {
	struct arena *mem;
	const struct words *w;
	struct scrape_pods_options *o;
};

/* Words whose value is a text. */
static const struct {
	const char *name;
	size_t at;
} pods_texts[] = {
	{ "server=", offsetof(struct scrape_pods_options, server) },
	{ "token-file=", offsetof(struct scrape_pods_options, token_file) },
	{ "ca=", offsetof(struct scrape_pods_options, ca) },
	{ "cert=", offsetof(struct scrape_pods_options, cert) },
	{ "key=", offsetof(struct scrape_pods_options, key) },
	{ "namespace=", offsetof(struct scrape_pods_options, namespace) },
	{ "selector=", offsetof(struct scrape_pods_options, selector) },
};

static const struct {
	const char *name;
	unsigned bit;
} pods_annotations[] = {
	{ "cpa.dev/scrape", SCRAPE_PODS_CPA },
	{ "dapr.io/enable-profiling", SCRAPE_PODS_DAPR },
	{ "profiles.grafana.com/*", SCRAPE_PODS_PYROSCOPE },
	{ "none", SCRAPE_PODS_ALL },
};

/* Read "yes" or "no". Returns false if it is neither. */
static bool pods_read_yes(const char *value, bool *out)
{
	*out = strcmp(value, "yes") == 0;
	return *out || strcmp(value, "no") == 0;
}

static int pods_read_annotation(const struct pods_words *p, const char *value, struct err *err)
{
	for (size_t i = 0; i < sizeof(pods_annotations) / sizeof(pods_annotations[0]); i++)
		if (strcmp(pods_annotations[i].name, value) == 0) {
			p->o->annotations |= pods_annotations[i].bit;
			return 0;
		}
	return words_error(p->w, err,
			   "targets kubernetes: annotation=%s: expected cpa.dev/scrape, dapr.io/enable-profiling, "
			   "profiles.grafana.com/* or none",
			   value);
}

/* Read "NAME" or "NAME:LABEL". Without LABEL it is the part of NAME after the last slash. */
static int pods_read_label(const struct pods_words *p, const char *value, struct err *err)
{
	struct scrape_pods_options *o = p->o;
	const char *colon = strrchr(value, ':'), *slash = strrchr(value, '/');
	const char *to = colon ? colon + 1 : slash ? slash + 1 : value;
	const char *word = arena_printf(p->mem, "%s=x", to);
	const struct store_label *label = NULL;
	size_t n = 0;

	if (o->n_labels == LABELS_MAX)
		return words_error(p->w, err, "targets kubernetes: more than %d pod-label words", LABELS_MAX);
	if (!scrape_config_is_label(word) || strchr(word, '=') != word + strlen(to))
		return words_error(p->w, err, "targets kubernetes: pod-label=%s: expected NAME or NAME:LABEL", value);
	if (scrape_config_add_label(p->mem, &label, &n, word, p->w, err) < 0) /* service, kind, too long */
		return ERR_USAGE;
	o->label = scrape_config_grow(p->mem, o->label, o->n_labels, sizeof(*o->label));
	o->label[o->n_labels++] = (struct scrape_pods_label){
		arena_strndup(p->mem, value, colon ? (size_t)(colon - value) : strlen(value)), label->name
	};
	return 0;
}

static int pods_read_number(const struct pods_words *p, const char *value, struct err *err)
{
	size_t n = strspn(value, "0123456789");
	unsigned long port = n && n < 6 && !value[n] ? strtoul(value, NULL, 10) : 0;

	if (port < 1 || port > PORT_MAX)
		return words_error(p->w, err, "targets kubernetes: port=%s: not a port", value);
	p->o->port = (uint32_t)port;
	return 0;
}

/* Read a word. *is_label is set if it is a label of the targets instead. */
static int pods_read_word(const struct pods_words *p, const char *word, bool *is_label, struct err *err)
{
	const char *equals = strchr(word, '='), *value = equals ? equals + 1 : "";

	*is_label = false;
	for (size_t i = 0; i < sizeof(pods_texts) / sizeof(pods_texts[0]); i++) {
		if (!starts_with(word, pods_texts[i].name))
			continue;
		*(const char **)((char *)p->o + pods_texts[i].at) = arena_strndup(p->mem, value, strlen(value));
		return *value ? 0 : words_error(p->w, err, "targets kubernetes: %s needs a value", word);
	}
	if (starts_with(word, "annotation="))
		return pods_read_annotation(p, value, err);
	if (starts_with(word, "pod-label="))
		return pods_read_label(p, value, err);
	if (starts_with(word, "port="))
		return pods_read_number(p, value, err);
	if (starts_with(word, "ready=") && pods_read_yes(value, &p->o->is_ready))
		return 0;
	if (starts_with(word, "service=") && (strcmp(value, "job") == 0 || strcmp(value, "pod") == 0)) {
		p->o->is_job = *value == 'j';
		return 0;
	}
	*is_label = scrape_config_is_label(word) && !starts_with(word, "ready=") && !starts_with(word, "service=");
	return *is_label ? 0
			 : words_error(p->w, err, "targets kubernetes: %.60s: see collect.cpa(5) for its words", word);
}

static bool pods_is_namespace(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return !text[n] && n <= NAMESPACE_BYTES_MAX;
}

/* Check what words say together. */
static int pods_check_words(const struct pods_words *p, struct err *err)
{
	const struct scrape_pods_options *o = p->o;
	struct url url;
	struct err reason;
	bool is_plain;

	if (!pods_is_namespace(o->namespace))
		return words_error(p->w, err, "targets kubernetes: namespace=%s: not the name of a namespace",
				   o->namespace);
	if (!*o->cert != !*o->key)
		return words_error(p->w, err, "targets kubernetes: cert=FILE and key=FILE belong together");
	if (o->annotations & SCRAPE_PODS_ALL && !*o->selector && !*o->namespace)
		return words_error(p->w, err, "targets kubernetes: annotation=none needs namespace= or selector=");
	if (!*o->server)
		return 0;
	if (!starts_with(o->server, "https://") && !starts_with(o->server, "http://"))
		return words_error(p->w, err, "targets kubernetes: server=%s: expected https://HOST[:PORT]", o->server);
	if (strpbrk(o->server, "?#@") || url_parse(o->server, 0, &url, &reason) < 0)
		return words_error(p->w, err, "targets kubernetes: server=%s: not the URL of a server", o->server);
	is_plain = strcmp(url.scheme, "http") == 0 && !url_is_local(&url);
	url_release(&url);
	if (is_plain && *o->token_file)
		return words_error(p->w, err,
				   "targets kubernetes: the token would be sent without encryption; use https://");
	return 0;
}

int scrape_pods_read_words(struct arena *mem, const struct words *w, struct scrape_source *out, struct err *err)
{
	struct scrape_pods_options *o = arena_zalloc(mem, 1, sizeof(*o));
	const struct pods_words p = { .mem = mem, .w = w, .o = o };
	struct buf all = { 0 };
	int rc = 0;

	*o = (struct scrape_pods_options){ .server = "",
					   .token_file = "",
					   .ca = "",
					   .cert = "",
					   .key = "",
					   .namespace = "",
					   .selector = "",
					   .port = PORT_DEFAULT };
	for (size_t i = 2; rc == 0 && i < w->n; i++) {
		bool is_label;

		rc = pods_read_word(&p, w->word[i], &is_label, err);
		if (rc == 0 && is_label)
			rc = scrape_config_add_label(mem, &out->label, &out->n_labels, w->word[i], w, err);
	}
	rc = rc < 0 ? rc : pods_check_words(&p, err);
	if (!o->annotations)
		o->annotations = SCRAPE_PODS_CPA;
	for (size_t i = 1; i < w->n; i++)
		buf_addf(&all, "%s%s", i > 1 ? " " : "", w->word[i]);
	out->address = arena_move(mem, &all);
	out->pods = o;
	return rc;
}
