/*
 * reload.c - load anew what a command line names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reload.h"

#include "answer/compare.h"
#include "answer/load.h"
#include "answer/remote.h"
#include "answer/sources.h"
#include "fetch/source.h"

#include <string.h>

struct loading {
	struct query q; /* with the stop that counts */
	struct sources side[N_SIDES];
	struct load load[N_SIDES];
	struct remote *remote;
};

bool again_can(const struct again *a)
{
	struct sources sources = { 0 };
	struct remote *remote = remote_new(a->q);
	bool can = sources_add(&sources, a->word, a->n_words, NULL) == 0 && remote_add(remote, &sources, NULL) == 0 &&
		   remote_count(remote) > 0;

	for (size_t i = 0; i < sources.n; i++)
		can &= strcmp(sources.name[i], "-") != 0;
	remote_free(remote);
	sources_release(&sources);
	return can;
}

static int add_sources(struct loading *l, const struct again *a, struct err *err)
{
	int rc = sources_add(&l->side[SIDE_TARGET], a->word, a->n_words, err);

	if (rc == 0)
		rc = sources_add(&l->side[SIDE_BASE], a->base, a->n_bases, err);
	for (int i = 0; rc == 0 && i < N_SIDES; i++) {
		for (size_t k = 0; rc == 0 && k < l->side[i].n; k++)
			if (strcmp(l->side[i].name[k], "-") == 0)
				rc = err_set(err, ERR_USAGE, "standard input cannot be read again");
		if (rc == 0)
			rc = remote_add(l->remote, &l->side[i], err);
	}
	return rc;
}

static void set_loads(struct loading *l)
{
	static const char *const kind[] = { [SIDE_TARGET] = "source", [SIDE_BASE] = "base" };
	struct load *target = &l->load[SIDE_TARGET];

	for (int i = 0; i < N_SIDES; i++)
		l->load[i] = (struct load){
			.source = l->side[i].name, .n = l->side[i].n, .kind = kind[i], .q = &l->q, .remote = l->remote
		};
	if (target->n >= 2 && fetch_is_binary(target->source[0])) {
		target->binary = l->load[SIDE_BASE].binary = *target->source++;
		target->n--;
	}
}

/* A profile of which a part is missing would look like a change. */
static int check_all(const struct loading *l, struct err *err)
{
	for (int i = 0; i < N_SIDES; i++) {
		const char *line = buf_text(&l->load[i].notes);

		if (l->load[i].n_failed)
			return err_set(err, ERR_IO, "%.*s", (int)strcspn(line, "\n"), line);
	}
	return 0;
}

static int load(struct loading *l, struct profile **out, struct profile **apart, struct err *err)
{
	struct profile *p = NULL, *sides = NULL;
	int rc = stop_check(l->q.stop, err);

	if (rc == 0)
		rc = compare_load_apart(&l->load[SIDE_TARGET], &l->load[SIDE_BASE], &p, apart ? &sides : NULL, err);
	if (rc == 0 && (rc = check_all(l, err)) == 0)
		rc = stop_check(l->q.stop, err);
	if (rc < 0) {
		profile_free(p);
		profile_free(sides);
		return rc;
	}
	*out = p;
	if (apart)
		*apart = sides;
	return 0;
}

int again_load(const struct again *a, struct profile **out, struct profile **apart, struct buf *notes, struct err *err)
{
	struct loading l = { .q = *a->q, .remote = remote_new(a->q) };
	int rc;

	l.q.stop = a->stop;
	rc = add_sources(&l, a, err);
	if (rc == 0) {
		set_loads(&l);
		if (remote_count(l.remote))
			remote_fetch(l.remote, NULL, a->stop, notes);
		stop_begin(a->stop, "reading", 0);
		rc = load(&l, out, apart, err);
	}
	for (int i = 0; i < N_SIDES; i++) {
		buf_add(notes, buf_text(&l.load[i].notes), l.load[i].notes.len);
		buf_add(notes, buf_text(&l.load[i].told), l.load[i].told.len);
		buf_release(&l.load[i].notes);
		buf_release(&l.load[i].told);
		sources_release(&l.side[i]);
	}
	remote_free(l.remote);
	return rc;
}
