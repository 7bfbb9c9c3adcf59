/*
 * push.h - requests with which agents push profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A request is taken apart here; the profiles in it are read one by one with push_make_profile. Nothing of a request is
 * trusted.
 */
#ifndef FORMATS_PUSH_PUSH_H
#define FORMATS_PUSH_PUSH_H

#include "base/err.h"
#include "formats/formats.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUSH_LABELS_MAX = 64, PUSH_LABEL_BYTES_MAX = 1024, PUSH_ITEMS_MAX = 1000 };

enum push_format {
	PUSH_PPROF,
	PUSH_FOLDED, /* "main;work 3": a stack, root first, and a number */
	PUSH_LINES,  /* "main;work": a stack that counts once */
	PUSH_OTLP,   /* a request of OTLP as a whole: profiles of several services */
};

/* A label as sent; "service_name" is the service, "__name__" the kind. */
struct push_label {
	const char *name, *value;
};

/* A profile in a request. */
struct push_item {
	const struct push_label *label; /* [n_labels] */
	size_t n_labels;
	const char *id; /* "" if there is none */
	const uint8_t *data;
	size_t n;
	const char *kind;   /* "mutex"; as requested, or as the client describes it; "": not given */
	bool is_cumulative; /* values are counted since the start of the process, whatever from_ns is */
	bool has_kinds;     /* types with hyphens of several kinds are separate profiles, as Datadog's libraries send */
	const uint8_t
		*contexts; /* [n_contexts] labels of the samples of a recording of Java, a LabelsSnapshot; NULL: none */
	size_t n_contexts;
};

/* A request. Borrows from its bytes. */
struct push {
	struct arena *mem;
	struct push_item *item; /* [n] */
	size_t n;
	enum push_format format;
	const char *type, *unit;   /* of folded text */
	int64_t rate;              /* samples per second of folded text */
	int64_t from_ns, until_ns; /* since 1970; 0: not given */
	bool is_delta;             /* values are those since the last push, also if until_ns is not after from_ns */
	const char *skipped;       /* names of parts of the request that are not profiles, "metrics.json"; "": none */
	uint8_t *owned;            /* memory of the items, or NULL */
};

/* A profile made of an item, or of a part of it. */
struct push_part {
	struct profile *profile; /* owned by the caller once it is set to NULL here */
	const char *kind;        /* "": by its sample types */
	const struct push_label *label;
	size_t n_labels;
	size_t n_sent; /* profiles of the client in it */
};

/* Borrows from the item. */
struct push_parts {
	struct arena *mem;
	struct push_part *part; /* [n] */
	size_t n;
};

void push_release(struct push *p);

/*
 * Read a push.v1.PushRequest, as protocol buffer or JSON.
 *
 * data   [n] borrowed until push_release
 * Fails  ERR_FORMAT, ERR_LIMIT, with the number of the series, label or sample
 */
int push_read_proto(const uint8_t *data, size_t n, struct push *out, struct err *err);
int push_read_json(const uint8_t *data, size_t n, struct push *out, struct err *err);

/*
 * Read a request to /ingest: the name of the application with labels in the query, one profile in the body.
 *
 * query         after the question mark, escaped
 * content_type  may be NULL
 * Fails         ERR_UNKNOWN for a format that cannot be read (trie, tree); ERR_FORMAT
 */
int push_read_ingest(const char *query, const char *content_type, const uint8_t *data, size_t n, struct push *out,
		     struct err *err);

/* Read a request whose query is the labels and whose body is a profile. Fails with ERR_FORMAT. */
int push_read_plain(const char *query, const uint8_t *data, size_t n, struct push *out, struct err *err);

/*
 * Read a WriteRawRequest of Parca, as protocol buffer or JSON, as push_read_proto. A series without service_name and service gets
 * one from its label job, container or comm. Bodies of gRPC-Web are frames, one of which is the message.
 */
int push_read_parca(const uint8_t *data, size_t n, struct push *out, struct err *err);
int push_read_parca_json(const uint8_t *data, size_t n, struct push *out, struct err *err);
int push_read_parca_grpc_web(const uint8_t *data, size_t n, const struct format_options *options, struct push *out,
			     struct err *err);

/* Read a form of Datadog's libraries: a part event in JSON, or fields of version 3, and files. Fails with ERR_FORMAT, ERR_LIMIT. */
int push_read_datadog(const char *content_type, const uint8_t *data, size_t n, struct push *out, struct err *err);

/* A request of OTLP. Its content is read by push_make_parts. */
int push_read_otlp(const uint8_t *data, size_t n, struct push *out, struct err *err);

/*
 * Read the profiles of an item. A recording of Java, a profile of Datadog with several kinds, and a request of OTLP are several,
 * maybe none.
 *
 * out    released with push_parts_release; unchanged on failure
 * Fails  like formats_read
 */
int push_make_parts(const struct push *p, const struct push_item *item, const struct format_options *options,
		    struct push_parts *out, struct err *err);
void push_parts_release(struct push_parts *parts);

/* Read a profile of a request. Fails like formats_read. */
int push_make_profile(const struct push *p, const struct push_item *item, const struct format_options *options,
		      struct profile **out, struct err *err);

/* The value of the last label with this name; NULL if there is none. */
const char *push_find_label(const struct push_label *label, size_t n, const char *name);
const char *push_label(const struct push_item *item, const char *name);

/*
 * Decompress the body of a request with Content-Encoding gzip or zstd, and a compressed profile if the body is one.
 *
 * in     consumed
 * Fails  ERR_FORMAT, ERR_LIMIT
 */
int push_inflate(struct bytes *in, const struct format_options *options, struct bytes *out, struct err *err);

#endif
