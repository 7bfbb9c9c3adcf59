/*
 * context.h - attributes of this process and names of its labels, for profilers of other makers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From OpenTelemetry's OTEP 4719, "Process Context", version 2: a mapping named OTEL_CTX has a header, which points to
 * a message of protocol buffers. It has the attributes of the process, and the names of the keys of the records of
 * target/context.h. A process has at most one. It is published when the program first makes labels or sets an attribute;
 * when the library is loaded, if OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES is set.
 *
 * The functions of context_attributes.c and context_records.c, and context_update, need the lock of context.c.
 */
#ifndef LIBCPAPROF_API_CONTEXT_H
#define LIBCPAPROF_API_CONTEXT_H

#include "libcpaprof/api/cpa/pprof.h"

#include "wire/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CONTEXT_VERSION = 2,
	CONTEXT_PAYLOAD_MAX = 65536, /* readers refuse more */
	/* limits with which a message always fits */
	CONTEXT_PAIRS_MAX = 64,
	CONTEXT_PAIRS_TEXT = 16 << 10,
	CONTEXT_KEYS_MAX = 256,
	CONTEXT_KEYS_TEXT = 32 << 10
};
#define CONTEXT_NAME "OTEL_CTX"

/* The fields of ProcessContext, Resource, KeyValue, AnyValue and ArrayValue that are used. */
enum { CONTEXT_RESOURCE = 1, CONTEXT_ATTRIBUTES = 2, CONTEXT_RESOURCE_ATTRIBUTES = 1 };
enum {
	CONTEXT_PAIR_KEY = 1,
	CONTEXT_PAIR_VALUE = 2,
	CONTEXT_ANY_STRING = 1,
	CONTEXT_ANY_ARRAY = 5,
	CONTEXT_ARRAY_VALUES = 1
};

struct context_header {
	char signature[8]; /* CONTEXT_NAME */
	uint32_t version, payload_size;
	_Atomic uint64_t published_ns; /* CLOCK_BOOTTIME; 0: being changed */
	uint64_t payload;              /* address */
};
_Static_assert(sizeof(struct context_header) == 32, "the layout of OTEP 4719");

/* Read the settings of the context from the environment, and publish it if they identify the process. */
void context_begin(void);

/* Publish the record of a set of labels, if it has none. */
void context_add_labels(cpa_labels l);

/*
 * Publish the context, or publish it again after a change. Returns 0 or -errno: -EEXIST if another library publishes one,
 * -EPERM in a sandbox, -ENOMEM.
 */
int context_update(void);

/* context_attributes.c: set the attributes from the environment, and those that are always there. */
void context_attributes_begin(void);
/* In a child of fork: it is another instance of the service. */
void context_attributes_renew(void);
/* As cpa_context_set. Fails with -EINVAL or -EMSGSIZE; then nothing changes. */
int context_attributes_set(const char *const kv[], size_t pairs);
/* Write the attributes as a message Resource. */
void context_attributes_write(struct wire *w);
/* Write a KeyValue with a text. */
void context_write_pair(struct wire *w, uint32_t field, const char *key, const char *value);
/* Copy a text as valid UTF-8, at most max - 1 bytes and a NUL. Returns false if it was cut. */
bool context_copy(char *to, size_t max, const char *from, size_t n);

/* context_records.c: make the record of a set of labels. May call context_update. */
void context_records_add(cpa_labels l);
/* Write the attributes that describe the records: version and keys. */
void context_records_write(struct wire *w);
/* Make all records invalid, and make no more. */
void context_records_withdraw(void);

#endif
