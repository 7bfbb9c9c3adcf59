/*
 * files.c - cpa store get and export: write profiles as files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/store/store.h"

#include "base/io.h"
#include "base/jsonw.h"
#include "base/str.h"
#include "base/time.h"
#include "formats/pprof/pprof.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/upkeep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ID_BYTES = 16, ID_SHOWN = 4, NAME_MAX_BYTES = 64 };

/* Parse 32 hexadecimal digits. */
static bool store_files_parse_id(const char *text, uint8_t id[ID_BYTES])
{
	if (strlen(text) != 2 * ID_BYTES || strspn(text, "0123456789abcdefABCDEF") != 2 * ID_BYTES)
		return false;
	for (size_t i = 0; i < ID_BYTES; i++) {
		const char pair[] = { text[2 * i], text[2 * i + 1], 0 };

		id[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return true;
}

static int store_files_count_one(void *arg, const struct store_item *item, struct err *err)
{
	(void)item;
	(void)err;
	++*(uint64_t *)arg;
	return 0;
}

static int store_files_write_profile(const struct profile *p, const char *path, struct err *err)
{
	struct buf packed = { 0 };
	int rc = pprof_write(p, 1, &packed, err);

	if (rc == 0)
		rc = io_write_file(path, packed.data, packed.len, err);
	buf_release(&packed);
	return rc;
}

/* Append a part of a file name: only letters, digits, - and _, so that no name of a service leaves the folder. */
static void store_files_add_name(const char *s, struct buf *out)
{
	size_t n = 0;

	for (; *s && n < NAME_MAX_BYTES; s++, n++) {
		bool is_safe =
			(*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '-';

		buf_fill(out, is_safe ? *s : '_', 1);
	}
}

/* Profiles being written to a file, or to a folder with a manifest. */
struct store_files {
	const char *path;
	bool is_folder;
	struct json json;
	struct buf manifest;
	uint64_t n;
};

static void store_files_add_file_name(const struct store_item *item, struct buf *out)
{
	struct buf time = { 0 };

	store_files_add_name(item->service, out);
	buf_addz(out, "-");
	store_files_add_name(item->kind, out);
	buf_addz(out, "-");
	time_add_utc(&time, item->start_ns, TIME_ISO);
	for (size_t i = 0; i < time.len; i++)
		if (!strchr(":-", time.data[i]))
			buf_add(out, &time.data[i], 1);
	buf_addz(out, "-");
	for (size_t i = 0; i < ID_SHOWN; i++)
		buf_addf(out, "%02x", item->id[i]);
	buf_addz(out, ".pb.gz");
	buf_release(&time);
}

static void add_to_manifest(struct json *j, const struct store_item *item, const char *file)
{
	struct buf start = { 0 };

	jsonw_open(j, '{');
	jsonw_add_text(j, "file", file);
	jsonw_add_text(j, "service", item->service);
	jsonw_add_text(j, "kind", item->kind);
	time_add_exact(&start, item->start_ns);
	jsonw_add_text(j, "start", buf_text(&start));
	jsonw_add_int(j, "duration_ns", item->duration_ns);
	jsonw_key(j, "labels");
	jsonw_open(j, '{');
	for (size_t i = 0; i < item->n_labels; i++)
		jsonw_add_text(j, item->label[i].name, item->label[i].value);
	jsonw_close(j, '}');
	jsonw_close(j, '}');
	buf_release(&start);
}

static int write_item(void *arg, const struct store_item *item, struct profile *p, struct err *err)
{
	struct store_files *f = arg;
	struct buf name = { 0 }, path = { 0 };
	int rc;

	store_files_add_file_name(item, &name);
	if (f->is_folder)
		buf_addf(&path, "%s/%s", f->path, buf_text(&name));
	else
		buf_addz(&path, f->path);
	rc = store_files_write_profile(p, buf_text(&path), err);
	if (rc == 0 && f->is_folder)
		add_to_manifest(&f->json, item, buf_text(&name));
	f->n++;
	profile_free(p);
	buf_release(&name);
	buf_release(&path);
	return rc;
}

static bool store_files_is_folder(const char *path)
{
	struct stat st;
	size_t n = strlen(path);

	return (n > 0 && path[n - 1] == '/') || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* Several profiles are not written to the name of one. */
static int check_file_name(const struct store_command *c, const struct store_files *f, uint64_t n, struct err *err)
{
	if (!f->is_folder || store_files_is_folder(f->path) ||
	    !(ends_with(f->path, ".pb.gz") || ends_with(f->path, ".pb")))
		return 0;
	if (strcmp(c->a->name, "export") == 0)
		return err_set(err, ERR_USAGE,
			       "-o %s: export writes a file NAME.cpx, or a folder; cpa store get writes a profile",
			       f->path);
	return err_set(err, ERR_USAGE,
		       "%s: has %" PRIu64
		       " profiles, and %s is the name of one file; name a folder, or choose one with "
		       "a kind and +limit=1, or with its ID",
		       c->a->word[0], n, f->path);
}

static int write_files(struct store_command *c, struct store *s, const struct store_query *q, struct store_files *f,
		       uint64_t n, struct err *err)
{
	struct buf path = { 0 };
	int rc = check_file_name(c, f, n, err);

	if (rc < 0)
		return rc;
	f->json.out = &f->manifest;
	if (f->is_folder && mkdir(f->path, 0700) < 0 && errno != EEXIST)
		return err_set(err, ERR_IO, "%s: %s", f->path, strerror(errno));
	jsonw_open(&f->json, '{');
	jsonw_add_text(&f->json, "schema", "cpa-store-files/1");
	jsonw_key(&f->json, "profiles");
	jsonw_open(&f->json, '[');
	rc = store_each_profile(s, q, c->stop, write_item, f, err);
	jsonw_close(&f->json, ']');
	jsonw_close(&f->json, '}');
	buf_addz(&f->manifest, "\n");
	if (rc == 0 && f->is_folder) {
		buf_addf(&path, "%s/manifest.json", f->path);
		rc = io_write_file(buf_text(&path), f->manifest.data, f->manifest.len, err);
	}
	if (rc == 0)
		buf_addf(c->out, "wrote %" PRIu64 " profile%s to %s\n", f->n, f->n == 1 ? "" : "s", f->path);
	buf_release(&path);
	buf_release(&f->manifest);
	return rc;
}

/* Open the store and parse the selector; there must be profiles. */
static int select_profiles(struct store_command *c, struct store **s, struct window **window, struct store_query *q,
			   uint64_t *n, struct err *err)
{
	static uint8_t id[ID_BYTES];
	const char *text = c->a->word[0];
	int rc;

	if (!*c->a->output)
		return err_set(err, ERR_USAGE, "-o is missing; usage: cpa store %s %s -o FILE", c->a->name, text);
	rc = cmd_store_open(c, s, err);
	if (rc == 0 && store_files_parse_id(text, id)) {
		rc = cmd_store_select("*", *s, window, q, err);
		q->id = id;
	} else if (rc == 0) {
		rc = strcmp(c->a->name, "export") == 0 ? cmd_store_select_whole(text, *s, window, q, err)
						       : cmd_store_select(text, *s, window, q, err);
	}
	if (rc == 0) {
		q->partial = c->a->partial;
		rc = store_list(*s, q, c->stop, store_files_count_one, n, err);
	}
	if (rc == 0 && *n == 0)
		rc = err_set(err, ERR_IO, "%s: no such profile; cpa store ls --profiles lists them", text);
	return rc;
}

int cmd_store_get(struct store_command *c, struct err *err)
{
	struct store_files f = { .path = c->a->output };
	struct window *window = NULL;
	struct store_query q;
	struct store *s = NULL;
	uint64_t n = 0;
	int rc = select_profiles(c, &s, &window, &q, &n, err);

	f.is_folder = n > 1 || store_files_is_folder(f.path);
	rc = rc < 0 ? rc : write_files(c, s, &q, &f, n, err);
	window_free(window);
	cmd_store_close(c, s);
	return rc;
}

int cmd_store_export(struct store_command *c, struct err *err)
{
	struct store_files f = { .path = c->a->output, .is_folder = true };
	struct window *window = NULL;
	struct store_query q;
	struct store *s = NULL;
	uint64_t n = 0;
	int rc = select_profiles(c, &s, &window, &q, &n, err);

	if (rc == 0 && ends_with(f.path, ".cpx") && strstr(c->directory, "://")) {
		rc = err_set(err, ERR_USAGE, "%s: profiles of a server are exported to a folder", f.path);
	} else if (rc == 0 && ends_with(f.path, ".cpx")) {
		rc = upkeep_export(s, &q, f.path, c->stop, &n, err);
		if (rc == 0)
			buf_addf(c->out, "wrote %" PRIu64 " profile%s to %s\n", n, n == 1 ? "" : "s", f.path);
	} else if (rc == 0) {
		rc = write_files(c, s, &q, &f, n, err);
	}
	window_free(window);
	cmd_store_close(c, s);
	return rc;
}
