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
#include "base/mem.h"
#include "base/pool.h"
#include "base/str.h"
#include "base/time.h"
#include "formats/push/push.h"
#include "scrape/guard.h"
#include "scrape/protocols/protocol.h"
#include "store/pyroscope/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DECODING_WAIT_S = 30,
};

#define UNSURE "block and mutex profiles have equal sample types: send kind=block or kind=mutex"

/* A request. */
struct push_request {
	struct scrape_collector *c;
	const struct scrape_secret *allowed;
	const struct http_request *q;
	struct http_response *out;
	const struct protocol *protocol;
	struct bytes body;
	struct push push;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t n_waiting; /* profiles that are not durable yet */
	size_t n_stored, n_refused;
	struct buf cut; /* names of labels that were cut */
	bool is_unsure; /* could a profile be one of block or of mutex? */
	int status;     /* of the first profile that failed; 0: none */
	struct err err;
};

bool scrape_is_push(const char *path)
{
	return protocol_find_path(path) != NULL;
}

/* ---- responses ---- */

static void scrape_push_fail(struct push_request *p, int status, const char *text)
{
	p->protocol->fail(p->q, status, text, p->out);
	if (status == PROTOCOL_TOO_MANY)
		http_response_add(p->out, "Retry-After", "1");
	else if (status == PROTOCOL_UNAVAILABLE || status == PROTOCOL_NO_ROOM)
		http_response_add(p->out, "Retry-After", "10");
}

static int status_of(int rc)
{
	return rc == ERR_LIMIT     ? PROTOCOL_TOO_LARGE
	       : rc == ERR_UNKNOWN ? PROTOCOL_MEDIA
	       : rc == ERR_IO      ? PROTOCOL_ERROR
				   : PROTOCOL_BAD;
}

static int status_of_drop(enum scrape_drop why, int rc)
{
	switch (why) {
	case SCRAPE_DROP_TIME:
		return PROTOCOL_UNPROCESSABLE;
	case SCRAPE_DROP_SIZE:
		return PROTOCOL_TOO_LARGE;
	case SCRAPE_DROP_ROOM:
		return PROTOCOL_NO_ROOM;
	case SCRAPE_DROP_STORAGE:
		return PROTOCOL_UNAVAILABLE;
	case SCRAPE_DROP_LIMIT:
		return rc == ERR_LIMIT ? PROTOCOL_TOO_MANY : PROTOCOL_BAD;
	default:
		return PROTOCOL_BAD;
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
	oldest->bytes = (double)c->o.config->push_bytes;
	oldest->last_ns = clock_mono_ns();
	return oldest;
}

/* Add the pushes and bytes that a client is allowed for the time since its last request, at most those of a second. The lock is held. */
static void refill_peer(struct scrape_peer *p, double rate, double bytes)
{
	int64_t now = clock_mono_ns();
	double seconds = (double)(now - p->last_ns) / 1e9;

	p->tokens = p->tokens + seconds * rate > rate ? rate : p->tokens + seconds * rate;
	p->bytes = p->bytes + seconds * bytes > bytes ? bytes : p->bytes + seconds * bytes;
	p->last_ns = now;
}

/* Count a request of a client with n bytes. Returns why it is refused; NULL if it is not. The lock is held. */
static const char *count_request(struct scrape_peer *p, const struct scrape_config *limit, uint64_t n)
{
	refill_peer(p, limit->push_rate, (double)limit->push_bytes);
	if (limit->push_running && p->n_running >= limit->push_running)
		return "too many pushes of this address at once; push-running of the configuration is the limit";
	if (limit->push_rate && p->tokens < 1)
		return "too many pushes of this address in a second; push-rate of the configuration is the limit";
	if (limit->push_bytes && p->bytes <= 0)
		return "too many bytes of this address in a second; push-bytes of the configuration is the limit";
	p->tokens -= 1;
	p->bytes -= (double)n; /* a body above the limit is accepted, and the next ones wait until it is paid off */
	p->n_running++;
	return NULL;
}

/* Count a request of a client. Returns why it is refused; NULL if it is not. The user's own socket has no limit. */
static const char *begin_peer(struct scrape_collector *c, const struct http_request *q)
{
	const char *why = "too many clients at once";
	struct stat st = { .st_size = (off_t)q->n_body };
	struct scrape_peer *p;

	if (q->peer.is_unix)
		return NULL;
	if (q->upload >= 0 && fstat(q->upload, &st) < 0)
		st.st_size = SCRAPE_BODY_MAX;
	pthread_mutex_lock(&c->peers_lock);
	p = find_peer(c, q->peer.address);
	if (p)
		why = count_request(p, c->o.config, (uint64_t)st.st_size);
	pthread_mutex_unlock(&c->peers_lock);
	if (why)
		scrape_log(c, "push=refused address=%s reason=\"%s\"", q->peer.address, why);
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

/* Count one more of few requests that run, as many as there are processors, or wait until one ends. Returns false after a while. */
static bool push_begin_one(struct scrape_collector *c, unsigned *n_running, pthread_cond_t *ended)
{
	int64_t limit = clock_mono_ns() + DECODING_WAIT_S * NS_PER_S;
	bool is_fine;

	pthread_mutex_lock(&c->peers_lock);
	while (*n_running >= pool_size() && clock_mono_ns() < limit)
		cond_wait_ms(ended, &c->peers_lock, 1000);
	is_fine = *n_running < pool_size();
	*n_running += is_fine;
	pthread_mutex_unlock(&c->peers_lock);
	return is_fine;
}

static void push_end_one(struct scrape_collector *c, unsigned *n_running, pthread_cond_t *ended)
{
	pthread_mutex_lock(&c->peers_lock);
	--*n_running;
	pthread_cond_signal(ended);
	pthread_mutex_unlock(&c->peers_lock);
}

/* Wait until one of few requests may decode its profiles: decoding takes memory and processors. Returns false after a while. */
static bool begin_decoding(struct scrape_collector *c)
{
	return push_begin_one(c, &c->n_push_decoding, &c->push_done);
}

static void end_decoding(struct scrape_collector *c)
{
	push_end_one(c, &c->n_push_decoding, &c->push_done);
}

bool scrape_reader_begin(const struct scrape_reader *reader)
{
	return push_begin_one(reader->c, &reader->c->n_queries, &reader->c->query_done);
}

void scrape_reader_end(const struct scrape_reader *reader)
{
	push_end_one(reader->c, &reader->c->n_queries, &reader->c->query_done);
}

/* ---- the body ---- */

/* Read the body into p->body, decompressed. Returns a status; 0 if it worked. */
static int scrape_push_read_body(struct push_request *p)
{
	const char *encoding = http_request_header(p->q, "Content-Encoding");
	bool is_packed = encoding && (strcasecmp(encoding, "gzip") == 0 || strcasecmp(encoding, "zstd") == 0);
	struct bytes in = { 0 };

	if (encoding && !is_packed && strcasecmp(encoding, "identity") != 0) {
		err_set(&p->err, ERR_UNKNOWN, "Content-Encoding must be gzip or zstd");
		return PROTOCOL_MEDIA;
	}
	if (p->q->upload >= 0) {
		if (io_read_fd(p->q->upload, SCRAPE_BODY_MAX, NULL, &in, &p->err) < 0)
			return p->err.code == ERR_LIMIT ? PROTOCOL_TOO_LARGE : PROTOCOL_ERROR;
	} else {
		in = (struct bytes){ .data = mem_alloc(p->q->n_body + 1, 1), .n = p->q->n_body };
		memcpy(in.data, p->q->body, in.n);
	}
	if (in.n == 0 && !p->protocol->accepts_empty) {
		free(in.data);
		err_set(&p->err, ERR_FORMAT, "the body is empty");
		return PROTOCOL_BAD;
	}
	if (!is_packed) {
		p->body = in;
		return 0;
	}
	return push_inflate(&in, &scrape_format_options, &p->body, &p->err) < 0 ? status_of(p->err.code) : 0;
}

static int scrape_push_read_request(struct push_request *p)
{
	int rc = p->protocol->read(p->q, p->body.data, p->body.n, &scrape_format_options, &p->push, &p->err);

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
static size_t scrape_push_make_labels(struct push_request *p, const struct push_part *part, const char *service,
				      struct store_label *to)
{
	size_t n = 0, n_distinct = 0;

	for (size_t i = 0; i < part->n_labels; i++) {
		const char *name = part->label[i].name;

		if (is_reserved(name, part->label[i].value, service))
			continue;
		if (strcmp(name, "service.version") == 0)
			name = "version";
		to[n++] = (struct store_label){ name, part->label[i].value };
	}
	qsort(to, n, sizeof(*to), scrape_push_compare_labels);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(to[i].name, to[i - 1].name) != 0)
			to[n_distinct++] = to[i];
	return scrape_guard_labels(p->c->guard, service, to, n_distinct, p->push.mem, &p->cut);
}

/* The kind as given, or by the label __name__; "": by the sample types. */
static const char *scrape_push_find_kind(const struct push_part *part)
{
	const char *name = push_find_label(part->label, part->n_labels, "__name__");
	const char *kind = name ? pyro_kind_of_name(name) : NULL;

	if (*part->kind)
		return part->kind;
	if (!kind) /* another collector knows it */
		kind = push_find_label(part->label, part->n_labels, "__kind__");
	return kind ? kind : "";
}

/* A kind is part of sources like store:shop/cpu. */
static bool scrape_push_is_kind_name(const char *kind)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
	enum { KIND_MAX = 64 };
	size_t n = strspn(kind, allowed);

	return !kind[n] && n <= KIND_MAX;
}

/* Note a failure. One after which the client sends all again is reported before others. The lock is held. */
static void push_note_failure(struct push_request *p, int status, const struct err *err)
{
	if (p->status && (p->status >= PROTOCOL_ERROR || status < PROTOCOL_ERROR))
		return;
	p->status = status;
	p->err = *err;
}

static void scrape_push_written(void *arg, const struct scrape_write *w)
{
	struct push_request *p = arg;

	pthread_mutex_lock(&p->lock);
	if (w->rc == 0)
		p->n_stored++;
	else
		push_note_failure(p,
				  w->rc == ERR_LIMIT   ? PROTOCOL_NO_ROOM
				  : w->rc == ERR_RANGE ? PROTOCOL_BAD
						       : PROTOCOL_UNAVAILABLE,
				  &w->err);
	p->n_waiting--;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static void set_failed(struct push_request *p, const char *where, int status, const struct err *err)
{
	struct err e = *err;

	if (*where)
		err_wrap(&e, "%s", where);
	pthread_mutex_lock(&p->lock);
	push_note_failure(p, status, &e);
	pthread_mutex_unlock(&p->lock);
}

/* Are the values of a snapshot increases already? Clients of Pyroscope say so with __delta__=false, as no difference is left to make, and
   godeltaprof by its names. */
static bool push_has_increases(const struct push_part *part)
{
	const char *delta = push_find_label(part->label, part->n_labels, "__delta__");
	const char *name = push_find_label(part->label, part->n_labels, "__name__");

	return part->profile->meta.duration_ns == 0 &&
	       ((delta && strcmp(delta, "false") == 0) || (name && starts_with(name, "godeltaprof_")));
}

/* Set start and duration. */
static void set_span(const struct push_request *p, const struct push_item *item, const struct push_part *part,
		     struct scrape_origin *o)
{
	const struct push *q = &p->push;

	if (item->is_cumulative && q->until_ns > 0)
		o->begin_ns = q->until_ns; /* a snapshot */
	else if (!item->is_cumulative && q->until_ns > q->from_ns)
		o->capture_ns = q->until_ns - q->from_ns;
	else if (!item->is_cumulative && ((q->is_delta && q->from_ns > 0) || push_has_increases(part)))
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

/* Pass the profile of a part to the writer. Returns a status; 0 if it worked. */
static int push_part(struct push_request *p, const struct push_item *item, struct push_part *part, struct err *err)
{
	const char *service = push_find_label(part->label, part->n_labels, "service_name");
	struct store_label *label = arena_alloc(p->push.mem, part->n_labels + 1, sizeof(*label));
	struct scrape_origin o = { .service =
					   service ? service : push_find_label(part->label, part->n_labels, "service"),
				   .kind = scrape_push_find_kind(part),
				   .label = label,
				   .begin_ns = p->push.from_ns,
				   .now_ns = clock_wall_ns(),
				   .max_age_ns = p->c->o.config->push_age_ns,
				   .is_push = true,
				   .cut = &p->cut,
				   .url_version = "" };
	enum scrape_drop why = SCRAPE_DROP_FORMAT;
	struct profile *made = part->profile;
	struct scrape_write *w = NULL;
	int rc;

	set_span(p, item, part, &o);
	if (!o.service || !*o.service) {
		err_set(err, ERR_FORMAT, "the label service_name is missing");
		return PROTOCOL_BAD;
	}
	if (!scrape_push_is_kind_name(o.kind)) {
		err_set(err, ERR_FORMAT, "kind is not a name of at most 64 letters, digits, dots, - and _");
		return PROTOCOL_BAD;
	}
	if (!scrape_secret_allows(p->allowed, o.service)) {
		err_set(err, ERR_USAGE, "this secret does not allow the service %s", o.service);
		return PROTOCOL_FORBIDDEN;
	}
	o.n_labels = scrape_push_make_labels(p, part, o.service, label);
	if (item->is_cumulative)
		made->meta.duration_ns = 0;
	part->profile = NULL;
	rc = scrape_accept(&p->c->accepter, &o, made, &w, &why, err);
	if (rc < 0) {
		scrape_stats_drop(&p->c->stats, why);
		return status_of_drop(why, rc);
	}
	note_kind(p, w);
	w->written = scrape_push_written;
	w->arg = p;
	pthread_mutex_lock(&p->lock);
	p->n_waiting++;
	pthread_mutex_unlock(&p->lock);
	scrape_writer_add(p->c->writer, w);
	return 0;
}

/* Read an item, and pass its profiles to the writer. */
static void push_one(struct push_request *p, size_t number)
{
	const struct push_item *item = &p->push.item[number - 1];
	struct push_parts parts = { 0 };
	char where[96] = "";
	struct err err;
	int rc = push_make_parts(&p->push, item, &scrape_format_options, &parts, &err), status;

	if (p->push.n > 1)
		snprintf(where, sizeof(where), "profile %zu", number);
	if (rc < 0) {
		scrape_stats_drop(&p->c->stats, SCRAPE_DROP_FORMAT);
		set_failed(p, where, status_of(rc), &err);
	}
	for (size_t i = 0; i < parts.n; i++) {
		if (p->push.n == 1 && parts.n > 1)
			snprintf(where, sizeof(where), "profile %zu of kind %.32s", i + 1,
				 scrape_push_find_kind(&parts.part[i]));
		status = push_part(p, item, &parts.part[i], &err);
		p->n_refused += status ? parts.part[i].n_sent : 0;
		if (status)
			set_failed(p, where, status, &err);
	}
	push_parts_release(&parts);
}

/* Write the response of a request of which at least one profile failed. */
static void push_fail_some(struct push_request *p)
{
	bool is_final = p->status < PROTOCOL_ERROR && p->status != PROTOCOL_TOO_MANY;

	if (is_final && p->n_stored > 0 && p->protocol->succeed_partly)
		p->protocol->succeed_partly(p->q, p->n_refused, p->err.msg, p->out);
	else
		scrape_push_fail(p, p->status, p->err.msg);
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
	if (*p->push.skipped) {
		http_response_add(p->out, "Cpa-Skipped", scrape_plain(plain, p->push.skipped));
		scrape_log(p->c, "push=skipped files=\"%s\" reason=\"not profiles\"", plain);
	}
	if (p->status)
		push_fail_some(p);
	else
		p->protocol->succeed(p->q, &p->push, p->out);
}

static void scrape_push_run(struct push_request *p)
{
	int status;

	if (!begin_decoding(p->c)) {
		scrape_push_fail(p, PROTOCOL_TOO_MANY, "too many pushes are being read");
		return;
	}
	status = scrape_push_read_body(p);
	status = status ? status : scrape_push_read_request(p);
	if (!status && p->push.n == 0 && !p->protocol->accepts_empty) {
		err_set(&p->err, ERR_FORMAT, "the request has no profile");
		status = PROTOCOL_BAD;
	}
	if (status) {
		end_decoding(p->c);
		scrape_stats_drop(&p->c->stats, status == PROTOCOL_TOO_LARGE ? SCRAPE_DROP_SIZE : SCRAPE_DROP_FORMAT);
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
				  .protocol = protocol_find_path(q->path),
				  .push = { .skipped = "" },
				  .lock = PTHREAD_MUTEX_INITIALIZER,
				  .changed = PTHREAD_COND_INITIALIZER };

	const char *why;

	if (!(c->o.config->push & protocol_bit(p.protocol))) {
		scrape_push_fail(&p, PROTOCOL_FORBIDDEN, "this protocol is not enabled in the configuration (push)");
	} else if ((why = begin_peer(c, q))) {
		scrape_push_fail(&p, PROTOCOL_TOO_MANY, why);
	} else {
		scrape_push_run(&p);
		end_peer(c, &q->peer);
	}
	scrape_stats_push(&c->stats, out->status >= PROTOCOL_BAD);
	push_release(&p.push);
	buf_release(&p.cut);
	free(p.body.data);
	pthread_mutex_destroy(&p.lock);
	pthread_cond_destroy(&p.changed);
}
