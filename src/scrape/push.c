/*
 * push.c - profiles that agents send
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread of the connection reads the profiles, passes them to the writer, and responds when all are durable.
 */
#include "config.h"

#include "scrape/collector_int.h"

#include "base/cond.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/str.h"
#include "base/time.h"
#include "formats/push/names.h"
#include "formats/push/push.h"
#include "scrape/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
	BAD = 400,
	FORBIDDEN = 403,
	TIMEOUT = 408,
	TOO_LARGE = 413,
	MEDIA = 415,
	UNPROCESSABLE = 422,
	TOO_MANY = 429,
	ERROR = 500,
	NOT_IMPLEMENTED = 501,
	UNAVAILABLE = 503,
	NO_ROOM = 507,
	PEER_RUNNING = 16, /* requests at once of a client address */
	DECODING_WAIT_S = 30,
};

#define UNSURE "block and mutex profiles have equal sample types: send kind=block or kind=mutex"

enum protocol { PUSH_PLAIN, PUSH_INGEST, PUSH_CONNECT, PUSH_OTLP };

static const struct {
	const char *path;
	enum protocol protocol;
	unsigned bit; /* of scrape_config.push; 0: none */
	int status;   /* of success */
} paths[] = {
	{ "/v1/profiles", PUSH_PLAIN, SCRAPE_PUSH_PPROF, 204 },
	{ "/ingest", PUSH_INGEST, SCRAPE_PUSH_INGEST, 200 },
	{ "/pyroscope/ingest", PUSH_INGEST, SCRAPE_PUSH_INGEST, 200 },
	{ "/push.v1.PusherService/Push", PUSH_CONNECT, SCRAPE_PUSH_CONNECT, 200 },
	{ "/v1development/profiles", PUSH_OTLP, 0, 200 },
};
enum { N_PATHS = sizeof(paths) / sizeof(paths[0]) };

/* A request. */
struct push_request {
	struct scrape_collector *c;
	const struct scrape_secret *allowed;
	const struct http_request *q;
	struct http_response *out;
	size_t path;
	struct bytes body;
	struct push push;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t n_waiting; /* profiles that are not durable yet */
	size_t n_stored;
	struct buf cut; /* names of labels that were cut */
	bool is_unsure; /* could a profile be one of block or of mutex? */
	int status;     /* of the first profile that failed; 0: none */
	struct err err;
};

bool scrape_is_push(const char *path)
{
	for (size_t i = 0; i < N_PATHS; i++)
		if (strcmp(paths[i].path, path) == 0)
			return true;
	return false;
}

/* ---- responses ---- */

static const char *connect_code(int status)
{
	switch (status) {
	case FORBIDDEN:
		return "permission_denied";
	case TOO_LARGE:
	case TOO_MANY:
	case NO_ROOM:
		return "resource_exhausted";
	case UNPROCESSABLE:
		return "out_of_range";
	case NOT_IMPLEMENTED:
		return "unimplemented";
	case UNAVAILABLE:
		return "unavailable";
	case TIMEOUT:
		return "deadline_exceeded";
	default:
		return status >= ERROR ? "internal" : "invalid_argument";
	}
}

static void scrape_push_fail(struct push_request *p, int status, const char *text)
{
	struct http_response *out = p->out;

	out->status = status;
	if (paths[p->path].protocol == PUSH_CONNECT) {
		struct json j = { .out = &out->body, .is_one_line = true };

		out->type = "application/json";
		jsonw_open(&j, '{');
		jsonw_add_text(&j, "code", connect_code(status));
		jsonw_add_text(&j, "message", text);
		jsonw_close(&j, '}');
	} else {
		out->type = "text/plain; charset=utf-8";
		buf_addf(&out->body, "%s\n", text);
	}
	if (status == TOO_MANY)
		http_response_add(out, "Retry-After", "1");
	else if (status == UNAVAILABLE || status == NO_ROOM)
		http_response_add(out, "Retry-After", "10");
}

static void succeed(struct push_request *p)
{
	const char *type = http_request_header(p->q, "Content-Type");

	p->out->status = paths[p->path].status;
	if (paths[p->path].protocol != PUSH_CONNECT)
		return;
	if (type && starts_with(type, "application/json")) {
		p->out->type = "application/json";
		buf_addz(&p->out->body, "{}");
	} else {
		p->out->type = "application/proto"; /* an empty message has no bytes */
	}
}

static int status_of(int rc)
{
	return rc == ERR_LIMIT ? TOO_LARGE : rc == ERR_UNKNOWN ? MEDIA : rc == ERR_IO ? ERROR : BAD;
}

static int status_of_drop(enum scrape_drop why, int rc)
{
	switch (why) {
	case SCRAPE_DROP_TIME:
		return UNPROCESSABLE;
	case SCRAPE_DROP_SIZE:
		return TOO_LARGE;
	case SCRAPE_DROP_ROOM:
		return NO_ROOM;
	case SCRAPE_DROP_STORAGE:
		return UNAVAILABLE;
	case SCRAPE_DROP_LIMIT:
		return rc == ERR_LIMIT ? TOO_MANY : BAD;
	default:
		return BAD;
	}
}

/* ---- limits ---- */

/* The counts of a client address; an address that was not seen for the longest time is replaced. The lock is held. */
static struct scrape_peer *find_peer(struct scrape_collector *c, const char *address)
{
	struct scrape_peer *oldest = NULL;

	for (size_t i = 0; i < SCRAPE_PEERS; i++) {
		struct scrape_peer *p = &c->peer[i];

		if (p->last_ns && strcmp(p->address, address) == 0)
			return p;
		if (p->n_running == 0 && (!oldest || p->last_ns < oldest->last_ns))
			oldest = p;
	}
	if (!oldest)
		return NULL;
	memset(oldest, 0, sizeof(*oldest));
	memcpy(oldest->address, address, strnlen(address, sizeof(oldest->address) - 1));
	oldest->tokens = c->o.config->push_rate;
	oldest->last_ns = clock_mono_ns();
	return oldest;
}

/* Take a token of a client for a request, at a rate per second; 0: no limit. The lock is held. */
static bool take_token(struct scrape_peer *p, double rate)
{
	int64_t now = clock_mono_ns();

	p->tokens += (double)(now - p->last_ns) / 1e9 * rate;
	p->tokens = p->tokens > rate ? rate : p->tokens;
	p->last_ns = now;
	if (rate <= 0)
		return true;
	if (p->tokens < 1)
		return false;
	p->tokens -= 1;
	return true;
}

/* Count a request of a client. Returns why it is refused; NULL if it is not. The user's own socket has no limit. */
static const char *begin_peer(struct scrape_collector *c, const struct http_peer *at)
{
	const char *why = NULL;
	struct scrape_peer *p;

	if (at->is_unix)
		return NULL;
	pthread_mutex_lock(&c->peers_lock);
	p = find_peer(c, at->address);
	if (!p)
		why = "too many clients at once";
	else if (p->n_running >= PEER_RUNNING)
		why = "more than 16 pushes of this address at once";
	else if (!take_token(p, c->o.config->push_rate))
		why = "too many pushes of this address in a second; push-rate of the configuration is the limit";
	else
		p->n_running++;
	pthread_mutex_unlock(&c->peers_lock);
	if (why)
		scrape_log(c, "push=refused address=%s reason=\"%s\"", at->address, why);
	return why;
}

static void end_peer(struct scrape_collector *c, const struct http_peer *at)
{
	struct scrape_peer *p;

	if (at->is_unix)
		return;
	pthread_mutex_lock(&c->peers_lock);
	p = find_peer(c, at->address);
	if (p && p->n_running > 0)
		p->n_running--;
	pthread_mutex_unlock(&c->peers_lock);
}

/* Wait until one of few requests may decode its profiles: decoding takes memory and processors. Returns false after a while. */
static bool begin_decoding(struct scrape_collector *c)
{
	int64_t limit = clock_mono_ns() + DECODING_WAIT_S * NS_PER_S;
	bool is_fine;

	pthread_mutex_lock(&c->peers_lock);
	while (c->n_push_decoding >= pool_size() && clock_mono_ns() < limit)
		cond_wait_ms(&c->push_done, &c->peers_lock, 1000);
	is_fine = c->n_push_decoding < pool_size();
	c->n_push_decoding += is_fine;
	pthread_mutex_unlock(&c->peers_lock);
	return is_fine;
}

static void end_decoding(struct scrape_collector *c)
{
	pthread_mutex_lock(&c->peers_lock);
	c->n_push_decoding--;
	pthread_cond_signal(&c->push_done);
	pthread_mutex_unlock(&c->peers_lock);
}

/* ---- the body ---- */

/* Read the body into p->body, decompressed. Returns a status; 0 if it worked. */
static int scrape_push_read_body(struct push_request *p)
{
	const char *encoding = http_request_header(p->q, "Content-Encoding");
	struct bytes in = { 0 };

	if (encoding && strcasecmp(encoding, "gzip") != 0 && strcasecmp(encoding, "identity") != 0) {
		err_set(&p->err, ERR_UNKNOWN, "Content-Encoding must be gzip");
		return MEDIA;
	}
	if (p->q->upload >= 0) {
		if (io_read_fd(p->q->upload, SCRAPE_BODY_MAX, NULL, &in, &p->err) < 0)
			return p->err.code == ERR_LIMIT ? TOO_LARGE : ERROR;
	} else {
		in = (struct bytes){ .data = mem_alloc(p->q->n_body + 1, 1), .n = p->q->n_body };
		memcpy(in.data, p->q->body, in.n);
	}
	if (in.n == 0) {
		free(in.data);
		err_set(&p->err, ERR_FORMAT, "the body is empty");
		return BAD;
	}
	if (!encoding || strcasecmp(encoding, "gzip") != 0) {
		p->body = in;
		return 0;
	}
	return push_inflate(&in, &scrape_format_options, &p->body, &p->err) < 0 ? status_of(p->err.code) : 0;
}

static int scrape_push_read_request(struct push_request *p)
{
	const char *type = http_request_header(p->q, "Content-Type");
	int rc;

	switch (paths[p->path].protocol) {
	case PUSH_PLAIN:
		rc = push_read_plain(p->q->query, p->body.data, p->body.n, &p->push, &p->err);
		break;
	case PUSH_INGEST:
		rc = push_read_ingest(p->q->query, type, p->body.data, p->body.n, &p->push, &p->err);
		break;
	default:
		if (type && starts_with(type, "application/json"))
			rc = push_read_json(p->body.data, p->body.n, &p->push, &p->err);
		else if (type && starts_with(type, "application/proto"))
			rc = push_read_proto(p->body.data, p->body.n, &p->push, &p->err);
		else
			rc = err_set(&p->err, ERR_UNKNOWN,
				     "Content-Type must be application/proto or application/json");
	}
	return rc < 0 ? status_of(rc) : 0;
}

/* ---- profiles ---- */

static int scrape_push_compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct store_label *)a)->name, ((const struct store_label *)b)->name);
}

/* Is it about the request, or the service itself, instead of a label of the series? */
static bool is_reserved(const char *name, const char *value, const char *service)
{
	return !*value || strcmp(name, "service_name") == 0 ||
	       (strcmp(name, "service") == 0 && strcmp(value, service) == 0) ||
	       (starts_with(name, "__") && strcmp(name, "__session_id__") != 0);
}

/* Make the labels of a series from those that were sent. Returns their number. */
static size_t scrape_push_make_labels(struct push_request *p, const struct push_item *item, const char *service,
				      struct store_label *to)
{
	size_t n = 0, n_distinct = 0;

	for (size_t i = 0; i < item->n_labels; i++) {
		const char *name = item->label[i].name;

		if (is_reserved(name, item->label[i].value, service))
			continue;
		if (strcmp(name, "service.version") == 0)
			name = "version";
		to[n++] = (struct store_label){ name, item->label[i].value };
	}
	qsort(to, n, sizeof(*to), scrape_push_compare_labels);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(to[i].name, to[i - 1].name) != 0)
			to[n_distinct++] = to[i];
	return scrape_guard_labels(p->c->guard, service, to, n_distinct, p->push.mem, &p->cut);
}

/* The kind as requested, or by the label __name__; "": by the sample types. */
static const char *scrape_push_find_kind(const struct push_request *p, const struct push_item *item)
{
	const char *name = push_label(item, "__name__");

	if (*p->push.kind)
		return p->push.kind;
	name = name ? push_names_kind(name) : NULL;
	if (!name) /* another collector knows it */
		name = push_label(item, "__kind__");
	return name ? name : "";
}

/* A kind is part of sources like store:shop/cpu. */
static bool scrape_push_is_kind_name(const char *kind)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
	enum { KIND_MAX = 64 };
	size_t n = strspn(kind, allowed);

	return !kind[n] && n <= KIND_MAX;
}

static void scrape_push_written(void *arg, const struct scrape_write *w)
{
	struct push_request *p = arg;

	pthread_mutex_lock(&p->lock);
	if (w->rc == 0)
		p->n_stored++;
	else if (!p->status) {
		p->status = w->rc == ERR_LIMIT ? NO_ROOM : w->rc == ERR_RANGE ? BAD : UNAVAILABLE;
		p->err = w->err;
	}
	p->n_waiting--;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static void set_failed(struct push_request *p, size_t number, int status, const struct err *err)
{
	pthread_mutex_lock(&p->lock);
	if (!p->status) {
		p->status = status;
		p->err = *err;
		if (p->push.n > 1)
			err_wrap(&p->err, "profile %zu", number);
	}
	pthread_mutex_unlock(&p->lock);
}

/* Set start and duration. Agents of /ingest send what was counted since the last push, also if no second has passed since. */
static void set_span(const struct push_request *p, struct scrape_origin *o)
{
	const struct push *q = &p->push;
	bool is_ingest = paths[p->path].protocol == PUSH_INGEST;

	if (q->is_cumulative && q->until_ns > 0)
		o->begin_ns = q->until_ns; /* a snapshot */
	else if (!q->is_cumulative && q->until_ns > q->from_ns)
		o->capture_ns = q->until_ns - q->from_ns;
	else if (!q->is_cumulative && is_ingest && q->from_ns > 0)
		o->capture_ns = 1;
}

/* Note that the kind of a profile is not known: once in the log, and for the response. */
static void note_kind(struct push_request *p, const struct scrape_write *w)
{
	char plain[SCRAPE_ERROR_MAX];

	if (!w->kind_is_unsure)
		return;
	if (!p->is_unsure)
		scrape_log(p->c, "push=unsure service=\"%s\" kind=%s reason=\"" UNSURE "\"",
			   scrape_plain(plain, w->service), w->kind);
	p->is_unsure = true;
}

/* Read one profile and pass it to the writer. */
static void push_one(struct push_request *p, size_t number)
{
	const struct push_item *item = &p->push.item[number - 1];
	const char *service = push_label(item, "service_name");
	struct store_label label[PUSH_LABELS_MAX + 1];
	struct scrape_origin o = { .service = service ? service : push_label(item, "service"),
				   .kind = scrape_push_find_kind(p, item),
				   .label = label,
				   .begin_ns = p->push.from_ns,
				   .now_ns = clock_wall_ns(),
				   .max_age_ns = p->c->o.config->push_age_ns,
				   .is_push = true,
				   .cut = &p->cut,
				   .url_version = "" };
	enum scrape_drop why = SCRAPE_DROP_FORMAT;
	struct scrape_write *w = NULL;
	struct profile *made;
	struct err err;
	int rc, status;

	set_span(p, &o);
	if (!o.service || !*o.service) {
		err_set(&err, ERR_FORMAT, "the label service_name is missing");
		set_failed(p, number, BAD, &err);
		return;
	}
	if (!scrape_push_is_kind_name(o.kind)) {
		err_set(&err, ERR_FORMAT, "kind is not a name of at most 64 letters, digits, dots, - and _");
		set_failed(p, number, BAD, &err);
		return;
	}
	if (!scrape_secret_allows(p->allowed, o.service)) {
		err_set(&err, ERR_USAGE, "this secret does not allow the service %s", o.service);
		set_failed(p, number, FORBIDDEN, &err);
		return;
	}
	o.n_labels = scrape_push_make_labels(p, item, o.service, label);
	rc = push_make_profile(&p->push, item, &scrape_format_options, &made, &err);
	status = rc < 0 ? status_of(rc) : 0;
	if (rc == 0) {
		if (p->push.is_cumulative)
			made->meta.duration_ns = 0;
		rc = scrape_accept(&p->c->accepter, &o, made, &w, &why, &err);
		status = rc < 0 ? status_of_drop(why, rc) : 0;
	}
	if (rc < 0) {
		scrape_stats_drop(&p->c->stats, why);
		set_failed(p, number, status, &err);
		return;
	}
	note_kind(p, w);
	w->written = scrape_push_written;
	w->arg = p;
	pthread_mutex_lock(&p->lock);
	p->n_waiting++;
	pthread_mutex_unlock(&p->lock);
	scrape_writer_add(p->c->writer, w);
}

/* Push all profiles, and wait until they are durable. A profile that fails does not stop the others. */
static void push_all(struct push_request *p)
{
	char plain[SCRAPE_ERROR_MAX];

	for (size_t i = 0; i < p->push.n; i++)
		push_one(p, i + 1);
	end_decoding(p->c);
	pthread_mutex_lock(&p->lock);
	while (p->n_waiting > 0)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
	if (p->cut.len)
		http_response_add(p->out, "Cpa-Labels-Cut", scrape_plain(plain, p->cut.data));
	if (p->is_unsure)
		http_response_add(p->out, "Cpa-Kind-Unsure", "stored as mutex; " UNSURE);
	if (p->status)
		scrape_push_fail(p, p->status, p->err.msg);
	else
		succeed(p);
}

static void scrape_push_run(struct push_request *p)
{
	int status;

	if (!begin_decoding(p->c)) {
		scrape_push_fail(p, TOO_MANY, "too many pushes are being read");
		return;
	}
	status = scrape_push_read_body(p);
	status = status ? status : scrape_push_read_request(p);
	if (!status && p->push.n == 0) {
		err_set(&p->err, ERR_FORMAT, "the request has no profile");
		status = BAD;
	}
	if (status) {
		end_decoding(p->c);
		scrape_stats_drop(&p->c->stats, status == TOO_LARGE ? SCRAPE_DROP_SIZE : SCRAPE_DROP_FORMAT);
		scrape_push_fail(p, status, p->err.msg);
		return;
	}
	push_all(p);
}

void scrape_push(struct scrape_collector *c, const struct scrape_secret *allowed, const struct http_request *q,
		 struct http_response *out)
{
	struct push_request p = { .c = c,
				  .allowed = allowed,
				  .q = q,
				  .out = out,
				  .push = { .kind = "" },
				  .lock = PTHREAD_MUTEX_INITIALIZER,
				  .changed = PTHREAD_COND_INITIALIZER };

	const char *why;

	while (strcmp(paths[p.path].path, q->path) != 0)
		p.path++;
	if (paths[p.path].protocol == PUSH_OTLP) {
		scrape_push_fail(&p, NOT_IMPLEMENTED,
				 "this version does not receive OTLP profiles; send pprof to /v1/profiles");
	} else if (!(c->o.config->push & paths[p.path].bit)) {
		scrape_push_fail(&p, FORBIDDEN, "this protocol is not enabled in the configuration (push)");
	} else if ((why = begin_peer(c, &q->peer))) {
		scrape_push_fail(&p, TOO_MANY, why);
	} else {
		scrape_push_run(&p);
		end_peer(c, &q->peer);
	}
	scrape_stats_push(&c->stats, out->status >= BAD);
	push_release(&p.push);
	buf_release(&p.cut);
	free(p.body.data);
	pthread_mutex_destroy(&p.lock);
	pthread_cond_destroy(&p.changed);
}
