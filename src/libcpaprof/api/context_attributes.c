/*
 * context_attributes.c - the attributes of this process, from the program and from the environment
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The variables are those of OpenTelemetry's SDKs, "Resource SDK" and "Environment Variable Specification".
 */
#include "config.h"

#include "libcpaprof/api/context.h"

#include "libcpaprof/api/options.h"
#include "libcpaprof/collector/labels.h"
#include "libcpaprof/target/env.h"
#include "libcpaprof/target/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

enum { TEXT_MAX = 4096, UUID_BYTES = 16, UUID_TEXT = 37 };
#define ATTRIBUTE_INSTANCE "service.instance.id"

/* Pairs of texts, each with a NUL. Zero-initialised. */
struct context_pairs {
	uint16_t key[CONTEXT_PAIRS_MAX], value[CONTEXT_PAIRS_MAX]; /* [n] offsets in text */
	uint32_t n, n_text;
	char text[CONTEXT_PAIRS_TEXT];
};

static struct context_pairs attributes, changed; /* changed: the next ones, while they are made */
static bool has_own_instance;                    /* is the id of the instance one that we made? */

bool context_copy(char *to, size_t max, const char *from, size_t n)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t len = 0;

	for (size_t i = 0; i < n;) {
		size_t size = collect_utf8_length(from + i, n - i), written = size ? size : sizeof(replacement) - 1;

		if (len + written >= max) {
			to[len] = '\0';
			return false;
		}
		memcpy(to + len, size ? from + i : replacement, written);
		len += written;
		i += size ? size : 1;
	}
	to[len] = '\0';
	return true;
}

/* Append a text. Returns false if it does not fit. */
static bool pairs_add_text(struct context_pairs *to, const char *text, uint16_t *at)
{
	*at = (uint16_t)to->n_text;
	if (!context_copy(to->text + to->n_text, sizeof(to->text) - to->n_text, text, strlen(text)))
		return false;
	to->n_text += (uint32_t)strlen(to->text + to->n_text) + 1;
	return to->n_text < sizeof(to->text);
}

static bool pairs_add(struct context_pairs *to, const char *key, const char *value)
{
	if (to->n == CONTEXT_PAIRS_MAX || !pairs_add_text(to, key, &to->key[to->n]) ||
	    !pairs_add_text(to, value, &to->value[to->n]))
		return false;
	to->n++;
	return true;
}

static bool is_among(const char *key, const char *const kv[], size_t from, size_t pairs)
{
	for (size_t i = from; i < pairs; i++)
		if (strcmp(kv[2 * i], key) == 0)
			return true;
	return false;
}

/* A key is not empty, and valid UTF-8. */
static bool attribute_is_key(const char *key)
{
	size_t n = key ? strlen(key) : 0, size = n;

	for (size_t i = 0; size && i < n; i += size)
		size = collect_utf8_length(key + i, n - i);
	return size > 0;
}

int context_attributes_set(const char *const kv[], size_t pairs)
{
	changed.n = changed.n_text = 0;
	for (size_t i = 0; i < pairs; i++)
		if (!attribute_is_key(kv[2 * i]))
			return -EINVAL;
	for (uint32_t i = 0; i < attributes.n; i++) {
		const char *key = attributes.text + attributes.key[i];

		if (!is_among(key, kv, 0, pairs) && !pairs_add(&changed, key, attributes.text + attributes.value[i]))
			return -EMSGSIZE;
	}
	for (size_t i = 0; i < pairs; i++)
		if (kv[2 * i + 1] && !is_among(kv[2 * i], kv, i + 1, pairs) &&
		    !pairs_add(&changed, kv[2 * i], kv[2 * i + 1]))
			return -EMSGSIZE;
	has_own_instance &= !is_among(ATTRIBUTE_INSTANCE, kv, 0, pairs);
	attributes = changed;
	return 0;
}

static int attribute_set_one(const char *key, const char *value)
{
	const char *const kv[] = { key, value };

	return context_attributes_set(kv, 1);
}

/* The value of an attribute; NULL: it has none. */
static char *attribute_value(const char *key)
{
	for (uint32_t i = 0; i < attributes.n; i++)
		if (strcmp(attributes.text + attributes.key[i], key) == 0)
			return attributes.text + attributes.value[i];
	return NULL;
}

static int context_hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* Decode %XX in [from, from + n), without spaces around it. Returns false if it is malformed. */
static bool read_encoded(const char *from, size_t n, char out[TEXT_MAX])
{
	size_t len = 0;

	for (; n && (*from == ' ' || *from == '\t'); n--)
		from++;
	while (n && (from[n - 1] == ' ' || from[n - 1] == '\t'))
		n--;
	for (size_t i = 0; i < n; i++) {
		int high = from[i] == '%' && i + 2 < n ? context_hex_digit(from[i + 1]) : -1;
		int low = high >= 0 ? context_hex_digit(from[i + 2]) : -1;

		if (len + 1 == TEXT_MAX || (from[i] == '%' && (low < 0 || (high == 0 && low == 0))))
			return false;
		out[len++] = (char)(from[i] == '%' ? high << 4 | low : from[i]);
		i += from[i] == '%' ? 2 : 0;
	}
	out[len] = '\0';
	return true;
}

/* Read KEY=VALUE,KEY=VALUE. As the specification demands, nothing of a malformed text is used. */
static bool read_attributes(const char *text)
{
	static char key[TEXT_MAX], value[TEXT_MAX];
	static struct context_pairs before;

	before = attributes;
	while (*text) {
		size_t n = strcspn(text, ","), n_key = strcspn(text, "=,");

		if (n_key == n || !read_encoded(text, n_key, key) ||
		    !read_encoded(text + n_key + 1, n - n_key - 1, value) || attribute_set_one(key, value) < 0) {
			attributes = before;
			return false;
		}
		text += n + (text[n] == ',');
	}
	return true;
}

/* A random UUID, version 4 of RFC 9562. */
static void make_uuid(char out[UUID_TEXT])
{
	uint8_t b[UUID_BYTES];

	if (sys_call(SYS_getrandom, (long)b, sizeof(b), 1 /* GRND_NONBLOCK */, 0) != sizeof(b)) {
		uint64_t word[2] = { sys_now(CLOCK_REALTIME), sys_now(CLOCK_MONOTONIC) ^ (uint64_t)sys_getpid() << 32 };

		memcpy(b, word, sizeof(b));
	}
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	snprintf(out, UUID_TEXT, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
		 b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

void context_attributes_renew(void)
{
	char *value = attribute_value(ATTRIBUTE_INSTANCE), id[UUID_TEXT];

	if (value && !has_own_instance)
		return;
	make_uuid(id);
	if (value) /* in place, because a child copies each page that it writes to */
		memcpy(value, id, sizeof(id));
	else
		has_own_instance = attribute_set_one(ATTRIBUTE_INSTANCE, id) == 0;
}

void context_attributes_begin(void)
{
	const char *list = getauxval(AT_SECURE) ? NULL : cpi_env_value_sig("OTEL_RESOURCE_ATTRIBUTES");
	const char *name = getauxval(AT_SECURE) ? NULL : cpi_env_value_sig("OTEL_SERVICE_NAME");
	char unknown[300];

	if (list && !read_attributes(list))
		api_options_complain("OTEL_RESOURCE_ATTRIBUTES: not KEY=VALUE,KEY=VALUE, or too long; ignored");
	if (name && *name && attribute_set_one("service.name", name) < 0)
		api_options_complain("OTEL_SERVICE_NAME: too long; ignored");
	snprintf(unknown, sizeof(unknown), "unknown_service:%.250s", program_invocation_short_name);
	if (!attribute_value("service.name"))
		attribute_set_one("service.name", unknown);
	context_attributes_renew();
	attribute_set_one("telemetry.sdk.name", "cpa");
	attribute_set_one("telemetry.sdk.language", "cpp");
	attribute_set_one("telemetry.sdk.version", PACKAGE_VERSION);
}

void context_write_pair(struct wire *w, uint32_t field, const char *key, const char *value)
{
	size_t n = strlen(value), pair = wire_open(w, field), any;

	wire_bytes(w, CONTEXT_PAIR_KEY, key, strlen(key));
	any = wire_open(w, CONTEXT_PAIR_VALUE);
	wire_bytes(w, CONTEXT_ANY_STRING, value, n);
	wire_close(w, any);
	wire_close(w, pair);
}

void context_attributes_write(struct wire *w)
{
	for (uint32_t i = 0; i < attributes.n; i++)
		context_write_pair(w, CONTEXT_RESOURCE_ATTRIBUTES, attributes.text + attributes.key[i],
				   attributes.text + attributes.value[i]);
}
