/*
 * kind.c - the format of JSON, found by its keys
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A key at the top decides, or several of them, or keys of an object below it. Keys below are a bit each, too.
 */
#include "config.h"

#include "formats/json/kind.h"

#include "formats/json/jsonr.h"

#include <stdint.h>
#include <string.h>

#define KIND_BIT(at) (UINT32_C(1) << (at))

enum kind_key {
	KEY_SCHEMA = KIND_BIT(0), /* of speedscope */
	KEY_SHARED = KIND_BIT(1),
	KEY_PROFILES = KIND_BIT(2),
	KEY_NODES = KIND_BIT(3),
	KEY_CALL_FRAME = KIND_BIT(4), /* in the first node */
	KEY_TIMES = KIND_BIT(5),      /* samples, timeDeltas or startTime, of V8 */
	KEY_HEAD = KIND_BIT(6),
	KEY_SELF_SIZE = KIND_BIT(7), /* in head */
	KEY_SNAPSHOT = KIND_BIT(8),
	KEY_TRACE_EVENTS = KIND_BIT(9),
	KEY_PREPROCESSED = KIND_BIT(10), /* in meta */
	KEY_VERSION = KIND_BIT(11),      /* in meta */
	KEY_THREADS = KIND_BIT(12),
	KEY_RESOURCE_PROFILES = KIND_BIT(13),
	KEY_PHASE = KIND_BIT(14), /* ph of an event of a trace */
	KEY_GC_SAMPLES = KIND_BIT(15),
	KEY_MISSED_SAMPLES = KIND_BIT(16),
	KEY_DHAT = KIND_BIT(17)
};

/* A name of a key, and the place in which it is found. */
struct kind_name {
	const char *name;
	enum kind_key key;
};

static const struct kind_name at_top[] = {
	{ "shared", KEY_SHARED },
	{ "profiles", KEY_PROFILES },
	{ "samples", KEY_TIMES },
	{ "timeDeltas", KEY_TIMES },
	{ "timestamps", KEY_TIMES },
	{ "startTime", KEY_TIMES },
	{ "trace_function_infos", KEY_SNAPSHOT },
	{ "snapshot", KEY_SNAPSHOT },
	{ "traceEvents", KEY_TRACE_EVENTS },
	{ "threads", KEY_THREADS },
	{ "resourceProfiles", KEY_RESOURCE_PROFILES },
	{ "resource_profiles", KEY_RESOURCE_PROFILES },
	{ "gc_samples", KEY_GC_SAMPLES },
	{ "missed_samples", KEY_MISSED_SAMPLES },
	{ "dhatFileVersion", KEY_DHAT },
	{ NULL, 0 },
};
static const struct kind_name in_meta[] = {
	{ "preprocessedProfileVersion", KEY_PREPROCESSED },
	{ "version", KEY_VERSION },
	{ NULL, 0 },
};
static const struct kind_name in_head[] = { { "selfSize", KEY_SELF_SIZE }, { NULL, 0 } };
static const struct kind_name in_node[] = { { "callFrame", KEY_CALL_FRAME }, { NULL, 0 } };
static const struct kind_name in_event[] = { { "ph", KEY_PHASE }, { "traceEvents", KEY_TRACE_EVENTS }, { NULL, 0 } };

/* In the order in which they are decided: these keys were found. */
static const struct {
	uint32_t keys;
	enum jsonr_kind kind;
} kinds[] = {
	{ KEY_SCHEMA, JSONR_KIND_SPEEDSCOPE },
	{ KEY_SHARED | KEY_PROFILES, JSONR_KIND_SPEEDSCOPE },
	{ KEY_NODES | KEY_TIMES, JSONR_KIND_CPUPROFILE },
	{ KEY_NODES | KEY_CALL_FRAME, JSONR_KIND_CPUPROFILE },
	{ KEY_HEAD | KEY_SELF_SIZE, JSONR_KIND_HEAPPROFILE },
	{ KEY_HEAD | KEY_TIMES, JSONR_KIND_CPUPROFILE },
	{ KEY_SNAPSHOT, JSONR_KIND_HEAPSNAPSHOT },
	{ KEY_TRACE_EVENTS, JSONR_KIND_TRACE },
	{ KEY_PHASE, JSONR_KIND_TRACE },
	{ KEY_PREPROCESSED, JSONR_KIND_FIREFOX },
	{ KEY_VERSION | KEY_THREADS, JSONR_KIND_GECKO },
	{ KEY_RESOURCE_PROFILES, JSONR_KIND_OTLP },
	{ KEY_GC_SAMPLES | KEY_MISSED_SAMPLES, JSONR_KIND_STACKPROF },
	{ KEY_DHAT, JSONR_KIND_DHAT },
};

static enum jsonr_kind kind_of_keys(uint32_t keys)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((keys & kinds[i].keys) == kinds[i].keys)
			return kinds[i].kind;
	return JSONR_KIND_OTHER;
}

static uint32_t kind_key_of(const struct jsonr *r, const struct kind_name *names)
{
	for (; names->name; names++)
		if (jsonr_is(r, names->name))
			return names->key;
	return 0;
}

/* The keys of the object that is next, as soon as they decide; of another value none. */
static uint32_t kind_keys_below(struct jsonr *r, uint32_t keys, const struct kind_name *names)
{
	if (jsonr_peek(r) != '{') {
		jsonr_skip(r);
		return keys;
	}
	jsonr_next(r);
	while (kind_of_keys(keys) == JSONR_KIND_OTHER && jsonr_key(r)) {
		keys |= kind_key_of(r, names);
		if (kind_of_keys(keys) == JSONR_KIND_OTHER)
			jsonr_skip(r);
	}
	return keys;
}

/* The keys of the first object of the array that is next, and `own` unless its items are not objects. */
static uint32_t kind_keys_of_items(struct jsonr *r, uint32_t keys, const struct kind_name *names, uint32_t own)
{
	if (jsonr_peek(r) != '[') {
		jsonr_skip(r);
		return keys;
	}
	jsonr_next(r);
	if (!jsonr_item(r))
		return keys | own;
	keys = kind_keys_below(r, jsonr_peek(r) == '{' ? keys | own : keys, names);
	while (kind_of_keys(keys) == JSONR_KIND_OTHER && jsonr_item(r))
		jsonr_skip(r);
	return keys;
}

/* The bits of a key at the top, and of what is below it. */
static uint32_t kind_keys_at(struct jsonr *r, uint32_t keys)
{
	static const char schema[] = "speedscope";

	if (jsonr_is(r, "meta"))
		return keys | kind_keys_below(r, 0, in_meta); /* its version alone does not decide before its end */
	if (jsonr_is(r, "head"))
		return kind_keys_below(r, keys | KEY_HEAD, in_head);
	if (jsonr_is(r, "nodes"))
		return kind_keys_of_items(r, keys, in_node, KEY_NODES);
	if (jsonr_is(r, "$schema") && jsonr_peek(r) == '"')
		return jsonr_string(r) && memmem(r->text, r->len, schema, sizeof(schema) - 1) ? keys | KEY_SCHEMA
											      : keys;
	keys |= kind_key_of(r, at_top);
	if (kind_of_keys(keys) == JSONR_KIND_OTHER)
		jsonr_skip(r);
	return keys;
}

enum jsonr_kind jsonr_find_kind(const void *data, size_t n)
{
	struct jsonr r;
	struct err err;
	enum jsonr_kind kind = JSONR_KIND_NONE;
	uint32_t keys = 0;
	char first;

	jsonr_init(&r, data, n, JSONR_DEPTH_OF_CALLS, &err);
	first = jsonr_peek(&r);
	if (first == '[') {
		kind = kind_of_keys(kind_keys_of_items(&r, 0, in_event, 0));
	} else if (first == '{') {
		jsonr_next(&r);
		while (kind_of_keys(keys) == JSONR_KIND_OTHER && jsonr_key(&r))
			keys = kind_keys_at(&r, keys);
		kind = kind_of_keys(keys);
	}
	jsonr_release(&r);
	return kind;
}
