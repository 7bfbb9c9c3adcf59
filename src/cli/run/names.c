/*
 * names.c - names for what the server of cpa run answers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From the files of this machine, and from what was found in them before (symbol/cache.h). Servers of debug files are
 * not asked: who asks us waits. One answer gets its names at a time, which bounds the memory that this takes.
 */
#include "config.h"

#include "cli/run/names.h"

#include "base/mem.h"
#include "cli/threads/snap_names.h"
#include "reader/reader.h"
#include "viewers/export/export.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int errno_of(const struct err *err)
{
	return err->code == ERR_LIMIT ? -EFBIG : -EIO;
}

int run_names_open(void *arg, const struct body *profile, snap_names_fn **fn, void **names)
{
	struct snap_names *found;
	struct err err;
	int rc;

	(void)arg;
	pthread_mutex_lock(&one_at_a_time);
	rc = snap_names_read(profile->v.data, profile->v.n, &found, &err);
	pthread_mutex_unlock(&one_at_a_time);
	if (rc < 0)
		return errno_of(&err);
	*fn = snap_names_at;
	*names = found;
	return 0;
}

void run_names_close(void *arg, void *names)
{
	(void)arg;
	snap_names_free(names);
}

static int name_all(const struct body *from, struct buf *out, struct err *err)
{
	struct bytes in = { .data = mem_alloc(from->v.n, 1), .n = from->v.n };
	struct profile *p = NULL;
	int rc;

	memcpy(in.data, from->v.data, in.n);
	rc = reader_read(&in, &reader_limits_default, &p, err);
	if (rc == 0)
		rc = snap_names_look_up(p, false, NULL, err);
	if (rc == 0)
		rc = export_proto(p, 1, out, err);
	profile_free(p);
	return rc;
}

int run_names_symbolize(void *arg, struct body *b)
{
	struct body named = { 0 };
	struct buf out = { 0 };
	struct err err;
	int rc;

	(void)arg;
	pthread_mutex_lock(&one_at_a_time);
	rc = name_all(b, &out, &err);
	pthread_mutex_unlock(&one_at_a_time);
	rc = rc < 0 ? errno_of(&err) : body_put(&named, out.data, out.len);
	buf_release(&out);
	if (rc < 0) {
		body_release(&named);
		return rc;
	}
	body_release(b);
	*b = named;
	return 0;
}
