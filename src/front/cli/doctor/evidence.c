/*
 * evidence.c - read captures from their directories
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/doctor/doctor_int.h"

#include "base/jansson.h"
#include "base/mem.h"
#include "base/time.h"
#include "formats/formats.h"
#include "session/settings.h"
#include "snapshot/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 30 };

static const char *const profile_files[] = { "cpu", "heap", "allocs", "block", "mutex", "goroutineleak" };
enum { N_PROFILE_FILES = sizeof(profile_files) / sizeof(profile_files[0]) };

/* Read a file of a capture. Returns 1 if there is none. */
static int evidence_read_file(const char *directory, const char *name, struct bytes *out, struct err *err)
{
	char *path = cmd_doctor_path(directory, name);
	int rc = access(path, F_OK) != 0 ? 1 : io_read_file(path, TEXT_MAX, "the limit of evidence", out, err);

	if (rc < 0)
		err_wrap(err, "%s", path);
	free(path);
	return rc;
}

char *cmd_doctor_name(const char *kind)
{
	struct buf name = { 0 };

	buf_addf(&name, "%s.pb.gz", kind);
	return name.data;
}

static int evidence_read_profile(const char *directory, const char *kind, struct profile **out, struct err *err)
{
	char *name = cmd_doctor_name(kind);
	struct bytes bytes = { 0 };
	int rc;

	rc = evidence_read_file(directory, name, &bytes, err);
	if (rc == 0 && (rc = formats_read(&bytes, &formats_options_default, out, err)) < 0)
		err_wrap(err, "%s/%s", directory, name);
	free(bytes.data);
	if (rc == 0 && (*out)->n_types == 0)
		rc = err_set(err, ERR_FORMAT, "%s/%s: the profile has no sample types", directory, name);
	free(name);
	return rc < 0 ? rc : 0;
}

static int evidence_read_stacks(const char *directory, struct doctor_saved *s, struct err *err)
{
	static const char *const names[] = { "goroutine.txt", "threads.txt" };
	int rc = 1;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && rc == 1; i++) {
		rc = evidence_read_file(directory, names[i], &s->text, err);
		if (rc == 0 && (rc = stacks_parse((const char *)s->text.data, s->text.n, &s->stacks, err)) < 0)
			err_wrap(err, "%s/%s", directory, names[i]);
		if (rc == 0) {
			s->shown.stacks = &s->stacks;
			s->shown.stacks_file = names[i];
		}
	}
	return rc < 0 ? rc : 0;
}

/* Read from the manifest the time of "begin", 0 if there is none, and the URL. */
static void evidence_read_manifest(const char *directory, struct doctor_saved *s)
{
	const struct jansson *lib;
	struct bytes bytes = { 0 };
	struct tm tm = { 0 };
	struct err err;
	json_error_t reason;
	const json_t *begin = NULL, *url = NULL;
	json_t *root = NULL;

	if (evidence_read_file(directory, SNAPSHOT_MANIFEST, &bytes, &err) == 0 && jansson_load(&lib, &err) == 0)
		root = lib->loadb((const char *)bytes.data, bytes.n, 0, &reason);
	if (root) {
		begin = lib->object_get(root, "begin");
		url = lib->object_get(root, "url");
	}
	/* a year has four digits, but the clock ends in 2262 */
	if (json_is_string(begin) && strptime(lib->string_value(begin), "%Y-%m-%dT%H:%M:%SZ", &tm) &&
	    tm.tm_year >= 70 && tm.tm_year < 362)
		s->shown.time_ns = (int64_t)timegm(&tm) * NS_PER_S;
	s->url = json_is_string(url) ? mem_strndup(lib->string_value(url), strlen(lib->string_value(url)))
				     : mem_strndup("", 0);
	if (root)
		lib->delete (root);
	free(bytes.data);
}

static int64_t evidence_rss(const char *directory)
{
	static const char name[] = "process_resident_memory_bytes ";
	struct bytes bytes = { 0 };
	struct buf text = { 0 };
	struct err err;
	const char *at = NULL;
	double value;

	if (evidence_read_file(directory, DOCTOR_METRICS_FILE, &bytes, &err) == 0)
		buf_add(&text, bytes.data, bytes.n);
	for (at = strstr(buf_text(&text), name); at && at > text.data && at[-1] != '\n';)
		at = strstr(at + 1, name);
	value = at ? strtod(at + strlen(name), NULL) : -1;
	buf_release(&text);
	free(bytes.data);
	return value >= 0 && value < 9e18 ? (int64_t)value : -1;
}

static void evidence_read_holder(const char *directory, struct doctor_files *files)
{
	struct bytes bytes = { 0 };
	struct err err;

	if (!files->holder.len && evidence_read_file(directory, DOCTOR_HOLDER_FILE, &bytes, &err) == 0)
		buf_add(&files->holder, bytes.data, bytes.n < 200 ? bytes.n : 200);
	free(bytes.data);
}

/* Wall-clock samples count waiting threads like running ones, so their shares are not those of CPU time. */
static void evidence_check_wall(struct doctor_files *files, struct doctor_capture *c)
{
	const struct profile *p = c->cpu;

	if (!p || strcmp(profile_text(p, p->type[p->n_types - 1].name), "wall") != 0)
		return;
	c->cpu = NULL;
	cmd_doctor_miss(files,
			"CPU time could not be sampled, only wall-clock time, so shares of CPU time are unknown; see "
			"cpa top %s/cpu.pb.gz",
			c->directory);
}

/* Read the capture in a directory. */
static int evidence_read_capture(const char *directory, struct doctor_files *files, struct err *err)
{
	struct doctor_saved *s = &files->saved[files->n];
	int rc = 0;

	*s = (struct doctor_saved){ .shown = { .rss_bytes = evidence_rss(directory) } };
	evidence_read_manifest(directory, s);
	files->n++;
	settings_add_word(directory, &s->word);
	s->path = mem_strndup(directory, strlen(directory));
	for (size_t i = 0; i < N_PROFILE_FILES && rc == 0; i++)
		rc = evidence_read_profile(directory, profile_files[i], &s->profile[i], err);
	rc = rc < 0 ? rc : evidence_read_stacks(directory, s, err);
	if (rc == 0 && s->shown.stacks)
		rc = evidence_read_profile(directory, s->stacks.are_threads ? "threads" : "goroutine", &s->threads,
					   err);
	if (rc < 0)
		return rc;
	s->shown.directory = buf_text(&s->word);
	s->shown.cpu = s->profile[0];
	s->shown.heap = s->profile[1];
	s->shown.allocs = s->profile[2];
	s->shown.block = s->profile[3];
	s->shown.mutex = s->profile[4];
	s->shown.leaks = s->profile[5];
	evidence_check_wall(files, &s->shown);
	evidence_read_holder(directory, files);
	files->capture[files->n - 1] = s->shown;
	return 0;
}

int cmd_doctor_read(const char *directory, struct doctor_files *files, struct err *err)
{
	int rc = 0;

	for (int i = 1; i <= DOCTOR_CAPTURES_MAX && rc == 0; i++) {
		char name[16] = "", *path, *manifest;
		bool is_there;

		if (i > 1)
			snprintf(name, sizeof(name), "%d", i);
		path = cmd_doctor_path(directory, name);
		manifest = cmd_doctor_path(path, SNAPSHOT_MANIFEST);
		is_there = access(manifest, F_OK) == 0;
		if (!is_there && i == 1)
			rc = err_set(err, ERR_USAGE, "%s: no evidence of cpa doctor or cpa snapshot", directory);
		else if (is_there && files->n == DOCTOR_CAPTURES_MAX)
			rc = err_set(err, ERR_LIMIT, "%s: more than %d captures", directory, DOCTOR_CAPTURES_MAX);
		else if (is_there)
			rc = evidence_read_capture(path, files, err);
		free(manifest);
		free(path);
		if (!is_there)
			break;
	}
	return rc;
}

void cmd_doctor_release(struct doctor_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		struct doctor_saved *s = &files->saved[i];

		for (size_t k = 0; k < N_PROFILE_FILES; k++)
			profile_free(s->profile[k]);
		profile_free(s->threads);
		free(s->path);
		free(s->url);
		stacks_release(&s->stacks);
		free(s->text.data);
		buf_release(&s->word);
	}
	for (size_t i = 0; i < files->n_comparisons; i++)
		for (int k = 0; k < 3; k++)
			buf_release(&files->comparison_text[i][k]);
	string_list_release(&files->missing);
	buf_release(&files->holder);
}
