/*
 * anonymize.c - the command anonymize: salt, kept functions, and what remains readable
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/anonymize.h"

#include "base/io.h"
#include "base/mem.h"
#include "profile/anonymize.h"
#include "viewers/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SALT_BYTES = 32, SALT_MIN = 16, SALT_MAX = 4096, MODE_OTHERS = 077, KEYS_SHOWN = 20 };

/* ---- salt ---- */

/* Make a random salt: hexadecimal digits and a line feed. */
static int anonymize_make_salt(struct bytes *out, struct err *err)
{
	uint8_t random[SALT_BYTES];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return err_set(err, ERR_IO, "no random numbers: %s", strerror(errno));
	*out = (struct bytes){ .data = mem_alloc(2 * SALT_BYTES + 2, 1), .n = 2 * SALT_BYTES };
	for (size_t i = 0; i < SALT_BYTES; i++)
		snprintf((char *)out->data + 2 * i, 3, "%02x", random[i]);
	explicit_bzero(random, sizeof(random));
	return 0;
}

/* Read a salt, without white space at its end. Fails with ERR_UNKNOWN if there is no file. */
static int anonymize_read_salt(const char *path, struct bytes *out, struct err *err)
{
	*out = (struct bytes){ 0 };
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return ERR_UNKNOWN;
	if (io_read_file(path, SALT_MAX, NULL, out, err) < 0)
		return err_wrap(err, "--salt=%s", path);
	while (out->n && strchr(" \t\r\n", out->data[out->n - 1]) && out->data[out->n - 1])
		out->n--;
	if (out->n >= SALT_MIN)
		return 0;
	free(out->data);
	*out = (struct bytes){ 0 };
	return err_set(err, ERR_USAGE, "--salt=%s: a salt has at least %d bytes; name a new file to create one", path,
		       SALT_MIN);
}

/* Write a new salt. The name appears with its content, so no other process reads a part of it. Fails with ERR_UNKNOWN if another
   process was faster. */
static int anonymize_write_salt(const char *path, const struct bytes *salt, struct err *err)
{
	struct buf temp = { 0 };
	int rc = 0, fd;

	buf_addf(&temp, "%s.XXXXXX", path);
	fd = mkostemp(temp.data, O_CLOEXEC); /* mode 0600 */
	if (fd < 0) {
		rc = err_set(err, ERR_IO, "%s", strerror(errno));
	} else {
		rc = io_write_fd(fd, salt->data, salt->n, err);
		if (rc == 0)
			rc = io_write_fd(fd, "\n", 1, err);
		if (close(fd) < 0 && rc == 0)
			rc = err_set(err, ERR_IO, "%s", strerror(errno));
		if (rc == 0 && link(temp.data, path) < 0)
			rc = errno == EEXIST ? ERR_UNKNOWN : err_set(err, ERR_IO, "%s", strerror(errno));
		unlink(temp.data);
	}
	buf_release(&temp);
	return rc < 0 && rc != ERR_UNKNOWN ? err_wrap(err, "--salt=%s", path) : rc;
}

/* Warn if other users can read the salt. */
static void anonymize_check_mode(const char *path, struct buf *notes)
{
	struct stat is;

	if (stat(path, &is) == 0 && S_ISREG(is.st_mode) && is.st_mode & MODE_OTHERS)
		buf_addf(notes, "--salt=%s: other users can read it and check guesses of names; use chmod 600\n", path);
}

/* Find the salt: from the file, which is created if it does not exist, else random. */
static int anonymize_find_salt(const char *path, struct bytes *out, struct buf *notes, struct err *err)
{
	int rc = *path ? anonymize_read_salt(path, out, err) : ERR_UNKNOWN;

	if (rc != ERR_UNKNOWN) {
		if (rc == 0)
			anonymize_check_mode(path, notes);
		return rc;
	}
	if (anonymize_make_salt(out, err) < 0)
		return err->code;
	if (!*path)
		return 0;
	rc = anonymize_write_salt(path, out, err);
	if (rc == ERR_UNKNOWN) {
		free(out->data);
		rc = anonymize_read_salt(path, out, err);
	} else if (rc == 0) {
		buf_addf(notes, "created the salt %s; it lets others check guesses of names, so keep it secret\n",
			 path);
	}
	return rc;
}

/* ---- kept functions ---- */

struct anonymize_kept {
	struct regex **regex; /* [n] */
	size_t n;
};

static void anonymize_release_kept(struct anonymize_kept *k)
{
	for (size_t i = 0; i < k->n; i++)
		regex_free(k->regex[i]);
	free(k->regex);
}

static int anonymize_compile_kept(const struct query *q, struct anonymize_kept *k, struct err *err)
{
	*k = (struct anonymize_kept){ .regex = mem_zalloc(q->keep.n, sizeof(struct regex *)) };
	for (size_t i = 0; i < q->keep.n; i++, k->n++)
		if (regex_new(q->keep.item[i], &k->regex[i], err) < 0)
			return err_wrap(err, "--keep=%s", q->keep.item[i]);
	return 0;
}

int answer_anonymize_check(const struct query *q, struct err *err)
{
	struct bytes salt = { 0 };
	struct anonymize_kept k;
	int rc = anonymize_compile_kept(q, &k, err);

	if (rc == 0 && *q->salt && strcmp(q->salt, q->output) == 0)
		rc = err_set(err, ERR_USAGE, "--salt=%s is also the output; name another file", q->salt);
	if (rc == 0 && *q->salt)
		rc = anonymize_read_salt(q->salt, &salt, err);
	anonymize_release_kept(&k);
	free(salt.data);
	return rc == ERR_UNKNOWN ? 0 : rc;
}

/* ---- what remains readable ---- */

static void anonymize_note_number(struct buf *notes, uint32_t n, const char *one, const char *many,
				  const char **separator)
{
	if (n == 0)
		return;
	buf_addf(notes, "%s%" PRIu32 " %s", *separator, n, n == 1 ? one : many);
	*separator = ", ";
}

static void anonymize_note_replaced(const struct anonymize_counts *n, struct buf *notes)
{
	const char *separator = "replaced: ", *before = separator;

	anonymize_note_number(notes, n->functions, "name of functions", "names of functions", &separator);
	anonymize_note_number(notes, n->files, "source file", "source files", &separator);
	anonymize_note_number(notes, n->binaries, "binary", "binaries", &separator);
	anonymize_note_number(notes, n->keys, "key of labels", "keys of labels", &separator);
	anonymize_note_number(notes, n->texts, "text of labels", "texts of labels", &separator);
	anonymize_note_number(notes, n->comments, "comment", "comments", &separator);
	anonymize_note_number(notes, n->urls, "address of documentation", "addresses of documentation", &separator);
	buf_addz(notes, separator == before ? "replaced: nothing\n" : "\n");
	separator = before = "removed: ";
	anonymize_note_number(notes, n->build_ids, "build id", "build ids", &separator);
	anonymize_note_number(notes, n->source_lines, "line of source code", "lines of source code", &separator);
	if (separator != before)
		buf_addz(notes, "\n");
}

static void anonymize_note_type(const struct profile *p, const struct value_type *t, const char *separator,
				struct buf *notes)
{
	buf_addf(notes, "%s%.100s", separator, profile_text(p, t->name));
	if (t->unit)
		buf_addf(notes, " (%.100s)", profile_text(p, t->unit));
}

static void anonymize_note_types(const struct profile *p, struct buf *notes)
{
	buf_addz(notes, "readable: sample types");
	for (uint32_t t = 0; t < p->n_types; t++)
		anonymize_note_type(p, &p->type[t], t ? ", " : " ", notes);
	if (p->meta.has_period_type)
		anonymize_note_type(p, &p->meta.period_type, "; period ", notes);
	buf_addz(notes, "\n");
}

/* Is a label listed, for its key that was kept or for its number? */
static bool anonymize_is_noted(const struct profile *p, uint32_t label, bool by_number)
{
	return by_number ? !p->label_is_text[label] : anonymize_keeps_key(profile_text(p, p->label_key[label]));
}

/* Append a line of the distinct texts of labels: of those whose keys were kept, or of those that are numbers. */
static void anonymize_note_labels(const struct profile *p, const char *title, const str_id *text, bool by_number,
				  struct buf *notes)
{
	bool *is_listed = mem_zalloc(strtab_count(p->str), 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_labels; i++) {
		if (is_listed[text[i]] || text[i] == 0 || !anonymize_is_noted(p, i, by_number))
			continue;
		is_listed[text[i]] = true;
		if (n++ < KEYS_SHOWN)
			buf_addf(notes, "%s%.100s", n == 1 ? title : ", ", profile_text(p, text[i]));
	}
	if (n > KEYS_SHOWN)
		buf_addf(notes, ", and %" PRIu32 " more", n - KEYS_SHOWN);
	if (n)
		buf_addz(notes, "\n");
	free(is_listed);
}

static void anonymize_note_kept(const struct anonymize_counts *n, bool wants_kept, struct buf *notes)
{
	const char *separator = "readable: ", *before = separator;

	if (wants_kept && n->kept_functions == 0)
		buf_addz(notes, "--keep matches no function\n");
	anonymize_note_number(notes, n->kept_functions, "name of functions", "names of functions", &separator);
	anonymize_note_number(notes, n->kept_files, "source file", "source files", &separator);
	if (separator != before)
		buf_addz(notes, " because of --keep\n");
}

static void anonymize_note_numbers(const struct profile *p, struct buf *notes)
{
	const char *separator = "readable: ";
	uint32_t lines = 0, addresses = 0, starts = 0;

	for (uint32_t i = 0; i < p->n_lines; i++)
		lines += p->line_no[i] != 0;
	for (uint32_t i = 0; i < p->n_locs; i++)
		addresses += p->loc_addr[i] != 0;
	for (uint32_t i = 0; i < p->n_funcs; i++)
		starts += p->func_start[i] != 0;
	anonymize_note_number(notes, lines, "line number", "line numbers", &separator);
	anonymize_note_number(notes, starts, "first line of functions", "first lines of functions", &separator);
	anonymize_note_number(notes, addresses, "address", "addresses", &separator);
	anonymize_note_number(notes, p->n_maps, "address range of binaries", "address ranges of binaries", &separator);
	anonymize_note_number(notes, p->stacks.n, "structure of a stack", "structures of stacks", &separator);
	buf_addf(notes, "%sall values\n", separator);
	if (p->meta.time_ns || p->meta.duration_ns)
		buf_addf(notes, "readable: %s%s%s of the recording\n", p->meta.time_ns ? "time" : "",
			 p->meta.time_ns && p->meta.duration_ns ? " and " : "", p->meta.duration_ns ? "duration" : "");
}

static void anonymize_note_readable(const struct anonymous *a, bool wants_kept, struct buf *notes)
{
	const struct profile *p = &a->p;

	anonymize_note_replaced(&a->n, notes);
	anonymize_note_types(p, notes);
	anonymize_note_kept(&a->n, wants_kept, notes);
	anonymize_note_labels(p, "readable: keys of labels ", p->label_key, false, notes);
	anonymize_note_labels(p, "readable: numbers of the labels ", p->label_key, true, notes);
	anonymize_note_labels(p, "readable: units of labels ", p->label_unit, true, notes);
	anonymize_note_numbers(p, notes);
}

/* ---- the command ---- */

static int anonymize_write(const struct profile *p, const struct query *q, const struct anonymize_options *options,
			   struct buf *out, struct buf *notes, struct err *err)
{
	struct anonymous a = { 0 };
	int rc = anonymize_make(p, options, &a, err);

	if (rc == 0)
		rc = export_proto(&a.p, q, out, err);
	if (rc == 0)
		anonymize_note_readable(&a, options->n_keep > 0, notes);
	anonymize_release(&a);
	return rc;
}

int answer_anonymize(const struct profile *p, const struct query *q, struct buf *out, struct buf *notes,
		     struct err *err)
{
	struct anonymize_options options = { .digits = ANONYMIZE_DIGITS };
	struct bytes salt = { 0 };
	struct anonymize_kept k;
	int rc = anonymize_compile_kept(q, &k, err);

	if (rc == 0)
		rc = anonymize_find_salt(q->salt, &salt, notes, err);
	if (rc == 0) {
		options.salt = salt.data;
		options.n_salt = salt.n;
		options.keep = k.regex;
		options.n_keep = k.n;
		rc = anonymize_write(p, q, &options, out, notes, err);
		explicit_bzero(salt.data, salt.n);
	}
	anonymize_release_kept(&k);
	free(salt.data);
	return rc;
}
