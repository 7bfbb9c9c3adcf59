/*
 * store.c - open a store for reading
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/store.h"

#include "base/mem.h"
#include "store/catalogue.h"
#include "store/select.h"
#include "store/writer_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int store_open(const char *directory, struct store **out, struct err *err)
{
	struct store s = { .dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
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
	*out = mem_alloc(1, sizeof(**out));
	**out = s;
	return 0;
}

const char *store_get_damage(const struct store *s)
{
	return s->damage.len ? s->damage.data : "";
}

void store_close(struct store *s)
{
	if (!s)
		return;
	catalogue_close(s->catalogue);
	close(s->dir);
	buf_release(&s->damage);
	free(s->directory);
	free(s);
}
