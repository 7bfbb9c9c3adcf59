/*
 * sink.h - a system to which profiles are sent: the interface of each kind
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A kind of sink is a directory below sinks/ and a row in sinks/kinds/kinds.c. It turns profiles into requests of its system, sends
 * them, and says of each profile what became of it. The queue, its position, retries, and the numbers of a sink are those of
 * sinks/queue.h, which knows no system; cpa push sends once.
 */
#ifndef SINKS_SINK_H
#define SINKS_SINK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "fetch/fetch.h"
#include "profile/profile.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A profile to send. Borrowed during the call.
 *
 * profile  columns counted since the start of the process (profile/temporality.h) have the increase since the profile before it of
 *          the same series, as all systems add them up; the first profile of a series has 0 in them. Columns of a gauge are as scraped.
 *          Its duration is then the time since that profile; 0 if there was none
 */
struct sink_item {
	const char *service, *kind;
	const struct store_label *label; /* [n_labels] sorted by name, without service and kind */
	size_t n_labels;
	const struct profile *profile;
	int64_t start_ns, duration_ns;
	uint8_t id[16]; /* the same in each try: for systems that find repeats */
};

/* The time over which the values were counted, unless they are gauges: the duration, which begins at start_ns, or for increases the time
   before start_ns. 0: not known. */
static inline int64_t sink_counted_ns(const struct sink_item *item)
{
	return item->duration_ns > 0 ? item->duration_ns : item->profile->meta.duration_ns;
}

/* A mark to send. Borrowed during the call. */
struct sink_mark {
	char *service;
	struct store_mark mark;
};

/* The outcome of a profile. */
enum sink_outcome {
	SINK_SENT,
	SINK_REFUSED, /* for good: why has the reason in the words of the system */
	SINK_LATER,   /* no connection, 429, 502, 503, 504: send the same profile again */
	SINK_DENIED, /* 401, 403, 404: nothing is taken from this sender until its token, rights or URL change, whatever the profile */
};

struct sink_result {
	enum sink_outcome outcome;
	int64_t retry_ns; /* SINK_LATER: the system asked to wait so long; 0: it did not say */
	char why[256];    /* one line: the reason. SINK_SENT: what was cut to fit, "3 of 32 labels"; "" if nothing */
};

/* Is the profile to be sent again, since the reason of the failure is not in it? */
static inline bool sink_is_unsent(const struct sink_result *r)
{
	return r->outcome == SINK_LATER || r->outcome == SINK_DENIED;
}

/* Settings of a sink. Strings are borrowed and live as long as it. */
struct sink_options {
	struct fetch_options fetch; /* header-file, bearer-file, TLS, timeout */
	const char *const *word;    /* [n_words] "KEY=VALUE": settings of the kind, each of which it knows or refuses */
	size_t n_words;
};

struct sink_kind;

/* An open sink, the first member of the struct of its kind. Used by one thread. */
struct sink {
	const struct sink_kind *kind;
};

struct sink_kind {
	const char *name;          /* "pyroscope", "parca", "otlp", "datadog", "gcp", "cpa" */
	const char *const *prefix; /* of URLs, up to NULL: "pyroscope+http://", "pyroscope+https://" */
	const char *help;          /* a line for cpa help sinks: system, protocol, versions tried */
	size_t batch_max;          /* profiles that one call of send takes at most; 1: one at a time */
	bool keeps_counters; /* columns counted since the start of the process are sent as scraped: the system subtracts */

	/* Check the URL and the words; connects to nothing. Fails with ERR_USAGE. */
	int (*open)(const char *url, const struct sink_options *o, struct sink **out, struct err *err);

	/*
	 * Send n profiles.
	 *
	 * result  [n] zero-initialised; each is filled in
	 * Fails   ERR_STOPPED; everything else is in the results
	 */
	int (*send)(struct sink *s, const struct sink_item *item, size_t n, struct stop *stop,
		    struct sink_result *result, struct err *err);

	/*
	 * Send n marks; NULL: the system has none. A mark may come several times.
	 *
	 * result  of all of them, zero-initialised
	 * Fails   ERR_STOPPED; everything else is in the result
	 */
	int (*send_marks)(struct sink *s, const struct sink_mark *mark, size_t n, struct stop *stop,
			  struct sink_result *result, struct err *err);
	void (*close)(struct sink *s);
};

/* Outcome of a response without success: LATER for no response, 408, 429, 5xx other than 501 and 505; DENIED for 401, 403, 404, 405 and
   407, which concern the sender and the URL; REFUSED for others. why is the first line of the response. */
void sink_judge(const struct fetch_request *r, struct sink_result *out);

#endif
