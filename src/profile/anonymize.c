/*
 * anonymize.c - replace the names in a profile by pseudonyms
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/anonymize.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/crypto.h"
#include "base/mem.h"
#include "profile/edit.h"
#include "profile/source.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_BYTES = 32, HASH_DIGITS = 2 * HASH_BYTES, MORE_DIGITS = 8 };

/* Kinds of texts. Equal texts of different kinds have different pseudonyms. */
enum anonymize_kind {
	ANONYMIZE_FUNCTION,
	ANONYMIZE_FILE,
	ANONYMIZE_BINARY,
	ANONYMIZE_VALUE,
	ANONYMIZE_KEY,
	ANONYMIZE_COMMENT,
	ANONYMIZE_URL,
	N_ANONYMIZE_KINDS
};

static const char *const anonymize_prefix[N_ANONYMIZE_KINDS] = { "f_",   "file_",    "binary_", "v_",
								 "key_", "comment_", "url_" };

/*
 * Keys of labels that profilers, standards and operating systems define, not a program. Keys of pprof, of
 * readers of cpa, of the conventions of OpenTelemetry, and of the profilers of Go, Java and Datadog.
 */
static const char *const well_known_keys[] = {
	BASE_LABEL,
	"alignment",
	"allocations",
	"bytes",
	"class",
	"cmdline",
	"comm",
	"command",
	"container",
	"count",
	"cpu",
	"event",
	"goroutine",
	"host.name",
	"interrupted",
	"kind",
	"local root span id",
	"lock",
	"memory_size",
	"node",
	"objects",
	"pid",
	"priority",
	"process",
	"process.executable.name",
	"process.pid",
	"profile_id",
	"request",
	"resource",
	"service.name",
	"service.version",
	"signal",
	"source",
	"span id",
	"span_id",
	"span_name",
	"state",
	"thread",
	"thread id",
	"thread name",
	"thread native id",
	"thread.id",
	"thread.name",
	"thread_id",
	"thread_name",
	"tid",
	"time",
	"timestamp",
	"trace endpoint",
	"trace id",
	"trace_id",
	"weight",
};

struct anonymizer {
	const struct profile *from;
	struct profile *to;
	const struct anonymize_options *o;
	const struct crypto *lib;
	str_id *made
		[N_ANONYMIZE_KINDS]; /* [strings of from] the pseudonym of a text; 0: none yet. NULL: none of this kind */
	uint32_t n_made[N_ANONYMIZE_KINDS];
	bool *keeps_function;   /* [n_funcs] */
	bool *is_in_other_file; /* [strings of from] a function of this file is not kept */
	struct buf text;
};

bool anonymize_keeps_key(const char *key)
{
	for (size_t i = 0; i < sizeof(well_known_keys) / sizeof(well_known_keys[0]); i++)
		if (strcmp(key, well_known_keys[i]) == 0)
			return true;
	return false;
}

/* Compute the hash of a text and its kind, as hexadecimal digits. */
static int anonymize_hash(struct anonymizer *a, enum anonymize_kind kind, str_id id, char digits[HASH_DIGITS + 1],
			  struct err *err)
{
	const char *prefix = anonymize_prefix[kind];
	unsigned char hash[HASH_BYTES];

	a->text.len = 0;
	buf_add(&a->text, prefix, strlen(prefix));
	buf_add(&a->text, strtab_text(a->from->str, id), strtab_len(a->from->str, id));
	assert(a->o->n_salt <= INT_MAX);
	if (!a->lib->hmac(a->lib->sha256(), a->o->salt, (int)a->o->n_salt, (const unsigned char *)a->text.data,
			  a->text.len, hash, NULL))
		return err_set(err, ERR_IO, "libcrypto could not compute a hash");
	for (size_t i = 0; i < HASH_BYTES; i++) {
		digits[2 * i] = "0123456789abcdef"[hash[i] >> 4];
		digits[2 * i + 1] = "0123456789abcdef"[hash[i] & 15];
	}
	digits[HASH_DIGITS] = '\0';
	return 0;
}

/* Add the pseudonym with the first digits of a hash, and with more of them while another text has it. */
static str_id anonymize_add_free(struct anonymizer *a, enum anonymize_kind kind, str_id id, const char *digits)
{
	const char *ending = kind == ANONYMIZE_FILE ? profile_source_suffix(strtab_text(a->from->str, id)) : NULL;
	struct strtab *to = a->to->str;
	str_id taken;

	for (unsigned n = a->o->digits, again = 1;;) {
		a->text.len = 0;
		buf_addf(&a->text, "%s%.*s", anonymize_prefix[kind], (int)n, digits);
		if (again > 1) /* only if a kept name is this pseudonym */
			buf_addf(&a->text, "_%u", again);
		buf_addz(&a->text, ending ? ending : "");
		if (!strtab_find(to, a->text.data, a->text.len, &taken))
			return strtab_add(to, a->text.data, a->text.len);
		if (n < HASH_DIGITS)
			n = n + MORE_DIGITS < HASH_DIGITS ? n + MORE_DIGITS : HASH_DIGITS;
		else
			again++;
	}
}

/* Replace a text of the profile by its pseudonym. */
static int anonymize_text(struct anonymizer *a, enum anonymize_kind kind, str_id id, str_id *out, struct err *err)
{
	char digits[HASH_DIGITS + 1];

	*out = 0;
	if (id == 0)
		return 0;
	if (!a->made[kind])
		a->made[kind] = mem_zalloc(strtab_count(a->from->str), sizeof(*a->made[kind]));
	if (!a->made[kind][id]) {
		if (anonymize_hash(a, kind, id, digits, err) < 0)
			return ERR_IO;
		a->made[kind][id] = anonymize_add_free(a, kind, id, digits);
		a->n_made[kind]++;
	}
	*out = a->made[kind][id];
	return 0;
}

/* Keep a text of the profile. */
static str_id anonymize_keep(struct anonymizer *a, str_id id)
{
	return strtab_add_from(a->to->str, a->from->str, id);
}

static struct value_type anonymize_type(struct anonymizer *a, const struct value_type *t)
{
	return (struct value_type){ anonymize_keep(a, t->name), anonymize_keep(a, t->unit) };
}

/* Does an expression match the name of a function? */
static int anonymize_matches(const struct anonymizer *a, uint32_t func, bool *out, struct err *err)
{
	str_id name = a->from->func_name[func];
	int rc = 0;

	*out = false;
	for (size_t i = 0; rc == 0 && !*out && i < a->o->n_keep; i++)
		rc = regex_match(a->o->keep[i], strtab_text(a->from->str, name), strtab_len(a->from->str, name), out,
				 err);
	return rc;
}

/* Find the functions and files that are kept, and keep their names: pseudonyms that are made later differ from these. */
static int anonymize_find_kept(struct anonymizer *a, struct err *err)
{
	const struct profile *p = a->from;

	for (uint32_t i = 0; i < p->n_funcs; i++) {
		if (anonymize_matches(a, i, &a->keeps_function[i], err) < 0)
			return err->code;
		if (!a->keeps_function[i]) {
			a->is_in_other_file[p->func_file[i]] = true;
			continue;
		}
		a->to->func_name[i] = anonymize_keep(a, p->func_name[i]);
		a->to->func_sysname[i] = anonymize_keep(a, p->func_sysname[i]);
	}
	for (uint32_t i = 0; i < p->n_funcs; i++)
		if (!a->is_in_other_file[p->func_file[i]])
			a->to->func_file[i] = anonymize_keep(a, p->func_file[i]);
	return 0;
}

/* Keep sample types, units and well-known keys. */
static void anonymize_keep_types(struct anonymizer *a)
{
	const struct profile *p = a->from;
	struct profile *to = a->to;

	to->type = arena_alloc(to->mem, p->n_types, sizeof(*to->type));
	to->meta.default_type = 0;
	for (uint32_t t = 0; t < p->n_types; t++) {
		to->type[t] = anonymize_type(a, &p->type[t]);
		if (p->type[t].name == p->meta.default_type)
			to->meta.default_type = to->type[t].name;
	}
	to->meta.period_type = anonymize_type(a, &p->meta.period_type);
	for (uint32_t i = 0; i < p->n_labels; i++) {
		to->label_unit[i] = anonymize_keep(a, p->label_unit[i]);
		if (anonymize_keeps_key(profile_text(p, p->label_key[i])))
			to->label_key[i] = anonymize_keep(a, p->label_key[i]);
		if (p->label_is_text[i] && strcmp(profile_text(p, p->label_key[i]), BASE_LABEL) == 0)
			to->label_text[i] = anonymize_keep(a, p->label_text[i]);
	}
}

static int anonymize_functions(struct anonymizer *a, struct err *err)
{
	const struct profile *p = a->from;
	struct profile *to = a->to;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < p->n_funcs; i++) {
		if (!a->keeps_function[i])
			rc = anonymize_text(a, ANONYMIZE_FUNCTION, p->func_name[i], &to->func_name[i], err);
		if (rc == 0 && !a->keeps_function[i])
			rc = anonymize_text(a, ANONYMIZE_FUNCTION, p->func_sysname[i], &to->func_sysname[i], err);
		if (rc == 0 && a->is_in_other_file[p->func_file[i]])
			rc = anonymize_text(a, ANONYMIZE_FILE, p->func_file[i], &to->func_file[i], err);
	}
	return rc;
}

static int anonymize_labels(struct anonymizer *a, struct err *err)
{
	const struct profile *p = a->from;
	struct profile *to = a->to;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < p->n_labels; i++) {
		if (!to->label_key[i])
			rc = anonymize_text(a, ANONYMIZE_KEY, p->label_key[i], &to->label_key[i], err);
		if (rc == 0 && p->label_is_text[i] && !to->label_text[i])
			rc = anonymize_text(a, ANONYMIZE_VALUE, p->label_text[i], &to->label_text[i], err);
	}
	return rc;
}

static int anonymize_binaries(struct anonymizer *a, struct anonymize_counts *n, struct err *err)
{
	const struct profile *p = a->from;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < p->n_maps; i++) {
		struct mapping *m = &a->to->map[i];

		*m = p->map[i];
		n->build_ids += m->build_id != 0;
		m->build_id = m->kernel_symbol = 0;
		rc = anonymize_text(a, ANONYMIZE_BINARY, p->map[i].file, &m->file, err);
	}
	return rc;
}

static int anonymize_meta(struct anonymizer *a, struct err *err)
{
	const struct profile_meta *from = &a->from->meta;
	struct profile_meta *to = &a->to->meta;
	int rc = anonymize_text(a, ANONYMIZE_URL, from->doc_url, &to->doc_url, err);

	to->drop_frames = to->keep_frames = 0;
	to->comment = arena_alloc(a->to->mem, from->n_comments, sizeof(*to->comment));
	for (uint32_t i = 0; rc == 0 && i < from->n_comments; i++)
		rc = anonymize_text(a, ANONYMIZE_COMMENT, from->comment[i], &to->comment[i], err);
	return rc;
}

/* Make a copy with its own columns of texts. All are 0. */
static void anonymize_begin(const struct profile *p, struct profile *to)
{
	struct arena *mem = arena_new();

	*to = *p;
	to->mem = mem;
	to->str = strtab_new();
	to->owner = p;
	to->func_name = arena_zalloc(mem, p->n_funcs, sizeof(*to->func_name));
	to->func_sysname = arena_zalloc(mem, p->n_funcs, sizeof(*to->func_sysname));
	to->func_file = arena_zalloc(mem, p->n_funcs, sizeof(*to->func_file));
	to->label_key = arena_zalloc(mem, p->n_labels, sizeof(*to->label_key));
	to->label_text = arena_zalloc(mem, p->n_labels, sizeof(*to->label_text));
	to->label_unit = arena_zalloc(mem, p->n_labels, sizeof(*to->label_unit));
	to->map = arena_alloc(mem, p->n_maps, sizeof(*to->map));
	to->n_source_lines = 0;
	to->source_file = to->source_text = NULL;
	to->source_line = NULL;
}

/* Count the distinct texts that were kept. Empty ones are none. */
static uint32_t anonymize_count_kept(const struct anonymizer *a, const str_id *text, bool is_file)
{
	bool *is_counted = mem_zalloc(strtab_count(a->from->str), 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->from->n_funcs; i++) {
		bool is_kept = is_file ? !a->is_in_other_file[text[i]] : a->keeps_function[i];

		n += is_kept && text[i] && !is_counted[text[i]];
		is_counted[text[i]] |= is_kept;
	}
	free(is_counted);
	return n;
}

static void anonymize_count(const struct anonymizer *a, struct anonymize_counts *n)
{
	n->functions = a->n_made[ANONYMIZE_FUNCTION];
	n->files = a->n_made[ANONYMIZE_FILE];
	n->binaries = a->n_made[ANONYMIZE_BINARY];
	n->texts = a->n_made[ANONYMIZE_VALUE];
	n->keys = a->n_made[ANONYMIZE_KEY];
	n->comments = a->n_made[ANONYMIZE_COMMENT];
	n->urls = a->n_made[ANONYMIZE_URL];
	n->kept_functions = anonymize_count_kept(a, a->from->func_name, false);
	n->kept_files = anonymize_count_kept(a, a->from->func_file, true);
	n->source_lines = a->from->n_source_lines;
}

int anonymize_make(const struct profile *p, const struct anonymize_options *o, struct anonymous *out, struct err *err)
{
	struct anonymizer a = { .from = p, .to = &out->p, .o = o };
	int rc;

	assert(o->digits > 0 && o->digits <= HASH_DIGITS);
	*out = (struct anonymous){ 0 };
	anonymize_begin(p, &out->p);
	a.keeps_function = mem_zalloc(p->n_funcs, 1);
	a.is_in_other_file = mem_zalloc(strtab_count(p->str), 1);
	anonymize_keep_types(&a);
	rc = crypto_load(&a.lib, err);
	if (rc == 0)
		rc = anonymize_find_kept(&a, err);
	if (rc == 0)
		rc = anonymize_functions(&a, err);
	if (rc == 0)
		rc = anonymize_labels(&a, err);
	if (rc == 0)
		rc = anonymize_binaries(&a, &out->n, err);
	if (rc == 0)
		rc = anonymize_meta(&a, err);
	if (rc == 0)
		anonymize_count(&a, &out->n);
	for (int kind = 0; kind < N_ANONYMIZE_KINDS; kind++)
		free(a.made[kind]);
	free(a.keeps_function);
	free(a.is_in_other_file);
	buf_release(&a.text);
	return rc;
}

void anonymize_release(struct anonymous *a)
{
	if (!a->p.mem)
		return;
	strtab_free(a->p.str);
	arena_free(a->p.mem);
	*a = (struct anonymous){ 0 };
}
