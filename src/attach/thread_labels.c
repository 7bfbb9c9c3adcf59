/*
 * thread_labels.c - labels that a program set for its threads, read from its memory while they wait
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/thread_labels.h"

#include "attach/tls.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "libcpaprof/collector/read/maps.h"
#include "libcpaprof/collector/read/task.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OBJECTS_MAX = 4096, ABI_VERSION = 1 };
#define OVERFLOW_KEY "cpa_label_overflow"

/* A label while a set is read: offsets of texts, each with a NUL, in thread_labels.text. */
struct label_texts {
	uint32_t key, value;
};

struct thread_labels {
	struct process_context context;
	bool has_records, has_custom; /* is the variable of each layout known? */
	struct tls_variable record, custom;
	uint64_t n_read, n_unknown;
	/* the set that is read now */
	struct buf text;
	struct label_texts pair[LABEL_PAIRS_READ_MAX]; /* [n] sorted by key */
	size_t n;
	/* all sets: key, NUL, value, NUL, ... */
	struct buf sets;
	uint32_t *set; /* [n_sets + 1] offsets in sets */
	size_t n_sets, cap_sets;
	struct idtab ids;
};

struct thread_labels *attach_labels_new(void)
{
	struct thread_labels *l = mem_zalloc(1, sizeof(*l));

	idtab_init(&l->ids, 16);
	l->set = mem_grow(l->set, &l->cap_sets, 2, sizeof(*l->set));
	l->set[0] = 0;
	return l;
}

void attach_labels_free(struct thread_labels *l)
{
	if (!l)
		return;
	attach_context_release(&l->context);
	buf_release(&l->text);
	buf_release(&l->sets);
	idtab_release(&l->ids);
	free(l->set);
	free(l);
}

/* The mappings of a process that may be of interest. */
struct label_mappings {
	uint64_t context;
	uint64_t *object; /* [n] where objects begin; the executable is first, if has_program */
	size_t n, cap;
	bool has_program;
	struct stat program;
};

static bool labels_take_mapping(void *arg, const char *line)
{
	struct label_mappings *s = arg;
	struct maps_line m;

	if (!maps_parse_line(line, &m))
		return true;
	if (!s->context && attach_context_is_mapping(m.path) && m.perm[2] != 'x')
		s->context = m.start;
	if (!m.ino || m.offset || m.perm[0] != 'r' || attach_context_is_mapping(m.path) || s->n == OBJECTS_MAX)
		return true;
	s->object = mem_grow(s->object, &s->cap, s->n + 1, sizeof(*s->object));
	s->object[s->n++] = m.start;
	if (!s->has_program && m.ino == s->program.st_ino && m.dev == s->program.st_dev) {
		s->object[s->n - 1] = s->object[0];
		s->object[0] = m.start;
		s->has_program = true;
	}
	return true;
}

/* Find the variables in an object, unless an earlier one has them. */
static void labels_find_variables(struct thread_labels *l, const struct tls_object *o)
{
	uint64_t version_at = l->has_custom ? 0 : attach_tls_find_global(o, "custom_labels_abi_version");
	uint32_t version;

	if (!l->has_records)
		l->has_records = attach_tls_find(o, "otel_thread_ctx_v1", &l->record);
	if (version_at && space_read(o->space, version_at, &version, sizeof(version)) == sizeof(version) &&
	    version == ABI_VERSION)
		l->has_custom = attach_tls_find(o, "custom_labels_current_set", &l->custom);
}

void attach_labels_find(struct thread_labels *l, pid_t pid, struct address_space *space, bool wants_threads)
{
	struct label_mappings s = { .n = 0 };
	uint32_t n_steps = TLS_STEPS_MAX;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &s.program) != 0)
		s.program.st_ino = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	maps_read_lines(fd, labels_take_mapping, &s);
	close(fd);
	l->has_records = l->has_custom = false;
	for (size_t i = 0; wants_threads && i < s.n && !(l->has_records && l->has_custom); i++) {
		struct tls_object o;

		if (attach_tls_open(&o, space, s.object[i], i == 0 && s.has_program, &n_steps))
			labels_find_variables(l, &o);
	}
	free(s.object);
	l->context.address = s.context;
	attach_context_read(&l->context, space);
}

const struct process_context *attach_labels_context(const struct thread_labels *l)
{
	return &l->context;
}

bool attach_labels_exist(const struct thread_labels *l)
{
	return (l->has_records && l->context.has_thread_contexts) || l->has_custom;
}

void attach_labels_count(const struct thread_labels *l, uint64_t *n_read, uint64_t *n_unknown)
{
	*n_read = l->n_read;
	*n_unknown = l->n_unknown;
}

/* Insert a label in order of keys. The first one with a key is kept. */
static void labels_put(struct thread_labels *l, const uint8_t *key, size_t n_key, const uint8_t *value, size_t n_value)
{
	struct label_texts new = { .key = attach_context_add_text(&l->text, key, n_key) };
	size_t at = l->n;

	new.value = attach_context_add_text(&l->text, value, n_value);
	while (at && strcmp(l->text.data + l->pair[at - 1].key, l->text.data + new.key) > 0)
		at--;
	if (l->n == LABEL_PAIRS_READ_MAX || n_key == 0 ||
	    (at && strcmp(l->text.data + l->pair[at - 1].key, l->text.data + new.key) == 0))
		return;
	memmove(l->pair + at + 1, l->pair + at, (l->n - at) * sizeof(*l->pair));
	l->pair[at] = new;
	l->n++;
}

/* Add an id as hexadecimal digits, unless it is 0. */
static void labels_put_id(struct thread_labels *l, const char *key, const uint8_t *id, size_t n)
{
	char text[2 * 16 + 1] = "";
	bool is_set = false;

	for (size_t i = 0; i < n; i++) {
		is_set |= id[i] != 0;
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	}
	if (is_set)
		labels_put(l, (const uint8_t *)key, strlen(key), (const uint8_t *)text, 2 * n);
}

/* The layout of OTEP 4947. */
struct thread_record {
	uint8_t trace_id[16], span_id[8], valid, trace_flags;
	uint16_t n_attrs;
};

/* Add the labels of a record. A later value for a key replaces an earlier one; keys without a name are ignored. */
static void labels_put_attrs(struct thread_labels *l, const uint8_t *attrs, size_t n)
{
	const struct process_context *c = &l->context;
	size_t last[CONTEXT_KEYS_READ_MAX] = { 0 }; /* position + 1 */

	for (size_t i = 0; i + 2 <= n && i + 2 + attrs[i + 1] <= n; i += 2 + (size_t)attrs[i + 1])
		last[attrs[i]] = i + 1;
	for (size_t key = 0; key < c->n_label_keys; key++) {
		const char *name = c->text.data + c->label_key[key];
		size_t at = last[key];

		if (at)
			labels_put(l, (const uint8_t *)name, strlen(name), attrs + at + 1, attrs[at]);
	}
}

/* Does a record have a key whose name is not known? It was added after the context was read. */
static bool has_unknown_key(const struct thread_labels *l, const uint8_t *attrs, size_t n)
{
	for (size_t i = 0; i + 2 <= n && i + 2 + attrs[i + 1] <= n; i += 2 + (size_t)attrs[i + 1])
		if (attrs[i] >= l->context.n_label_keys)
			return true;
	return false;
}

static void labels_read_record(struct thread_labels *l, struct address_space *space, uint64_t thread_pointer)
{
	uint64_t variable = attach_tls_address(space, &l->record, thread_pointer), at;
	struct thread_record head;
	uint8_t *attrs;

	if (!variable || space_read(space, variable, &at, sizeof(at)) != sizeof(at) || !at ||
	    space_read(space, at, &head, sizeof(head)) != sizeof(head) || head.valid != 1)
		return;
	labels_put_id(l, "trace_id", head.trace_id, sizeof(head.trace_id));
	labels_put_id(l, "span_id", head.span_id, sizeof(head.span_id));
	attrs = mem_alloc((size_t)head.n_attrs + 1, 1);
	if (space_read(space, at + sizeof(head), attrs, head.n_attrs) == head.n_attrs) {
		if (has_unknown_key(l, attrs, head.n_attrs))
			attach_context_read(&l->context, space);
		labels_put_attrs(l, attrs, head.n_attrs);
	}
	free(attrs);
}

/* The layout of Custom Label ABI (v1). */
struct custom_text {
	uint64_t n, at;
};
struct custom_label {
	struct custom_text key, value;
};
struct custom_set {
	uint64_t labels, n, capacity;
};

/* Read a text, cut before a character. Returns its length. */
static size_t labels_read_text(struct address_space *space, const struct custom_text *t, uint8_t *to, size_t max)
{
	size_t n = t->n <= max ? (size_t)t->n : max + 1;

	if (!t->at || space_read(space, t->at, to, n) != n)
		return 0;
	return utf8_prefix((const char *)to, n, max);
}

static void labels_read_custom(struct thread_labels *l, struct address_space *space, uint64_t thread_pointer)
{
	uint64_t variable = attach_tls_address(space, &l->custom, thread_pointer), at;
	uint8_t key[LABEL_KEY_READ_MAX + 1], value[LABEL_VALUE_READ_MAX + 1];
	struct custom_set set;

	if (!variable || space_read(space, variable, &at, sizeof(at)) != sizeof(at) || !at ||
	    space_read(space, at, &set, sizeof(set)) != sizeof(set))
		return;
	for (uint64_t i = 0; i < set.n && i < LABEL_PAIRS_READ_MAX; i++) {
		struct custom_label label;
		size_t n_key;

		if (space_read(space, set.labels + i * sizeof(label), &label, sizeof(label)) != sizeof(label))
			return;
		n_key = labels_read_text(space, &label.key, key, LABEL_KEY_READ_MAX);
		if (n_key)
			labels_put(l, key, n_key, value,
				   labels_read_text(space, &label.value, value, LABEL_VALUE_READ_MAX));
	}
}

/* The number of the set that was read. Sets are numbered from 1. */
static uint32_t labels_intern(struct thread_labels *l)
{
	uint32_t at = (uint32_t)l->sets.len, id;
	uint64_t hash;

	for (size_t i = 0; i < l->n; i++) {
		const char *key = l->text.data + l->pair[i].key, *value = l->text.data + l->pair[i].value;

		buf_add(&l->sets, key, strlen(key) + 1);
		buf_add(&l->sets, value, strlen(value) + 1);
	}
	hash = hash_bytes(l->sets.data + at, l->sets.len - at);
	for (size_t pos = idtab_start(&l->ids, hash); idtab_next(&l->ids, hash, &pos, &id);)
		if (l->set[id] - l->set[id - 1] == l->sets.len - at &&
		    memcmp(l->sets.data + l->set[id - 1], l->sets.data + at, l->sets.len - at) == 0) {
			l->sets.len = at;
			return id;
		}
	if (l->n_sets == LABEL_SETS_MAX || l->sets.len > LABEL_BYTES_MAX) {
		l->sets.len = at;
		return LABEL_SETS_MAX + 1;
	}
	l->set = mem_grow(l->set, &l->cap_sets, ++l->n_sets + 1, sizeof(*l->set));
	l->set[l->n_sets] = (uint32_t)l->sets.len;
	idtab_put(&l->ids, hash, (uint32_t)l->n_sets);
	return (uint32_t)l->n_sets;
}

uint32_t attach_labels_read(void *labels, struct address_space *space, int folder, uint32_t tid)
{
	struct thread_labels *l = labels;
	struct task_times before, after;
	uint64_t thread_pointer;

	if (!attach_labels_exist(l) || !task_times(folder, tid, &before))
		return 0;
	l->n_read++;
	thread_pointer = attach_tls_thread_pointer(space, tid);
	if (!thread_pointer) {
		l->n_unknown++;
		return 0;
	}
	l->text.len = l->n = 0;
	if (l->has_records && l->context.has_thread_contexts)
		labels_read_record(l, space, thread_pointer);
	if (l->has_custom)
		labels_read_custom(l, space, thread_pointer);
	if (l->n == 0 || !task_times(folder, tid, &after) || after.runs != before.runs)
		return 0;
	return labels_intern(l);
}

int attach_labels_each(void *labels, uint32_t set, collect_label_fn *f, void *arg)
{
	const struct thread_labels *l = labels;
	int rc = 0;

	if (set == LABEL_SETS_MAX + 1)
		return f(arg, OVERFLOW_KEY, strlen(OVERFLOW_KEY), "1", 1);
	if (set == 0 || set > l->n_sets)
		return 0;
	for (uint32_t at = l->set[set - 1]; rc == 0 && at < l->set[set];) {
		const char *key = l->sets.data + at, *value = key + strlen(key) + 1;

		rc = f(arg, key, strlen(key), value, strlen(value));
		at += (uint32_t)(strlen(key) + strlen(value) + 2);
	}
	return rc;
}
