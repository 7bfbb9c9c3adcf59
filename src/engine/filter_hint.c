/*
 * filter_hint.c - suggestions when an expression matched nothing
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Expressions for names: suggest names that match if case is ignored, or that differ by a few typing errors.
 * Expressions for labels: list the labels of the profile.
 */
#include "config.h"

#include "engine/filter.h"
#include "engine/filter_int.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 3, LABELS_SHOWN = 5, ERRORS_MAX = 2 };

struct filter_hint_candidate {
	const char *name;
	size_t rank; /* 0 if only case differs, else the number of typing errors */
	uint64_t weight;
};

static void note_no_match(struct filter *f, const char *option)
{
	buf_addf(f->notes, "%s expression matched no samples", option);
}

/* The expression without anchors and backslashes, to compare with names. */
static char *plain_word(const char *pattern)
{
	char *word = mem_strndup(pattern, strlen(pattern)), *to = word;

	for (const char *c = pattern; *c; c++)
		if (!strchr("\\^$", *c))
			*to++ = *c;
	*to = 0;
	return word;
}

static size_t count_errors(const char *word, const char *name)
{
	size_t a = strlen(word), b = strlen(name), limit = a < 5 ? 1 : ERRORS_MAX;
	size_t d = a > b + limit || b > a + limit ? ERRORS_MAX + 1 : utf8_distance(word, name);

	return d <= limit ? d : ERRORS_MAX + 1;
}

/* The fewest typing errors in a part of the name: package, type or function. */
static size_t count_part_errors(const char *word, const char *name)
{
	static const char separators[] = "./:()*";
	size_t fewest = ERRORS_MAX + 1;

	for (const char *c = name + strspn(name, separators); *c; c += strspn(c, separators)) {
		size_t n = strcspn(c, separators), errors;
		char *part = mem_strndup(c, n);

		errors = count_errors(word, part);
		fewest = errors < fewest ? errors : fewest;
		free(part);
		c += n;
	}
	return fewest;
}

/* Approximate flat value of each function, to rank suggestions. */
static uint64_t *leaf_weights(const struct profile *p)
{
	uint64_t *weight = mem_zalloc(p->n_funcs, sizeof(*weight));

	for (uint32_t row = 0; p->n_types && row < p->n_rows; row++) {
		uint32_t stack = p->stack[row], loc;

		if (p->stacks.off[stack] == p->stacks.off[stack + 1])
			continue;
		loc = stack_id_at(&p->stacks, p->stacks.off[stack]);
		for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++)
			if (p->line_func[l] != PROFILE_NONE)
				weight[p->line_func[l]] += num_abs(p->value[p->n_types - 1][row]);
	}
	return weight;
}

static int by_rank(const void *a, const void *b)
{
	const struct filter_hint_candidate *l = a, *r = b;

	if (l->rank != r->rank)
		return l->rank < r->rank ? -1 : 1;
	if (l->weight != r->weight)
		return l->weight > r->weight ? -1 : 1;
	return strcmp(l->name, r->name);
}

static struct filter_hint_candidate *filter_hint_find_candidates(const struct profile *p, const char *pattern,
								 size_t *n)
{
	struct filter_hint_candidate *c = mem_alloc(p->n_funcs, sizeof(*c));
	uint64_t *weight = leaf_weights(p);
	char *word = plain_word(pattern);
	struct buf folded = { 0 };
	struct regex *rx = NULL, *exact = NULL;

	buf_addf(&folded, "(?i)%s", pattern);
	if (regex_new(buf_text(&folded), &rx, NULL) < 0)
		rx = NULL;
	if (regex_new(pattern, &exact, NULL) < 0)
		exact = NULL;
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		const char *name = profile_text(p, p->func_name[i]);
		size_t rank = count_errors(word, name), part = count_part_errors(word, name);
		bool yes = false;

		if (exact && regex_match(exact, name, strlen(name), &yes, NULL) == 0 && yes)
			continue; /* removed by another option */
		if (rx && regex_match(rx, name, strlen(name), &yes, NULL) == 0 && yes)
			rank = 0;
		rank = part < rank ? part : rank;
		if (rank <= ERRORS_MAX && *name)
			c[(*n)++] = (struct filter_hint_candidate){ name, rank, weight[i] };
	}
	regex_free(rx);
	regex_free(exact);
	buf_release(&folded);
	free(word);
	free(weight);
	return c;
}

/* Append names that are similar to the expression. */
static void add_similar(const struct profile *p, const char *pattern, struct buf *out)
{
	size_t n = 0;
	struct filter_hint_candidate *c = filter_hint_find_candidates(p, pattern, &n);
	const char *last = NULL;
	int shown = 0;

	if (n)
		qsort(c, n, sizeof(*c), by_rank);
	for (size_t i = 0; i < n && shown < NAMES_SHOWN; i++) {
		if (last && strcmp(last, c[i].name) == 0)
			continue;
		buf_addz(out, shown++ ? ", " : "; did you mean ");
		utf8_add_safe(out, c[i].name, strlen(c[i].name));
		last = c[i].name;
	}
	free(c);
}

void filter_hint_names(struct filter *f, const char *option, const char *pattern)
{
	note_no_match(f, option);
	add_similar(&f->d, pattern, f->notes);
	buf_addz(f->notes, "\n");
}

int filter_no_matches(const struct profile *p, const char *pattern, struct err *err)
{
	struct buf names = { 0 };
	int rc;

	add_similar(p, pattern, &names);
	rc = err_set(err, ERR_USAGE, "no matches found for regexp: %s%s", pattern, buf_text(&names));
	buf_release(&names);
	return rc;
}

/* Append item i to a list; items after the first LABELS_SHOWN become "...". */
static void filter_hint_add_item(struct buf *notes, const char *intro, uint32_t i, const struct buf *item)
{
	if (i > LABELS_SHOWN)
		return;
	buf_addz(notes, i == 0 ? intro : ", ");
	if (i == LABELS_SHOWN)
		buf_addz(notes, "...");
	else
		utf8_add_safe(notes, buf_text(item), item->len);
}

/* Append the values of a key in order of their ids. Returns their number. */
static uint32_t filter_hint_add_values(struct filter *f, const char *key)
{
	const struct profile *p = &f->d;
	uint32_t n = 0;

	for (uint32_t l = 0; l < p->n_labels && n <= LABELS_SHOWN; l++) {
		struct buf item = { 0 };

		if (strcmp(profile_text(p, p->label_key[l]), key) != 0)
			continue;
		if (p->label_is_text[l])
			buf_add(&item, profile_text(p, p->label_text[l]), strtab_len(p->str, p->label_text[l]));
		else
			unit_add_label(&item, p->label_num[l], profile_text(p, p->label_unit[l]), "auto");
		filter_hint_add_item(f->notes, "; its values are ", n++, &item);
		buf_release(&item);
	}
	return n;
}

static void filter_hint_add_keys(struct filter *f)
{
	const struct profile *p = &f->d;
	bool *seen = mem_zalloc(strtab_count(p->str), sizeof(*seen));
	uint32_t n = 0;

	for (uint32_t l = 0; l < p->n_labels && n <= LABELS_SHOWN; l++) {
		str_id key = p->label_key[l];
		struct buf item = { 0 };

		if (seen[key])
			continue;
		seen[key] = true;
		buf_add(&item, profile_text(p, key), strtab_len(p->str, key));
		filter_hint_add_item(f->notes, "; available label keys: ", n++, &item);
		buf_release(&item);
	}
	if (n == 0)
		buf_addz(f->notes, "; the profile has no labels");
	free(seen);
}

static void filter_hint_add_labels(struct filter *f, const char *key)
{
	if (!key || filter_hint_add_values(f, key) == 0)
		filter_hint_add_keys(f);
	buf_addz(f->notes, "\n");
}

/* Is there a text label whose value looks like the range? A number is parsed as a range even if the labels are text. */
static bool is_some_text(const struct filter *f, const struct tag_filter *t)
{
	const struct profile *p = &f->d;

	for (uint32_t l = 0; l < p->n_labels; l++)
		if (p->label_is_text[l] && strcmp(profile_text(p, p->label_text[l]), t->expr) == 0 &&
		    (!t->key || strcmp(profile_text(p, p->label_key[l]), t->key) == 0))
			return true;
	return false;
}

/* Is an expression meant as a range, with a fraction (1s:2.5s)? As in pprof, it is then a regular expression. */
static bool filter_hint_is_fraction(const char *expr)
{
	static const char digits[] = "0123456789";
	const char *point = strchr(expr, '.');
	bool has_fraction = point && point > expr && strchr(digits, point[-1]) && point[1] && strchr(digits, point[1]);

	for (; has_fraction && *expr; expr++)
		has_fraction = isalnum((unsigned char)*expr) || strchr(".:+-", *expr);
	return has_fraction;
}

void filter_hint_tags(struct filter *f, const struct tag_filter *t, const char *option)
{
	note_no_match(f, option);
	if (t->n_ranges == 1 && is_some_text(f, t))
		buf_addf(f->notes, "; '%s' is a range of numbers; for text labels use '%s%s%s$'\n", t->expr,
			 t->key ? t->key : "", t->key ? "=^" : ":", t->expr);
	else if (t->n_ranges == 0 && filter_hint_is_fraction(t->expr))
		buf_addz(f->notes, "; a range has whole numbers: 500ms:1s, not 0.5s:1s\n");
	else
		filter_hint_add_labels(f, t->key);
}

void filter_hint_keys(struct filter *f, const char *option)
{
	note_no_match(f, option);
	filter_hint_add_keys(f);
	buf_addz(f->notes, "\n");
}
