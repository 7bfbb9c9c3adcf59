/*
 * filter_tags.c - filters by label
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/filter_int.h"

#include "base/mem.h"

#include <stdlib.h>

static bool any(const uint8_t *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i])
			return true;
	return false;
}

/* When no sample had been left, the expression is not to blame. */
static void hint(struct filter *f, const struct tag_filter *t, const char *option, bool some_left)
{
	if (some_left)
		filter_hint_tags(f, t, option);
	else
		buf_addf(f->notes, "%s expression matched no samples; none had been left\n", option);
}

/* tagfocus and tagignore: which label sets take their rows with them. */
static int filter_by_tag(struct filter *f, const struct label_units *units, struct err *err)
{
	uint32_t n = f->d.label_sets.n;
	uint8_t *used = filter_used_sets(f), *focus = mem_zalloc(n, 1), *ignore = mem_zalloc(n, 1);
	int rc = 0;

	if (f->tagfocus.is_set)
		rc = tag_filter_match(f, &f->tagfocus, units, used, focus, err);
	if (rc == 0 && f->tagignore.is_set)
		rc = tag_filter_match(f, &f->tagignore, units, used, ignore, err);
	if (rc == 0) {
		f->set_goes = arena_alloc(f->mem, n, 1);
		for (uint32_t s = 0; s < n; s++)
			f->set_goes[s] = (f->tagfocus.is_set && !focus[s]) || ignore[s];
		if (f->tagfocus.is_set && !any(focus, n))
			hint(f, &f->tagfocus, "TagFocus", any(used, n));
		if (f->tagignore.is_set && !any(ignore, n))
			hint(f, &f->tagignore, "TagIgnore", any(used, n));
	}
	free(used);
	free(focus);
	free(ignore);
	return rc;
}

enum { KEY_USED = 1, KEY_SHOWN = 2, KEY_HIDDEN = 4 };

struct keys {
	struct filter *f;
	str_id *key; /* [n] distinct keys of labels in use */
	uint32_t n;
	uint8_t *bits; /* [n] KEY_ */
	uint8_t *of;   /* [strings] the same by key */
};

static void collect_keys(struct keys *k, const uint8_t *used)
{
	const struct profile *p = &k->f->d;
	const struct csr *sets = &p->label_sets;

	k->of = mem_zalloc(strtab_count(p->str), 1);
	k->key = mem_alloc(p->n_labels, sizeof(*k->key));
	for (uint32_t s = 0; s < sets->n; s++) {
		for (uint32_t i = sets->off[s]; used[s] && i < sets->off[s + 1]; i++) {
			str_id key = p->label_key[sets->item[i]];

			if (!k->of[key])
				k->key[k->n++] = key;
			k->of[key] = KEY_USED;
		}
	}
	k->bits = mem_zalloc(k->n, 1);
}

static const char *key_text(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct keys *k = arg;

	(void)scratch;
	*n = strtab_len(k->f->d.str, k->key[i]);
	return profile_text(&k->f->d, k->key[i]);
}

static int match_keys(struct keys *k, struct err *err)
{
	struct filter *f = k->f;
	uint8_t seen = 0;
	int rc = 0;

	if (f->tagshow.rx)
		rc = matcher_all(&f->tagshow, key_text, k, k->n, k->bits, KEY_SHOWN, err);
	if (rc == 0 && f->taghide.rx)
		rc = matcher_all(&f->taghide, key_text, k, k->n, k->bits, KEY_HIDDEN, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < k->n; i++) {
		seen |= k->bits[i];
		k->of[k->key[i]] |= k->bits[i];
	}
	if (f->tagshow.rx && !(seen & KEY_SHOWN))
		filter_hint_keys(f, "TagShow");
	if (f->taghide.rx && !(seen & KEY_HIDDEN))
		filter_hint_keys(f, "TagHide");
	return 0;
}

/* New label sets without the labels that go; sets keep their ids. */
static void remove_labels(struct keys *k)
{
	struct filter *f = k->f;
	const struct csr *in = &f->d.label_sets;
	bool show = f->tagshow.rx != NULL;
	struct csr out = { .n = in->n };
	uint32_t n = 0;

	out.off = arena_alloc(f->mem, (size_t)in->n + 1, sizeof(*out.off));
	out.item = arena_alloc(f->mem, in->off[in->n], sizeof(*out.item));
	for (uint32_t s = 0; s < in->n; s++) {
		out.off[s] = n;
		for (uint32_t i = in->off[s]; i < in->off[s + 1]; i++) {
			uint8_t bits = k->of[f->d.label_key[in->item[i]]];

			if (!(bits & KEY_HIDDEN) && (!show || bits & KEY_SHOWN))
				out.item[n++] = in->item[i];
		}
	}
	out.off[in->n] = n;
	f->d.label_sets = out;
}

static int filter_labels(struct filter *f, struct err *err)
{
	struct keys k = { .f = f };
	uint8_t *used = filter_used_sets(f);
	int rc;

	collect_keys(&k, used);
	rc = match_keys(&k, err);
	if (rc == 0)
		remove_labels(&k);
	free(used);
	free(k.of);
	free(k.key);
	free(k.bits);
	return rc;
}

int filter_tags(struct filter *f, const struct label_units *units, struct err *err)
{
	int rc = 0;

	if (f->tagfocus.is_set || f->tagignore.is_set)
		rc = filter_by_tag(f, units, err);
	if (rc == 0 && (f->tagshow.rx || f->taghide.rx))
		rc = filter_labels(f, err);
	return rc;
}
