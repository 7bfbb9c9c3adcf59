/*
 * proto_labels.c - read the labels of samples of a profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most labels of a file are one of few. So a stream keeps the ids of the labels that it decoded, by their bytes: a label
 * with the same bytes is not decoded, and no equal one is searched.
 */
#include "config.h"

#include "formats/pprof/proto_pipeline.h"

#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>

enum { LABEL_MEMOS = 2048, MEMO_BYTES_MIN = 4, MEMO_BYTES_MAX = 16 };

/* A label that was decoded. */
struct label_memo {
	uint64_t word[2]; /* its bytes: the first 8 and the last 8, or the first 4 and the last 4 */
	uint32_t n;       /* number of bytes; 0: none */
	uint32_t label;   /* id, unless labels are skipped */
};

/* The memo of a label: its own, one to be replaced, or NULL for a long label. key: set to its words and size */
static struct label_memo *label_memo_find(struct pipeline *pipeline, const struct field *span, struct label_memo *key)
{
	uint32_t half[2];

	if (!pipeline->is_stream || span->n < MEMO_BYTES_MIN || span->n > MEMO_BYTES_MAX)
		return NULL;
	if (span->n >= sizeof(key->word[0])) {
		memcpy(&key->word[0], span->data, sizeof(key->word[0]));
		memcpy(&key->word[1], span->data + span->n - sizeof(key->word[1]), sizeof(key->word[1]));
	} else {
		memcpy(&half[0], span->data, sizeof(half[0]));
		memcpy(&half[1], span->data + span->n - sizeof(half[1]), sizeof(half[1]));
		key->word[0] = half[0];
		key->word[1] = half[1];
	}
	key->n = (uint32_t)span->n;
	if (!pipeline->memo)
		pipeline->memo = mem_zalloc(LABEL_MEMOS, sizeof(*pipeline->memo));
	return &pipeline->memo[hash_mix(key->word[0] ^ hash_secret[0], key->word[1] ^ hash_secret[1]) % LABEL_MEMOS];
}

/* The string of a label. In a stream the strings are not known yet, and it is the index. */
static int label_string(struct pipeline *pipeline, uint64_t index, const char *what, str_id *out, struct err *err)
{
	if (!pipeline->is_stream)
		return proto_string(pipeline->p, index, what, out, err);
	if (index >= UINT32_MAX)
		return err_set(err, ERR_FORMAT, "%s: string %" PRIu64, what, index);
	*out = (str_id)index;
	if (pipeline->n_label_strings <= index)
		pipeline->n_label_strings = (uint32_t)index + 1;
	return 0;
}

/* Count a label of the sample. In a stream it has an id, else it is added to the slot. */
static void label_keep(struct sample *s, uint32_t id, const struct builder_label *l)
{
	struct pipeline *pipeline = s->pipeline;
	struct proto_sample_slot *slot = s->slot;

	s->n_kept++;
	if (pipeline->skips_labels)
		return;
	if (pipeline->is_stream) {
		pipeline->label_ids = mem_grow(pipeline->label_ids, &pipeline->cap_label_ids, slot->n_labels + 1,
					       sizeof(*pipeline->label_ids));
		pipeline->label_ids[slot->n_labels++] = id;
	} else {
		slot->label = mem_grow(slot->label, &slot->cap_labels, slot->n_labels + 1, sizeof(*slot->label));
		slot->label[slot->n_labels++] = *l;
	}
}

int proto_label_decode(struct sample *s, const struct field *span, struct err *err)
{
	struct pipeline *pipeline = s->pipeline;
	struct label_memo key = { 0 }, *memo = label_memo_find(pipeline, span, &key);
	struct cursor c = { span->data, span->data + span->n, NULL };
	struct builder_label l;
	uint64_t v[5] = { 0 };
	int rc;

	s->n_labels++;
	if (memo && memo->word[0] == key.word[0] && memo->word[1] == key.word[1] && memo->n == key.n) {
		label_keep(s, memo->label, NULL);
		return 0;
	}
	if (!cursor_numbers(&c, 4, v))
		return proto_wire_error(pipeline, &c, err);
	if (v[2] == 0 && v[3] == 0 && v[4] == 0)
		return 0;
	l = (struct builder_label){ .is_text = v[2] != 0, .num = v[2] ? 0 : (int64_t)v[3] };
	if (label_string(pipeline, v[1], "key", &l.key, err) < 0 ||
	    label_string(pipeline, v[2], "text", &l.text, err) < 0 ||
	    label_string(pipeline, v[2] ? 0 : v[4], "unit", &l.unit, err) < 0)
		return err_wrap(err, "label %" PRIu32, s->n_labels);
	if (pipeline->is_stream && !pipeline->skips_labels) {
		rc = builder_label(pipeline->p->builder, &l, &key.label, err);
		if (rc < 0)
			return rc;
	}
	if (memo)
		*memo = key;
	label_keep(s, key.label, &l);
	return 0;
}

int proto_find_label_sets(struct pipeline *pipeline, const uint32_t *label, const size_t *end, uint32_t first,
			  uint32_t n, uint32_t *set, struct err *err)
{
	struct builder *b = pipeline->p->builder;
	int rc = builder_label_sets(b, label, end, n, set, err);

	if (rc == 0 && first + n == TRIAL_ROWS)
		builder_reserve_label_sets(b, TRIAL_ROWS, pipeline->n_rows);
	return rc;
}

int proto_slot_label_sets(struct pipeline *pipeline, const struct proto_sample_slot *slot, uint32_t first,
			  uint32_t *set, struct err *err)
{
	size_t n = slot->n ? slot->label_end[slot->n - 1] : 0;
	int rc = 0;

	pipeline->label_ids = mem_grow(pipeline->label_ids, &pipeline->cap_label_ids, n, sizeof(*pipeline->label_ids));
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = builder_label(pipeline->p->builder, &slot->label[i], &pipeline->label_ids[i], err);
	return rc == 0 ? proto_find_label_sets(pipeline, pipeline->label_ids, slot->label_end, first, slot->n, set, err)
		       : rc;
}
