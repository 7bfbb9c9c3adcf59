/*
 * journal_follow.c - read a journal batch by batch while it is written
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The dictionaries of the services are kept, the profiles of a batch only until the next one.
 */
#include "config.h"

#include "store/local/format/journal_follow.h"

#include "base/mem.h"
#include "store/local/format/head.h"
#include "store/local/format/journal_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct journal_follower {
	struct journal_reader r;
	struct err damage;
	char name[64];
};

int journal_follow_open(int fd, const char *name, struct journal_follower **out, uint32_t *rewrites, struct err *err)
{
	struct journal_follower *f = mem_zalloc(1, sizeof(*f));
	struct journal_info info = { 0 };
	int rc;

	memcpy(f->name, name, strnlen(name, sizeof(f->name) - 1));
	f->r = (struct journal_reader){
		.fd = fd, .name = f->name, .offset = JOURNAL_HEADER, .number = 1, .damage = &f->damage
	};
	rc = journal_read_header(&f->r, &info, err);
	if (rc < 0) {
		journal_follow_close(f);
		return rc;
	}
	f->r.head = head_new(false);
	*rewrites = info.rewrites;
	*out = f;
	return 0;
}

void journal_follow_close(struct journal_follower *f)
{
	if (!f)
		return;
	head_free(f->r.head);
	buf_release(&f->r.stored);
	buf_release(&f->r.raw);
	close(f->r.fd);
	free(f);
}

/* Forget the profiles and marks of the last batch. */
static void follow_clear(struct journal_head *h)
{
	for (size_t i = 0; i < h->n_dirty; i++) {
		struct head_service *s = &h->service[h->dirty[i]];

		s->is_dirty = false;
		s->n_records = 0;
		s->records.len = 0;
	}
	h->n_dirty = 0;
}

int journal_follow_next(struct journal_follower *f, uint64_t max, struct err *err)
{
	struct journal_reader *r = &f->r;
	enum batch_state state;
	struct journal_batch b;
	uint64_t number = 0, later;
	struct stat st;
	int rc = 0;

	follow_clear(r->head);
	if (r->number > max)
		return 0;
	if (fstat(r->fd, &st) < 0)
		return err_set(err, ERR_IO, "%s: %s", f->name, strerror(errno));
	r->size = (uint64_t)st.st_size;
	rc = journal_read_batch(r, &b, &state, err);
	if (rc == 0 && state != BATCH_VALID) {
		later = journal_find_later_batch(r, r->offset + 8, &number);
		if (!later || number > max)
			return 0;
		journal_skip_damage(r, later, number);
		rc = journal_read_batch(r, &b, &state, err);
	}
	if (rc < 0 || state != BATCH_VALID)
		return rc;
	journal_read_records(r, &b);
	journal_pass_batch(r, &b);
	return 1;
}

/* Passes profiles and marks on with their service. */
struct follow_caller {
	journal_follow_fn *fn;
	journal_follow_mark_fn *mark;
	void *arg;
	const struct head_service *service;
};

static int follow_pass_on(void *arg, const struct stored *p, struct err *err)
{
	const struct follow_caller *c = arg;

	return c->fn(c->arg, c->service->name, c->service->dict, p, err);
}

static int follow_pass_mark(void *arg, const struct store_mark *m, struct err *err)
{
	const struct follow_caller *c = arg;

	return c->mark(c->arg, c->service->name, m, err);
}

int journal_follow_each(struct journal_follower *f, journal_follow_fn *fn, journal_follow_mark_fn *mark, void *arg,
			struct err *err)
{
	const struct journal_head *h = f->r.head;
	struct follow_caller c = { fn, mark, arg, NULL };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < h->n_dirty; i++) {
		c.service = &h->service[h->dirty[i]];
		rc = head_each(c.service, follow_pass_on, mark ? follow_pass_mark : NULL, &c, err);
	}
	return rc;
}

const char *journal_follow_damage(const struct journal_follower *f)
{
	return f->damage.code ? f->damage.msg : "";
}
