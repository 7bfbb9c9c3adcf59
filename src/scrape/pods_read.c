/*
 * pods_read.c - the targets of a pod: its state, its annotations, its labels
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rules of Dapr are those of its injector (pkg/injector/patcher/sidecar.go of Dapr 1.15: nothing sets another port than
 * 7777), those of Pyroscope are in its Helm chart (templates/configmap-alloy.yaml of chart 1.14). Any user of the cluster with
 * the permission to create pods writes their names and annotations, so each value is checked.
 */
#include "config.h"

#include "scrape/pods_int.h"

#include "base/str.h"
#include "scrape/config_int.h"
#include "scrape/find_int.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DAPR_PORT = 7777, PORT_MAX = 65535, NAME_MAX_BYTES = 255, PATH_BYTES_MAX = 1024, KIND_BYTES_MAX = 64 };

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* A pod that is read. */
struct pods_reader {
	const struct jansson *lib;
	const struct scrape_source *source;
	const struct scrape_pods_options *o;
	const json_t *meta, *spec, *status, *annotations, *labels;
	const char *ip;
	struct arena *mem;
	struct scrape_list *out;
	struct buf *note;
	size_t first; /* index of the first target of the pod */
};

/* A target of the pod, without the address. */
struct pods_endpoint {
	const char *scheme, *path, *service, *kinds; /* "" if not set */
	uint32_t port;
};

static void pods_add_note(const struct pods_reader *r, const char *name, const char *value, const char *problem)
{
	buf_addf(r->note, "%s%s", r->note->len ? "; " : "", name);
	if (*value)
		buf_addf(r->note, " %.100s", value);
	buf_addf(r->note, ": %s", problem);
}

/* An annotation; "" if there is none. One that cannot be used is noted. */
static const char *pods_annotation(const struct pods_reader *r, const char *name)
{
	const json_t *value = scrape_pods_member(r->lib, r->annotations, name);
	const char *text = scrape_pods_text(r->lib, value);

	if (value && !text)
		pods_add_note(r, name, "", "has control characters");
	return text ? text : "";
}

static const char *pods_annotation_of(const struct pods_reader *r, const char *prefix, const char *name)
{
	return pods_annotation(r, arena_printf(r->mem, "%s%s", prefix, name));
}

static const char *pods_label(const struct pods_reader *r, const char *name)
{
	const char *text = scrape_pods_text(r->lib, scrape_pods_member(r->lib, r->labels, name));

	return text ? text : "";
}

static const char *pods_value(const struct pods_reader *r, const json_t *of, const char *name)
{
	const char *text = scrape_pods_text(r->lib, scrape_pods_member(r->lib, of, name));

	return text ? text : "";
}

/* ---- containers ---- */

/* Is it the port with this number, or with this name? */
static bool pods_is_port(const struct pods_reader *r, const json_t *port, uint32_t number, const char *name)
{
	const json_t *value = scrape_pods_member(r->lib, port, "containerPort");

	return name ? strcmp(pods_value(r, port, "name"), name) == 0
		    : json_is_real(value) && r->lib->real_value(value) == (double)number;
}

/*
 * Search the containers of the pod, sidecars that are init containers too, for a port.
 *
 * name       of the port; NULL: search for number
 * container  set to the name of the container; may be NULL
 * Returns    the number of the port; 0 if no container names it
 */
static uint32_t pods_find_port(const struct pods_reader *r, uint32_t number, const char *name, const char **container)
{
	static const char *const lists[] = { "containers", "initContainers" };

	for (int l = 0; l < 2; l++) {
		const json_t *all = scrape_pods_member(r->lib, r->spec, lists[l]);

		for (size_t i = 0; json_is_array(all) && i < r->lib->array_size(all); i++) {
			const json_t *one = r->lib->array_get(all, i),
				     *ports = scrape_pods_member(r->lib, one, "ports");

			for (size_t k = 0; json_is_array(ports) && k < r->lib->array_size(ports); k++) {
				const json_t *port = r->lib->array_get(ports, k),
					     *value = scrape_pods_member(r->lib, port, "containerPort");
				double found = json_is_real(value) ? r->lib->real_value(value) : 0;

				if (!pods_is_port(r, port, number, name) || !(found >= 1 && found <= PORT_MAX))
					continue;
				if (container)
					*container = pods_value(r, one, "name");
				return (uint32_t)found;
			}
		}
	}
	return 0;
}

/* The container that has a port; else the only one of the pod, or one of this name; "" if it is unknown. */
static const char *pods_container(const struct pods_reader *r, uint32_t port, const char *name)
{
	const json_t *all = scrape_pods_member(r->lib, r->spec, "containers");
	size_t n = json_is_array(all) ? r->lib->array_size(all) : 0;
	const char *container = "";

	if (*name)
		return name;
	if (!pods_find_port(r, port, NULL, &container) && n == 1)
		container = pods_value(r, r->lib->array_get(all, 0), "name");
	return container;
}

/* The number of the only port of the only container that has ports; 0 if there are more, or none. */
static uint32_t pods_only_port(const struct pods_reader *r)
{
	const json_t *all = scrape_pods_member(r->lib, r->spec, "containers"), *port = NULL;
	size_t n = 0;

	for (size_t i = 0; json_is_array(all) && i < r->lib->array_size(all); i++) {
		const json_t *ports = scrape_pods_member(r->lib, r->lib->array_get(all, i), "ports");

		n += json_is_array(ports) ? r->lib->array_size(ports) : 0;
		port = json_is_array(ports) && r->lib->array_size(ports) ? r->lib->array_get(ports, 0) : port;
	}
	port = n == 1 ? scrape_pods_member(r->lib, port, "containerPort") : NULL;
	return json_is_real(port) && r->lib->real_value(port) >= 1 && r->lib->real_value(port) <= PORT_MAX
		       ? (uint32_t)r->lib->real_value(port)
		       : 0;
}

/* Read the number of a port, or the name of a port of a container. Returns 0, with a note, if it is neither. */
static uint32_t pods_read_port(const struct pods_reader *r, const char *annotation, const char *text)
{
	size_t n = strspn(text, DIGITS);
	unsigned long number = n && n < 6 && !text[n] ? strtoul(text, NULL, 10) : 0;
	uint32_t port = number >= 1 && number <= PORT_MAX ? (uint32_t)number : 0;

	if (!port && text[n])
		port = pods_find_port(r, 0, text, NULL);
	if (!port)
		pods_add_note(r, annotation, text, "is neither a port nor the name of a port of a container");
	return port;
}

/* ---- names ---- */

/* Is it a text of these characters, not longer than max? */
static bool pods_is_of(const char *text, const char *allowed, size_t max)
{
	size_t n = strspn(text, allowed);

	return n && n <= max && !text[n];
}

/* The name of the workload that made the pod: of a Deployment, not of its ReplicaSet; of a CronJob, not of its Job. */
static const char *pods_owner(const struct pods_reader *r)
{
	const json_t *owners = scrape_pods_member(r->lib, r->meta, "ownerReferences");
	const json_t *owner = json_is_array(owners) ? r->lib->array_get(owners, 0) : NULL;
	const char *name = pods_value(r, owner, "name"), *kind = pods_value(r, owner, "kind");
	const char *hash = pods_label(r, "pod-template-hash"), *dash = strrchr(name, '-');
	enum { MINUTES_DIGITS = 8 }; /* of the time in the name of a Job: minutes since 1970 */

	if (!*name)
		return pods_value(r, r->meta, "name");
	if (!dash || dash == name)
		return name;
	if ((strcmp(kind, "ReplicaSet") == 0 && *hash && strcmp(dash + 1, hash) == 0) ||
	    (strcmp(kind, "Job") == 0 && strlen(dash + 1) >= MINUTES_DIGITS &&
	     pods_is_of(dash + 1, DIGITS, NAME_MAX_BYTES)))
		return arena_strndup(r->mem, name, (size_t)(dash - name));
	return name;
}

/* The service of a pod: of an annotation, else of its labels, else the name of its owner. */
static const char *pods_service(const struct pods_reader *r, const char *annotation)
{
	const char *names[] = { pods_annotation(r, annotation), pods_label(r, "app.kubernetes.io/name"),
				pods_label(r, "app"), pods_owner(r) };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!*names[i])
			continue;
		if (pods_is_of(names[i], LETTERS DIGITS "._-/:@", NAME_MAX_BYTES))
			return names[i];
		if (i == 0)
			pods_add_note(r, annotation, names[i], "is not a name of letters, digits and . _ - / : @");
	}
	return "unknown";
}

/* ---- targets ---- */

/* Add a label to a target, unless the line has a label of this name. Values that no store takes are left out, with a note. */
static void pods_add_label(const struct pods_reader *r, struct scrape_found *f, const char *name, const char *value)
{
	const struct words w = { .file = "" };
	char word[600];
	struct err err;

	if (!*value)
		return;
	for (size_t i = 0; i < r->source->n_labels; i++)
		if (strcmp(r->source->label[i].name, name) == 0)
			return;
	snprintf(word, sizeof(word), "%s=%.400s", name, value);
	if (scrape_config_add_label(r->mem, &f->label, &f->n_labels, word, &w, &err) < 0)
		pods_add_note(r, name, value, "is longer than a label may be");
}

static void pods_add_target(const struct pods_reader *r, const struct pods_endpoint *e, const char *container)
{
	struct scrape_found f = { .label = r->source->label, .n_labels = r->source->n_labels, .kinds = e->kinds };
	bool is_v6 = strchr(r->ip, ':') != NULL, is_plain = !*e->scheme && !*e->path;

	f.service = r->o->is_job ? "" : e->service;
	f.address = arena_printf(r->mem, is_v6 ? "%s%s[%s]:%u%s" : "%s%s%s:%u%s",
				 is_plain     ? ""
				 : *e->scheme ? e->scheme
					      : "http",
				 is_plain ? "" : "://", r->ip, e->port, e->path);
	pods_add_label(r, &f, "namespace", pods_value(r, r->meta, "namespace"));
	pods_add_label(r, &f, "pod", pods_value(r, r->meta, "name"));
	pods_add_label(r, &f, "node", pods_value(r, r->spec, "nodeName"));
	pods_add_label(r, &f, "container", pods_container(r, e->port, container));
	for (size_t i = 0; i < r->o->n_labels; i++)
		pods_add_label(r, &f, r->o->label[i].to, pods_label(r, r->o->label[i].from));
	scrape_list_add(r->out, &f);
}

/* Check scheme and path of an endpoint. Returns false, with a note, if they cannot be used. */
static bool pods_check_url(const struct pods_reader *r, const char *prefix, const struct pods_endpoint *e)
{
	char name[100];

	if (*e->scheme && strcmp(e->scheme, "http") != 0 && strcmp(e->scheme, "https") != 0) {
		snprintf(name, sizeof(name), "%sscheme", prefix);
		pods_add_note(r, name, e->scheme, "is neither http nor https");
		return false;
	}
	if (*e->path && (*e->path != '/' || !pods_is_of(e->path, LETTERS DIGITS "/-._~%:+,=", PATH_BYTES_MAX))) {
		snprintf(name, sizeof(name), "%spath", prefix);
		pods_add_note(r, name, e->path, "is not a path");
		return false;
	}
	return true;
}

/* The annotation cpa.dev/kinds as names separated by commas. Returns NULL, with a note, if it is none. */
static const char *pods_kinds(const struct pods_reader *r)
{
	static const char name[] = "cpa.dev/kinds", blanks[] = ", ";
	const char *text = pods_annotation(r, name);
	struct buf all = { 0 };

	for (const char *at = text + strspn(text, blanks); *at; at += strspn(at, blanks)) {
		size_t n = strcspn(at, blanks);
		const char *kind = arena_strndup(r->mem, at, n);

		if (!pods_is_of(kind, LETTERS DIGITS "_-.", KIND_BYTES_MAX)) {
			pods_add_note(r, name, text, "is not a list of kinds like cpu,heap");
			buf_release(&all);
			return NULL;
		}
		buf_addf(&all, "%s%s", all.len ? "," : "", kind);
		at += n;
	}
	return arena_move(r->mem, &all);
}

/* Annotations of cpa: cpa.dev/scrape, port, path, scheme, service, kinds. Returns true if the pod has them. */
static bool pods_read_cpa(const struct pods_reader *r)
{
	static const char prefix[] = "cpa.dev/";
	const char *scrape = pods_annotation_of(r, prefix, "scrape"), *port;
	struct pods_endpoint e = { .port = r->o->port };

	if (strcmp(scrape, "true") != 0 && (!(r->o->annotations & SCRAPE_PODS_ALL) || strcmp(scrape, "false") == 0))
		return false;
	port = pods_annotation_of(r, prefix, "port");
	e.scheme = pods_annotation_of(r, prefix, "scheme");
	e.path = pods_annotation_of(r, prefix, "path");
	e.service = pods_service(r, "cpa.dev/service");
	e.kinds = pods_kinds(r);
	if (*port)
		e.port = pods_read_port(r, "cpa.dev/port", port);
	else if (pods_find_port(r, 0, "pprof", NULL))
		e.port = pods_find_port(r, 0, "pprof", NULL);
	if (e.port && e.kinds && pods_check_url(r, prefix, &e))
		pods_add_target(r, &e, "");
	return true;
}

/* Like IsTruthy of Dapr's kit: the injector reads its annotations so. */
static bool pods_is_truthy(const char *text)
{
	static const char *const words[] = { "y", "yes", "true", "t", "on", "1" };
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	n = strcspn(text, " \t");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == n && strncasecmp(text, words[i], n) == 0)
			return true;
	return false;
}

/* Annotations of Dapr: the sidecar daprd. */
static void pods_read_dapr(const struct pods_reader *r)
{
	const struct pods_endpoint e = { .scheme = "", .path = "", .service = "daprd", .kinds = "", .port = DAPR_PORT };

	if (pods_is_truthy(pods_annotation(r, "dapr.io/enabled")) &&
	    pods_is_truthy(pods_annotation(r, "dapr.io/enable-profiling")))
		pods_add_target(r, &e, "daprd");
}

/* Remove the name of the profile from the end of a path. Returns false, with a note, if it ends in another one. */
static bool pods_cut_path(const struct pods_reader *r, const char *prefix, const char *const *name,
			  struct pods_endpoint *e)
{
	const char *slash = strrchr(e->path, '/');
	char annotation[100];

	if (!*e->path)
		return true;
	for (int i = 0; slash && slash > e->path && i < 2 && name[i]; i++) {
		if (strcmp(slash + 1, name[i]) != 0)
			continue;
		e->path = arena_strndup(r->mem, e->path, (size_t)(slash - e->path));
		return true;
	}
	snprintf(annotation, sizeof(annotation), "%spath", prefix);
	pods_add_note(r, annotation, e->path, "does not end in the name of the profile");
	return false;
}

/* The port of an endpoint of Pyroscope. */
static uint32_t pods_pyroscope_port(const struct pods_reader *r, const char *prefix)
{
	const char *port = pods_annotation_of(r, prefix, "port"), *name = pods_annotation_of(r, prefix, "port_name");
	uint32_t only = pods_only_port(r);

	if (*name)
		return pods_read_port(r, arena_printf(r->mem, "%sport_name", prefix), name);
	if (*port)
		return pods_read_port(r, arena_printf(r->mem, "%sport", prefix), port);
	return only ? only : r->o->port;
}

/* Add a kind to the target of the pod with this address, or a new target. */
static void pods_add_kind(const struct pods_reader *r, struct pods_endpoint *e, const char *kind)
{
	size_t last = r->out->n;

	e->kinds = kind;
	pods_add_target(r, e, "");
	for (size_t i = r->first; i < last; i++) {
		struct scrape_found *f = &r->out->found[i];

		if (strcmp(f->address, r->out->found[last].address) != 0 || !*f->kinds)
			continue;
		f->kinds = arena_printf(r->out->mem, "%s,%s", f->kinds, kind);
		r->out->n = last;
		return;
	}
}

/* Annotations of Pyroscope: for each kind whether it is scraped, port or port_name, scheme, path. */
static void pods_read_pyroscope(const struct pods_reader *r)
{
	static const struct {
		const char *name, *kind, *path[2];
	} kinds[] = {
		{ "cpu", "cpu", { "profile" } },
		{ "memory", "heap", { "heap", "allocs" } },
		{ "goroutine", "goroutine", { "goroutine" } },
		{ "mutex", "mutex", { "mutex" } },
		{ "block", "block", { "block" } },
		{ "fgprof", "fgprof", { "fgprof" } },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *prefix = arena_printf(r->mem, "profiles.grafana.com/%s.", kinds[i].name);
		struct pods_endpoint e = { 0 };

		if (strcmp(pods_annotation_of(r, prefix, "scrape"), "true") != 0)
			continue;
		e.port = pods_pyroscope_port(r, prefix);
		e.scheme = pods_annotation_of(r, prefix, "scheme");
		e.path = pods_annotation_of(r, prefix, "path");
		e.service = pods_service(r, "pyroscope.io/service_name");
		if (e.port && pods_check_url(r, prefix, &e) && pods_cut_path(r, prefix, kinds[i].path, &e))
			pods_add_kind(r, &e, kinds[i].kind);
	}
}

/* ---- the pod ---- */

static bool pods_is_ready(const struct pods_reader *r)
{
	const json_t *all = scrape_pods_member(r->lib, r->status, "conditions");

	for (size_t i = 0; json_is_array(all) && i < r->lib->array_size(all); i++)
		if (strcmp(pods_value(r, r->lib->array_get(all, i), "type"), "Ready") == 0)
			return strcmp(pods_value(r, r->lib->array_get(all, i), "status"), "True") == 0;
	return false;
}

/* Is the pod running, and not being deleted? */
static bool pods_is_running(const struct pods_reader *r)
{
	unsigned char address[sizeof(struct in6_addr)];

	return strcmp(pods_value(r, r->status, "phase"), "Running") == 0 &&
	       !scrape_pods_member(r->lib, r->meta, "deletionTimestamp") &&
	       inet_pton(strchr(r->ip, ':') ? AF_INET6 : AF_INET, r->ip, address) == 1 &&
	       (!r->o->is_ready || pods_is_ready(r));
}

void scrape_pods_read_pod(const struct jansson *lib, const json_t *pod, const struct scrape_source *source,
			  struct scrape_list *out, struct buf *note)
{
	const json_t *meta = scrape_pods_member(lib, pod, "metadata"), *status = scrape_pods_member(lib, pod, "status");
	struct pods_reader r = { .lib = lib,
				 .source = source,
				 .o = source->pods,
				 .meta = meta,
				 .spec = scrape_pods_member(lib, pod, "spec"),
				 .status = status,
				 .annotations = scrape_pods_member(lib, meta, "annotations"),
				 .labels = scrape_pods_member(lib, meta, "labels"),
				 .out = out,
				 .note = note,
				 .first = out->n };

	r.ip = pods_value(&r, status, "podIP");
	if (!pods_is_running(&r))
		return;
	r.mem = arena_new();
	/* of a pod with annotations of both, those of cpa are used: two profilers of one program disturb each other */
	if (!((r.o->annotations & (SCRAPE_PODS_CPA | SCRAPE_PODS_ALL)) && pods_read_cpa(&r)) &&
	    (r.o->annotations & SCRAPE_PODS_PYROSCOPE))
		pods_read_pyroscope(&r);
	if (r.o->annotations & SCRAPE_PODS_DAPR)
		pods_read_dapr(&r);
	arena_free(r.mem);
}
