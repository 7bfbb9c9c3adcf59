/*
 * window_clock.c - the clock and the marks by which sources store: are resolved
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/window/window.h"

#include "base/time.h"
#include <string.h>

struct latest {
	const char *version;
	int64_t time_ns;
	bool is_found;
};

/* Is the version one of the words of a text? */
static bool window_clock_has_word(const char *text, const char *version)
{
	size_t n = strlen(version);

	for (const char *at = text; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, " ") == n && memcmp(at, version, n) == 0)
			return true;
	return false;
}

static int note_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	struct latest *l = arg;

	(void)service, (void)err;
	if ((*l->version && !window_clock_has_word(m->text, l->version)) || (l->is_found && m->time_ns < l->time_ns))
		return 0;
	l->time_ns = m->time_ns;
	l->is_found = true;
	return 0;
}

static bool find_deploy(void *arg, const char *service, const char *version, int64_t *time_ns)
{
	struct latest l = { .version = version };
	bool is_pattern = strpbrk(service, "*?") != NULL;

	if (store_each_mark(arg, service, is_pattern, "deploy", note_mark, &l, NULL) < 0 || !l.is_found)
		return false;
	*time_ns = l.time_ns;
	return true;
}

static int note_series(void *arg, const struct store_series *s, struct err *err)
{
	struct latest *first = arg;

	size_t i = 0;

	(void)err;
	while (i < s->n_labels && strcmp(s->label[i].name, "version") != 0)
		i++;
	if (i == s->n_labels || (first->is_found && first->time_ns <= s->first_ns)) /* it may be a label of samples */
		return 0;
	first->time_ns = s->first_ns;
	first->is_found = true;
	return 0;
}

static bool window_clock_find_first(void *arg, const struct store_query *q, int64_t *time_ns)
{
	struct latest first = { .version = "" };

	if (store_each_series(arg, q, note_series, &first, NULL) < 0 || !first.is_found)
		return false;
	*time_ns = first.time_ns;
	return true;
}

void window_clock_init(struct store *s, struct window_clock *out)
{
	*out = (struct window_clock){
		.now_ns = clock_wall_ns(), .mark = find_deploy, .first = window_clock_find_first, .arg = s
	};
}
