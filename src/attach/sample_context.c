/*
 * sample_context.c - the process context of sampled processes, and the labels of their threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/sample_int.h"
#include "base/utf8.h"
#include "libcpaprof/collector/threads.h"
#include "profile/edit.h"

#include <inttypes.h>
#include <string.h>

enum { CONTEXT_COMMENT_MAX = 200 /* bytes of the key, and of the value, of an attribute in a comment */ };

void attach_sample_find_context(const struct session *s, struct sampled *t)
{
	struct stack_reader *reader = threads_reader(t->p);

	if (reader)
		attach_labels_find(t->labels, t->pid, &reader->space, t->is_requested || s->kind != SAMPLE_CPU);
	external_read_labels(t->p, s->kind != SAMPLE_CPU ? &t->external_labels : NULL);
}

void attach_sample_describe_labels(struct session *s)
{
	uint64_t n_read = 0, n_unknown = 0, read, unknown;
	struct external *e = &s->external;
	char *to = e->comment[EXTERNAL_COMMENTS - 1];
	bool exist = false;

	for (size_t i = 0; i < s->n; i++) {
		struct sampled *t = s->target[i];

		if (!external_has_ended(t->p))
			attach_sample_find_context(s, t);
		attach_labels_count(t->labels, &read, &unknown);
		exist |= attach_labels_exist(t->labels);
		n_read += read;
		n_unknown += unknown;
	}
	if (!exist)
		return;
	if (s->kind == SAMPLE_CPU)
		snprintf(to, sizeof(e->comment[0]),
			 "labels of threads: not in samples of CPU time; --wall reads those of waiting threads");
	else if (n_unknown)
		snprintf(to, sizeof(e->comment[0]),
			 "labels of threads: not found for %" PRIu64 " of %" PRIu64 " samples", n_unknown, n_read);
	else if (s->events && s->wait_ns)
		snprintf(to, sizeof(e->comment[0]),
			 "labels of threads: known for %.1f %% of the time of waits; not for short waits, nor for CPU "
			 "time",
			 100.0 * (double)s->labelled_ns / (double)s->wait_ns);
}

void attach_sample_comment_context(const struct sampled *t, struct profile *to)
{
	const struct process_context *c = attach_labels_context(t->labels);
	struct buf b = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		const char *key = c->text.data + c->key[i], *value = c->text.data + c->value[i];

		buf_addz(&b, i ? ", " : "process context: ");
		utf8_add_safe(&b, key, utf8_prefix(key, strlen(key), CONTEXT_COMMENT_MAX));
		buf_addz(&b, "=");
		utf8_add_safe(&b, value, utf8_prefix(value, strlen(value), CONTEXT_COMMENT_MAX));
	}
	if (c->problem)
		buf_addf(&b, "%s%s", c->n ? "; last change not read: " : "process context: not read: ", c->problem);
	if (b.len)
		profile_add_comment(to, buf_text(&b));
	buf_release(&b);
}

int attach_sample_label_service(const struct sampled *t, struct profile *p, struct err *err)
{
	static const char key[] = "service.name";
	const char *service = attach_context_value(attach_labels_context(t->labels), key);

	return service ? profile_set_label(p, key, service, err) : 0;
}
