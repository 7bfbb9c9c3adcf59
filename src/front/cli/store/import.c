/*
 * import.c - cpa store import: add profiles from files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/store/import.h"
#include "front/cli/store/store.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"
#include "base/time.h"
#include "engine/query.h"
#include "fetch/fetch.h"
#include "formats/formats.h"
#include "profile/temporality.h"
#include "sources/sources.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 8, COMMIT_PROFILES = 256, LABELS_MAX = 16 };

/* State of an import. */
struct import {
	struct store_command *c;
	uint64_t n, n_duplicates, n_failed;
	uint64_t n_other;           /* files of folders that are no profiles */
	uint64_t n_waiting, n_new;  /* since the last commit: profiles, and those that are no duplicates */
	struct err first;           /* the first failure */
	const char *service, *kind; /* of the options; "": by each profile */
	struct query q;             /* with the format of the option */
	uint64_t n_unsure;          /* their kind is not known */
	struct buf unsure;          /* the first of them */
	int64_t first_ns, last_ns;
};

/* Labels of a profile, sorted by name. */
struct import_labels {
	struct store_label item[LABELS_MAX];
	char *text[LABELS_MAX];
	size_t n;
};

/* Add a label, unless it has one of this name. */
static int import_add_label(struct import_labels *l, const char *text, size_t n_name, struct err *err)
{
	char *copy;
	size_t at = 0;

	if (l->n == LABELS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d labels", (int)LABELS_MAX);
	copy = mem_strndup(text, strlen(text));
	copy[n_name] = 0;
	while (at < l->n && strcmp(l->item[at].name, copy) < 0)
		at++;
	if (at < l->n && strcmp(l->item[at].name, copy) == 0) {
		free(copy);
		return 0;
	}
	memmove(&l->item[at + 1], &l->item[at], (l->n - at) * sizeof(l->item[0]));
	l->item[at] = (struct store_label){ .name = copy, .value = copy + n_name + 1 };
	l->text[l->n++] = copy;
	return 0;
}

static void labels_release(struct import_labels *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->text[i]);
}

/* The text of the first comment that begins with prefix; NULL if there is none. */
static const char *find_comment(const struct profile *p, const char *prefix)
{
	for (uint32_t i = 0; i < p->meta.n_comments; i++) {
		const char *text = profile_text(p, p->meta.comment[i]);

		if (starts_with(text, prefix))
			return text + strlen(prefix);
	}
	return NULL;
}

static bool import_is_name(const char *label, const char *name)
{
	size_t n = strlen(name);

	return strncmp(label, name, n) == 0 && label[n] == '=';
}

/* The value of an option, or of --label=NAME=VALUE, which is the same. */
static int import_find_option(const struct cmd_store_args *a, const char *name, const char *option, const char **out,
			      struct err *err)
{
	size_t n = strlen(name);

	*out = option;
	for (size_t i = 0; i < a->label.n; i++) {
		const char *text = a->label.item[i], *sign = strchr(text, '=');

		if (!sign || sign == text)
			return err_set(err, ERR_USAGE, "--label=%s: expected KEY=VALUE", text);
		if (!import_is_name(text, name))
			continue;
		if (!sign[1])
			return err_set(err, ERR_USAGE, "--label=%s: the %s is empty", text, name);
		if (**out && strcmp(*out, text + n + 1) != 0)
			return err_set(err, ERR_USAGE, "%s%s=%s and --label=%s contradict each other",
				       *option ? "--" : "--label=", name, *out, text);
		*out = text + n + 1;
	}
	return 0;
}

/* Labels of the command line, then version and host as cpa snapshot writes them. */
static int import_make_labels(const struct cmd_store_args *a, const struct profile *p, struct import_labels *l,
			      struct err *err)
{
	static const struct {
		const char *comment, *name;
	} known[] = { { "version: ", "version" }, { "host: ", "instance" } };
	int rc = 0;

	for (size_t i = 0; i < a->label.n && rc == 0; i++) {
		const char *text = a->label.item[i], *sign = strchr(text, '=');

		if (!import_is_name(text, "service") && !import_is_name(text, "kind"))
			rc = import_add_label(l, text, (size_t)(sign - text), err);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && rc == 0; i++) {
		const char *value = find_comment(p, known[i].comment);
		struct buf text = { 0 };

		if (value && *value) {
			buf_addf(&text, "%s=%s", known[i].name, value);
			rc = import_add_label(l, buf_text(&text), strlen(known[i].name), err);
		}
		buf_release(&text);
	}
	return rc;
}

/* Is one of the words of a name this one? Words are of letters and digits. */
static bool import_has_word(const char *name, size_t n, const char *word)
{
	size_t n_word = strlen(word);

	for (size_t i = 0, begin = 0; i <= n; i++) {
		if (i < n && isalnum((unsigned char)name[i]))
			continue;
		if (i - begin == n_word && strncasecmp(name + begin, word, n_word) == 0)
			return true;
		begin = i + 1;
	}
	return false;
}

/* The kind by the name of the file, else of its folder: "go-block.pb.gz", "block/1.pb.gz"; NULL if it does not distinguish block from
   mutex. */
static const char *find_kind_in_path(const char *path)
{
	size_t end = strlen(path);

	for (int i = 0; i < 2; i++) {
		size_t begin = end;
		bool is_block, is_mutex;

		while (begin > 0 && path[begin - 1] != '/')
			begin--;
		is_block = import_has_word(path + begin, end - begin, "block");
		is_mutex = import_has_word(path + begin, end - begin, "mutex");
		if (is_block || is_mutex)
			return is_block && is_mutex ? NULL : is_block ? "block" : "mutex";
		if (begin == 0)
			return NULL;
		end = begin - 1;
	}
	return NULL;
}

/* The kind by the options, or the URL in a comment, or the sample types and the name of the file. */
static int import_find_kind(struct import *x, const struct profile *p, const char *path, struct buf *out,
			    struct err *err)
{
	const char *url = find_comment(p, "url: "), *last = url ? strrchr(url, '/') : NULL, *found = NULL;
	struct err ignored;

	if (*x->kind) {
		buf_addz(out, x->kind);
		return profile_check_kind(p, x->kind, err);
	}
	if (last && strcmp(last, "/profile") == 0)
		last = "/cpu";
	if (last && last[1] && last[strcspn(last, "?#")] == 0 && profile_check_kind(p, last + 1, &ignored) == 0)
		found = last + 1;
	else if (profile_kind_is_unsure(p))
		found = find_kind_in_path(path);
	if (!found && profile_kind_is_unsure(p) && x->n_unsure++ == 0)
		buf_addz(&x->unsure, path);
	buf_addz(out, found ? found : profile_kind(p));
	return 0;
}

/* The service: that of the options, else the file name of the program. */
static void import_find_service(const struct import *x, const struct profile *p, struct buf *out)
{
	const char *file = p->n_maps ? path_base(profile_text(p, p->map[0].file)) : "";

	buf_addz(out, *x->service ? x->service : *file ? file : "unknown");
}

static int import_commit(struct import *x, struct err *err)
{
	int rc = writer_commit(x->c->writer, err);

	if (rc < 0)
		x->n -= x->n_new;
	x->n_waiting = x->n_new = 0;
	return rc == 0 && writer_flush_is_due(x->c->writer) ? writer_flush(x->c->writer, err) : rc;
}

static int import_append(struct import *x, const struct store_input *in, struct err *err)
{
	bool is_duplicate = false;
	int rc = writer_append(x->c->writer, in, NULL, &is_duplicate, err);

	if (rc < 0)
		return rc;
	x->n_duplicates += is_duplicate;
	if (!is_duplicate) {
		if (x->n == 0 || in->start_ns < x->first_ns)
			x->first_ns = in->start_ns;
		if (x->n == 0 || in->start_ns > x->last_ns)
			x->last_ns = in->start_ns;
		x->n++;
		x->n_new++;
	}
	return ++x->n_waiting < COMMIT_PROFILES ? 0 : import_commit(x, err);
}

/* data is consumed. */
static int import_profile(struct import *x, struct bytes *data, const char *path, int64_t time_ns, struct err *err)
{
	const struct cmd_store_args *a = x->c->a;
	struct buf service = { 0 }, kind = { 0 };
	struct import_labels labels = { 0 };
	struct profile *p = NULL;
	int rc = sources_decode(data, &x->q, &p, err);

	if (rc == 0)
		rc = import_make_labels(a, p, &labels, err);
	if (rc == 0)
		rc = import_find_kind(x, p, path, &kind, err);
	if (rc == 0) {
		import_find_service(x, p, &service);
		rc = import_append(x,
				   &(struct store_input){ .service = buf_text(&service),
							  .kind = buf_text(&kind),
							  .label = labels.item,
							  .n_labels = labels.n,
							  .profile = p,
							  .start_ns = p->meta.time_ns ? p->meta.time_ns : time_ns,
							  .duration_ns = p->meta.duration_ns },
				   err);
	}
	buf_release(&service);
	buf_release(&kind);
	labels_release(&labels);
	profile_free(p);
	return rc;
}

/* Count a file that cannot be imported, and remember the first message. */
static int skip_file(struct import *x, const char *name, struct err *err)
{
	if (!starts_with(err->msg, name))
		err_wrap(err, "%s", name);
	if (x->n_failed++ == 0)
		x->first = *err;
	return 0;
}

/* A profile that cannot be imported does not prevent the others. Only failures of the store end the import. */
static int note_failure(struct import *x, int rc, const char *name, struct err *err)
{
	if (rc == 0)
		return 0;
	if (rc == ERR_IO || rc == ERR_STOPPED || rc == ERR_USAGE)
		return starts_with(err->msg, name) ? rc : err_wrap(err, "%s", name);
	return skip_file(x, name, err);
}

/* The path with which a file is opened: in the folder of the client, if another process imports on its behalf. */
static const char *real_path(const struct import *x, const char *path, struct buf *out)
{
	if (*path == '/' || !x->c->folder)
		return path;
	buf_addf(out, "%s/%s", x->c->folder, path);
	return buf_text(out);
}

static int skip_file_errno(struct import *x, const char *name, struct err *err)
{
	err_set(err, ERR_IO, "%s", strerror(errno));
	return skip_file(x, name, err);
}

/* Is this the list that cpa snapshot, cpa store get and export write beside profiles? */
static bool import_is_manifest(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash ? slash + 1 : path, "manifest.json") == 0;
}

/*
 * Import a profile of a folder or tar file, which may have other files too: text and JSON that is no profile is only
 * counted. data: consumed
 */
static int import_inner(struct import *x, struct bytes *data, const char *name, int64_t time_ns, struct err *err)
{
	int rc = import_profile(x, data, name, time_ns, err);

	if (rc != ERR_FORMAT || !(ends_with(name, ".txt") || ends_with(name, ".json")))
		return note_failure(x, rc, name, err);
	x->n_other += !import_is_manifest(name);
	return 0;
}

static int import_member(void *arg, const char *name, struct bytes *data, int64_t time_ns, struct err *err)
{
	return import_inner(arg, data, name, time_ns, err);
}

static int import_segment(struct import *x, const char *path, const char *real, struct err *err)
{
	uint64_t n = 0, duplicates = 0;
	int rc;

	if (access(real, R_OK) < 0)
		return skip_file_errno(x, path, err);
	rc = upkeep_import_segment(x->c->writer, real, &n, &duplicates, err);
	if (rc < 0 && starts_with(err->msg, real)) { /* named as the client did: path is the end of real */
		size_t n_folder = strlen(real) - strlen(path);

		memmove(err->msg, err->msg + n_folder, strlen(err->msg + n_folder) + 1);
	}
	x->n += n;
	x->n_duplicates += duplicates;
	if (rc < 0) { /* those before the damage are not committed yet */
		x->n_new += n;
		x->n_waiting += n + duplicates;
	}
	return note_failure(x, rc, path, err);
}

/* is_inner: the file was found in a folder */
static int import_file(struct import *x, const char *path, const char *real, int64_t time_ns, bool is_inner,
		       struct err *err)
{
	struct bytes data = { 0 };
	int rc;

	if (ends_with(path, ".cpx") && (*x->service || *x->kind || x->c->a->label.n))
		return err_set(err, ERR_USAGE, "%s: the profiles of a .cpx file have their service, kind and labels",
			       path);
	if (ends_with(path, ".cpx"))
		return import_segment(x, path, real, err);
	rc = formats_read_folder(real, mem_quarter_of_ram(), &data, err);
	if (rc < 0 && (rc != ERR_UNKNOWN || io_read_file(real, mem_quarter_of_ram(), NULL, &data, err) < 0))
		return skip_file(x, path, err);
	if (cmd_store_tar_is(&data)) {
		rc = cmd_store_tar_each(&data, import_member, x, err);
		free(data.data);
		return note_failure(x, rc, path, err);
	}
	return is_inner ? import_inner(x, &data, path, time_ns, err)
			: note_failure(x, import_profile(x, &data, path, time_ns, err), path, err);
}

static int import_path(struct import *x, const char *path, unsigned depth, struct err *err);

static int import_is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int import_folder(struct import *x, const char *path, const char *real, unsigned depth, struct err *err)
{
	struct dirent **entry;
	int n = scandir(real, &entry, import_is_visible, alphasort), rc = 0;

	if (n < 0)
		return skip_file_errno(x, path, err);
	for (int i = 0; i < n; i++) {
		struct buf name = { 0 };

		buf_addf(&name, "%s/%s", path, entry[i]->d_name);
		if (rc == 0)
			rc = import_path(x, buf_text(&name), depth + 1, err);
		buf_release(&name);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

static int import_path(struct import *x, const char *path, unsigned depth, struct err *err)
{
	struct buf joined = { 0 };
	const char *real = real_path(x, path, &joined);
	struct stat st;
	int rc;

	if (stop_is_set(x->c->stop))
		rc = stop_check(x->c->stop, err);
	else if (stat(real, &st) < 0)
		rc = skip_file_errno(x, path, err);
	else if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX && !formats_is_folder(real))
		rc = import_folder(x, path, real, depth, err);
	else
		rc = import_file(x, path, real, (int64_t)st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec, depth > 0,
				 err);
	buf_release(&joined);
	return rc;
}

/* Import the files that match a pattern, which the shell has not expanded since it was in quotes. */
static int import_pattern(struct import *x, const char *pattern, struct err *err)
{
	const char *folder = *pattern == '/' ? NULL : x->c->folder;
	struct buf full = { 0 };
	glob_t found = { 0 };
	int rc = 0;

	for (const char *at = folder; at && *at; at++) {
		if (strchr("*?[]\\", *at))
			buf_addz(&full, "\\");
		buf_add(&full, at, 1);
	}
	buf_addf(&full, "%s%s", folder ? "/" : "", pattern);
	if (glob(buf_text(&full), 0, NULL, &found) != 0) {
		err_set(err, ERR_IO, "no file matches");
		rc = skip_file(x, pattern, err);
	}
	for (size_t i = 0; rc == 0 && i < found.gl_pathc; i++)
		rc = import_path(x, found.gl_pathv[i] + (folder ? strlen(folder) + 1 : 0), 0, err);
	globfree(&found);
	buf_release(&full);
	return rc;
}

static int import_word(struct import *x, const char *word, struct err *err)
{
	struct buf joined = { 0 };
	bool is_pattern = strpbrk(word, "*?[") && access(real_path(x, word, &joined), F_OK) < 0;

	buf_release(&joined);
	return is_pattern ? import_pattern(x, word, err) : import_path(x, word, 0, err);
}

static void import_report(const struct import *x, struct buf *out)
{
	buf_addf(out, "imported %" PRIu64 " profile%s", x->n, x->n == 1 ? "" : "s");
	if (x->n_duplicates)
		buf_addf(out, ", skipped %" PRIu64 " that the store has already", x->n_duplicates);
	if (x->n_other)
		buf_addf(out, ", skipped %" PRIu64 " file%s that %s no profile%s", x->n_other,
			 x->n_other == 1 ? "" : "s", x->n_other == 1 ? "is" : "are", x->n_other == 1 ? "" : "s");
}

/* Report the profiles that may have another kind. */
static void report_unsure(const struct import *x, struct buf *out)
{
	if (x->n_unsure)
		buf_addf(out,
			 "%" PRIu64 " profile%s could be of kind block or mutex, and %s stored as mutex (%s %s); "
			 "use --kind=block or --kind=mutex\n",
			 x->n_unsure, x->n_unsure == 1 ? "" : "s", x->n_unsure == 1 ? "is" : "are",
			 x->n_unsure == 1 ? "from" : "the first is", buf_text(&x->unsure));
}

/* The message of an import of which a part failed: the first failure, and how much was done. */
static int fail_in_part(const struct import *x, int rc, struct err *err)
{
	struct err first = rc < 0 ? *err : x->first;
	uint64_t n_more = x->n_failed - (rc == 0);
	struct buf counts = { 0 };

	*err = first;
	if (x->n + x->n_duplicates + n_more == 0)
		return first.code;
	if (n_more)
		buf_addf(&counts, "%" PRIu64 " more file%s failed; ", n_more, n_more == 1 ? "" : "s");
	import_report(x, &counts);
	err_set(err, first.code, "%.*s; %s", (int)(sizeof(err->msg) - counts.len - 3), first.msg, buf_text(&counts));
	buf_release(&counts);
	return first.code;
}

int cmd_store_import(struct store_command *c, struct err *err)
{
	struct import x = { .c = c };
	const struct file_format *format;
	struct err late;
	int rc = import_find_option(c->a, "service", c->a->service, &x.service, err);

	rc = rc < 0 ? rc : import_find_option(c->a, "kind", c->a->kind, &x.kind, err);
	rc = rc < 0 ? rc : formats_find_input(c->a->input_format, &format, err);
	rc = rc < 0 ? rc : cmd_store_open_writer(c, true, err);
	if (rc < 0)
		return rc;
	query_init(&x.q);
	x.q.input_format = c->a->input_format;
	for (size_t i = 0; i < c->a->n_words && rc == 0; i++)
		rc = import_word(&x, c->a->word[i], err);
	if (x.n_waiting && import_commit(&x, &late) < 0 && rc == 0) {
		*err = late;
		rc = late.code;
	}
	if (rc < 0 || x.n_failed) {
		rc = fail_in_part(&x, rc, err);
	} else {
		import_report(&x, c->out);
		buf_addz(c->out, "\n");
	}
	report_unsure(&x, c->out);
	buf_release(&x.unsure);
	query_release(&x.q);
	return rc;
}
