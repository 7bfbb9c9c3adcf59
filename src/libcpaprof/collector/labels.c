/*
 * labels.c - the labels of samples, read from the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program may change a set while it is read, so each pair is copied before it is used.
 */
#include "config.h"

#include "libcpaprof/collector/labels.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/counts.h"

#include "libcpaprof/target/labels.h"

#include <stdio.h>

enum { REPLACEMENT_SIZE = 3 }; /* bytes of U+FFFD, which replaces an invalid byte */

size_t collect_utf8_length(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t size = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

	if (size == 0 || size > n)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* reject overlong encodings, surrogates, and values above U+10FFFF */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return size;
}

/* Copy a text as valid UTF-8 without NUL characters. Returns its length. */
static size_t collector_labels_copy(char *to, const char *from, size_t n)
{
	char text[LABELS_VALUE_MAX];
	size_t len = 0;

	memcpy(text, from, n);
	for (size_t i = 0; i < n;) {
		size_t size = text[i] ? collect_utf8_length(text + i, n - i) : 0;

		memcpy(to + len, size ? text + i : "\xef\xbf\xbd", size ? size : REPLACEMENT_SIZE);
		len += size ? size : REPLACEMENT_SIZE;
		i += size ? size : 1;
	}
	to[len] = '\0';
	return len;
}

static const uint8_t *section(const struct collect *c)
{
	return (const uint8_t *)c->head + c->layout.section[SECTION_LABELS];
}

int collect_labels(const struct collect *c, uint32_t id, collect_label_fn *f, void *arg)
{
	char key[LABELS_KEY_MAX * REPLACEMENT_SIZE + 1], value[LABELS_VALUE_MAX * REPLACEMENT_SIZE + 1];
	struct labels_pair pair;
	struct labels_walk w;
	int rc = 0;

	if (id == LABELS_OVERFLOW)
		return f(arg, LABELS_OVERFLOW_KEY, strlen(LABELS_OVERFLOW_KEY), LABELS_OVERFLOW_VALUE,
			 strlen(LABELS_OVERFLOW_VALUE));
	if (!labels_find(section(c), id, &w))
		return 0;
	while (rc == 0 && labels_next(&w, &pair)) {
		size_t n_key = collector_labels_copy(key, pair.key, pair.n.key),
		       n_value = collector_labels_copy(value, pair.value, pair.n.value);

		if (n_key)
			rc = f(arg, key, n_key, value, n_value);
	}
	return rc;
}

bool collect_profile_name(const struct collect *c, uint64_t number, char *out, size_t size)
{
	char name[LABELS_VALUE_MAX * REPLACEMENT_SIZE + 1];
	struct labels_pair pair;
	struct labels_walk w;

	if (number >= LABELS_ENTRIES || !labels_find(section(c), (uint32_t)number, &w) || !labels_next(&w, &pair) ||
	    pair.n.key != 0)
		return false;
	if (collector_labels_copy(name, pair.value, pair.n.value) == 0)
		return false;
	snprintf(out, size, "%s", name);
	return true;
}

uint64_t collect_profile_next(struct process *p, uint64_t number, char name[SNAP_NAME_MAX])
{
	const struct count_stack *stack;
	char seen[SNAP_NAME_MAX];
	uint64_t next = 0;

	counts_drain(p, collect_slot_index(p), true);
	stack = p->counts.stack.data;
	for (size_t i = 0; i < p->counts.stack.n; i++)
		if (stack[i].kind == STACK_CUSTOM && stack[i].extra > number && (!next || stack[i].extra < next) &&
		    collect_profile_name(p->c, stack[i].extra, seen, sizeof(seen))) {
			next = stack[i].extra;
			memcpy(name, seen, sizeof(seen));
		}
	return next;
}
