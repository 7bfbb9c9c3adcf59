/*
 * otlp.h - read OpenTelemetry profiles: the protobuf messages of each release of the protocol with profiles, 1.3 to 1.11
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_OTLP_OTLP_H
#define FORMATS_OTLP_OTLP_H

#include "base/buf.h"
#include "formats/common/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Certain if the first resource of the first message has the fields of a resource, which no profile.proto has. */
enum format_match otlp_probe(const uint8_t *data, size_t n);

/*
 * Read a request or file: one message, or several, each after its length as four big-endian bytes, as a varint, or with
 * the head of gRPC. The numbers of fields changed between releases, and no field has the release: it is found from all
 * profiles and samples, once per file. Each pair of type and unit is a sample type; equal stacks with equal attributes are
 * one row. Attributes of resources, scopes and samples are labels. A format_read_fn.
 */
int otlp_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
	      struct err *err);

/* The same as JSON, of release 1.8 and later: one object, or several, as the collector writes them. A format_read_fn. */
int otlp_json_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		   struct err *err);

/* An attribute of the process from which a profile is. */
struct otlp_attribute {
	const char *key, *value;
};

struct otlp_write_options {
	double ratio;                          /* of values, which are rounded toward zero */
	const struct otlp_attribute *resource; /* [n_resource] */
	size_t n_resource;
	const uint8_t *
		id; /* [16] the ids of the profiles of all sample types differ from it in the last byte only; NULL: none */
	bool has_meaning; /* add OTLP_TEMPORALITY to profiles: "gauge", else "delta" */
};

#define OTLP_TEMPORALITY "cpa.temporality"

/*
 * Append a profile as an uncompressed message of release 1.11. Readers of release 1.9 and before find no values in it.
 * Comments, the default sample type and the base of a comparison have no place in it.
 *
 * Fails   ERR_LIMIT past 2 GiB
 */
int otlp_write(const struct profile *p, const struct otlp_write_options *options, struct buf *out, struct err *err);

/* A message Profile of a request. */
struct otlp_source {
	uint32_t resource;
	uint64_t types;               /* bits of its sample types */
	int64_t time_ns, duration_ns; /* 0: not given */
	struct value_type period_type;
	int64_t period;
	bool has_period_type;
};

/* The messages of a request, and the attributes of their resources as ids of labels of the profile. Zero-initialised. */
struct otlp_sources {
	struct otlp_source *source; /* [n] */
	size_t n, cap;
	size_t *label_end; /* [n_resources] labels of resource i: label[label_end[i - 1]] to label[label_end[i]] */
	uint32_t *label;
	size_t n_resources, n_labels, cap_resources, cap_labels;
};

/*
 * Read a request, in protocol buffers or JSON, with its parts marked: the first label of each sample is numeric,
 * with the number of its source. Attributes of resources are not labels of samples. A request without profiles has no types.
 *
 * sources  released with otlp_sources_release, also on failure
 */
int otlp_read_sources(const uint8_t *data, size_t n, const struct format_options *options, struct otlp_sources *sources,
		      struct profile **out, struct err *err);
void otlp_sources_release(struct otlp_sources *s);

#endif
