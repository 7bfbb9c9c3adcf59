/*
 * local.c - open a store in a directory for reading
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/read/local.h"

#include "base/mem.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void local_close(struct store *s)
{
	struct local_store *l = local_of(s);

	catalogue_close(l->catalogue);
	close(l->dir);
	buf_release(&s->damage);
	free(l->directory);
	free(l);
}

static const struct store_backend backend = {
	.close = local_close,
	.read = local_read,
	.list = local_list,
	.totals = local_totals,
	.each_increase = local_each_increase,
	.each_profile = local_each_profile,
	.each_series = local_each_series,
	.each_mark = local_each_mark,
	.each_pin = local_each_pin,
};

int local_open(const char *directory, struct store **out, struct err *err)
{
	struct local_store s = { .store.backend = &backend,
				 .dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	uint8_t uuid[16];
	int rc = 0;

	if (s.dir < 0 && errno == ENOENT)
		return err_set(err, ERR_IO, "there is no store %s; cpa collect and cpa store import make one",
			       directory);
	if (s.dir < 0)
		return err_set(err, ERR_IO, "%s: %s", directory, strerror(errno));
	rc = os_read_header(s.dir, directory, uuid, err);
	if (rc == 0)
		rc = catalogue_open(directory, CATALOGUE_READ, &s.catalogue, err);
	if (rc < 0) {
		close(s.dir);
		return rc;
	}
	s.directory = mem_strndup(directory, strlen(directory));
	*out = mem_alloc(1, sizeof(s));
	memcpy(*out, &s, sizeof(s));
	return 0;
}
