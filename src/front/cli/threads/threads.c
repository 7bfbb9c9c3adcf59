/*
 * threads.c - print the stacks of the threads of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process is only read (attach/threads.h). Answers of servers and contents of files are text (formats/dump/stacks.h).
 */
#include "config.h"

#include "attach/threads.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/path.h"
#include "base/regex.h"
#include "base/unit.h"
#include "base/utf8.h"

#include "front/cli/cmd.h"
#include "front/cli/http_options.h"
#include "front/cli/messages.h"

#include "fetch/folder.h"
#include "fetch/source.h"

#include "formats/dump/stacks.h"

#include "symbol/demangle/demangle.h"

#include <assert.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTION_COLUMN = 40, NAME_COLUMNS = 2 * THREADS_WIDTH, SECONDS_PER_MINUTE = 60 };

/* A thread and the hash of its stack. Equal stacks have the same hash. */
struct threads_entry {
	const struct stacks_thread *t;
	uint64_t hash;
};

/* Entries [at, at + n), which have the same stack. */
struct threads_threads_group {
	size_t at, n;
	bool waits;
	uint64_t longest_s, shortest_s, cpu_ms;
};

struct threads_threads_dump {
	const struct stacks *s;
	struct threads_entry *entry;
	size_t n;
	bool is_leaked_only; /* only goroutines that are leaked */
	struct buf *out;
};

static uint64_t threads_hash_text(uint64_t h, struct stacks_text t)
{
	return hash_mix(h ^ hash_u64(t.n), hash_bytes(t.s, t.n) ^ 0x9e3779b97f4a7c15);
}

static uint64_t hash_frame(uint64_t h, const struct stacks_frame *f)
{
	return threads_hash_text(threads_hash_text(h ^ hash_u64(f->line), f->function), f->file);
}

static uint64_t hash_thread(const struct stacks *s, const struct stacks_thread *t)
{
	uint64_t h = threads_hash_text(threads_hash_text(threads_hash_text(hash_u64(t->n), t->state), t->details),
				       t->labels);

	for (uint32_t i = 0; i < t->n; i++)
		h = hash_frame(h, &s->frame[t->first + i]);
	return t->has_creator ? hash_frame(h, &t->creator) : h;
}

static int threads_compare_texts(struct stacks_text a, struct stacks_text b)
{
	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	return a.n ? memcmp(a.s, b.s, a.n) : 0;
}

static int threads_compare_frames(const struct stacks_frame *a, const struct stacks_frame *b)
{
	int d = threads_compare_texts(a->function, b->function);

	if (d == 0)
		d = threads_compare_texts(a->file, b->file);
	return d ? d : (a->line > b->line) - (a->line < b->line);
}

static int compare_kinds(const struct stacks *s, const struct stacks_thread *a, const struct stacks_thread *b)
{
	int d = threads_compare_texts(a->state, b->state);

	if (d == 0)
		d = threads_compare_texts(a->details, b->details);
	if (d == 0)
		d = threads_compare_texts(a->labels, b->labels);
	if (d == 0)
		d = (a->n > b->n) - (a->n < b->n);
	for (uint32_t i = 0; i < a->n && d == 0; i++)
		d = threads_compare_frames(&s->frame[a->first + i], &s->frame[b->first + i]);
	if (d == 0)
		d = a->has_creator - b->has_creator;
	return d == 0 && a->has_creator ? threads_compare_frames(&a->creator, &b->creator) : d;
}

static int threads_compare_entries(const void *a, const void *b, void *arg)
{
	const struct threads_entry *x = a, *y = b;
	int d = (x->hash > y->hash) - (x->hash < y->hash);

	if (d == 0)
		d = compare_kinds(arg, x->t, y->t);
	return d ? d : (x->t->id > y->t->id) - (x->t->id < y->t->id);
}

/* Longest wait first, running threads last. The order does not depend on hashes. */
static int threads_compare_groups(const void *a, const void *b, void *arg)
{
	const struct threads_threads_group *x = a, *y = b;
	const struct threads_entry *entry = arg;

	if (x->longest_s != y->longest_s)
		return x->longest_s > y->longest_s ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (entry[x->at].t > entry[y->at].t) - (entry[x->at].t < entry[y->at].t);
}

/* Append a function name. Programs that serve their own profile send mangled names of C++ and Rust. */
static void threads_add_function(struct buf *out, struct stacks_text name)
{
	struct buf symbol = { 0 };

	if (name.n > 2 && name.s[0] == '_')
		buf_add(&symbol, name.s, name.n);
	if (!symbol.len || !demangle(buf_text(&symbol), DEMANGLE_DEFAULT, out))
		buf_add(out, name.s, name.n);
	buf_release(&symbol);
}

/* Does a function of the stack match, with its name as shown? */
static int threads_matches(const struct stacks *s, const struct stacks_thread *t, struct regex *r, bool *out,
			   struct err *err)
{
	int rc = 0;

	*out = false;
	for (uint32_t i = 0; i < t->n && rc == 0 && !*out; i++) {
		struct buf name = { 0 };

		threads_add_function(&name, s->frame[t->first + i].function);
		rc = regex_match(r, buf_text(&name), name.len, out, err);
		buf_release(&name);
	}
	return rc;
}

/* Has the garbage collector of Go found that nothing can wake the goroutine? It writes "chan send (leaked)". */
static bool is_leaked(const struct stacks_thread *t)
{
	static const char mark[] = "(leaked)";

	return memmem(t->state.s, t->state.n, mark, strlen(mark)) != NULL;
}

static int pick(struct threads_threads_dump *d, struct regex *focus, struct regex *ignore, struct err *err)
{
	for (size_t i = 0; i < d->s->n; i++) {
		const struct stacks_thread *t = &d->s->thread[i];
		bool in = !d->is_leaked_only || is_leaked(t), outside = false;

		if (focus && in && threads_matches(d->s, t, focus, &in, err) < 0)
			return err->code;
		if (ignore && in && threads_matches(d->s, t, ignore, &outside, err) < 0)
			return err->code;
		if (in && !outside)
			d->entry[d->n++] = (struct threads_entry){ t, hash_thread(d->s, t) };
	}
	return 0;
}

static void threads_add_safe(struct buf *out, struct stacks_text t)
{
	utf8_add_safe(out, t.s, t.n);
}

/* Append ", 3 to 14 minutes". */
static void threads_add_wait(struct buf *out, const struct threads_threads_group *g)
{
	uint64_t lo = g->shortest_s / SECONDS_PER_MINUTE, hi = g->longest_s / SECONDS_PER_MINUTE;

	assert(g->shortest_s <= g->longest_s);
	buf_addz(out, ", ");
	if (lo != hi)
		buf_addf(out, "%" PRIu64 " to ", lo);
	buf_addf(out, "%" PRIu64 " minute%s", hi, hi == 1 ? "" : "s");
}

static void threads_add_name(struct buf *out, const struct stacks_thread *t)
{
	if (t->name.n) {
		buf_addz(out, "\"");
		threads_add_safe(out, t->name);
		buf_addz(out, "\" ");
	}
	buf_addf(out, "%" PRIu64, t->id);
}

/* Append " 18, 19, 20, and 7 more". */
static void threads_add_names(const struct threads_threads_dump *d, const struct threads_threads_group *g,
			      struct buf *out)
{
	struct buf piece = { 0 };
	size_t used = 0, column = utf8_count(buf_text(out), out->len);

	for (size_t i = g->at; i < g->at + g->n; i++) {
		piece.len = 0;
		if (used > NAME_COLUMNS) {
			buf_addf(&piece, "and %zu more", g->at + g->n - i);
			attach_threads_add_piece(out, piece.data, piece.len, &column);
			break;
		}
		threads_add_name(&piece, d->entry[i].t);
		buf_addz(&piece, i + 1 < g->at + g->n ? "," : "");
		attach_threads_add_piece(out, piece.data, piece.len, &column);
		used += piece.len;
	}
	buf_release(&piece);
}

/* Append "512 goroutines, chan receive, 3 to 14 minutes, locked to thread: 18, 19". */
static void threads_add_head(const struct threads_threads_dump *d, const struct threads_threads_group *g)
{
	const struct stacks_thread *t = d->entry[g->at].t;
	struct buf head = { 0 };

	unit_add_count(&head, g->n);
	buf_addf(&head, " %s%s, ", d->s->are_threads ? "thread" : "goroutine", g->n == 1 ? "" : "s");
	threads_add_safe(&head, t->state);
	if (g->waits)
		threads_add_wait(&head, g);
	if (t->details.n) {
		buf_addz(&head, ", ");
		threads_add_safe(&head, t->details);
	}
	if (d->s->are_threads) {
		buf_addz(&head, ", cpu ");
		unit_add_label(&head, (int64_t)(g->cpu_ms & INT64_MAX), "ms", "auto");
	}
	buf_addz(&head, ":");
	threads_add_names(d, g, &head);
	buf_addf(d->out, "\n%s\n", buf_text(&head));
	buf_release(&head);
}

static void threads_add_frame(struct buf *out, const struct stacks_frame *f, const char *before, size_t column)
{
	struct buf function = { 0 }, place = { 0 };

	buf_addz(&function, before);
	threads_add_function(&function, f->function);
	attach_threads_add_place(&place, f->file.s, f->file.n, f->line);
	attach_threads_add_line(out, buf_text(&function), &place, column);
	buf_release(&function);
	buf_release(&place);
}

static void threads_add_group(const struct threads_threads_dump *d, const struct threads_threads_group *g)
{
	static const char created[] = "created by ";
	const struct stacks_thread *t = d->entry[g->at].t;
	const struct stacks_frame *f = &d->s->frame[t->first];
	size_t column = 0;

	assert(g->n > 0 && g->at + g->n <= d->n);
	threads_add_head(d, g);
	if (t->labels.n) {
		struct buf labels = { 0 };

		threads_add_safe(&labels, t->labels);
		buf_addz(d->out, "  labels: ");
		utf8_add_short(d->out, labels.data, labels.len, THREADS_WIDTH - strlen("  labels: ") - 1);
		buf_addz(d->out, "\n");
		buf_release(&labels);
	}
	for (uint32_t i = 0; i < t->n; i++)
		if (f[i].file.n && f[i].function.n > column && f[i].function.n <= FUNCTION_COLUMN)
			column = f[i].function.n;
	for (uint32_t i = 0; i < t->n; i++)
		threads_add_frame(d->out, &f[i], "", column);
	if (t->has_creator)
		threads_add_frame(d->out, &t->creator, created, column);
	else if (t->n == 0)
		buf_addz(d->out, "    (no stack)\n");
}

static void make_groups(struct threads_threads_dump *d, struct threads_threads_group *group, size_t *n_groups)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct stacks_thread *t = d->entry[i].t;
		struct threads_threads_group *g;

		if (i == 0 || d->entry[i - 1].hash != d->entry[i].hash ||
		    compare_kinds(d->s, d->entry[i - 1].t, t) != 0)
			group[(*n_groups)++] = (struct threads_threads_group){ .at = i, .shortest_s = t->wait_s };
		assert(*n_groups <= d->n);
		g = &group[*n_groups - 1];
		g->n++;
		g->waits |= t->is_waiting;
		g->cpu_ms += t->cpu_ms;
		if (t->wait_s > g->longest_s)
			g->longest_s = t->wait_s;
		if (t->wait_s < g->shortest_s)
			g->shortest_s = t->wait_s;
	}
}

static void threads_add_title(const struct threads_threads_dump *d)
{
	const char *what = d->s->are_threads ? "thread" : "goroutine";

	if (d->s->reason.n) {
		struct buf safe = { 0 };

		threads_add_safe(&safe, d->s->reason);
		utf8_add_short(d->out, safe.data, safe.len, THREADS_WIDTH - 1);
		buf_addz(d->out, "\n");
		buf_release(&safe);
	}
	unit_add_count(d->out, d->n);
	if (d->n != d->s->n) {
		buf_addz(d->out, " of ");
		unit_add_count(d->out, d->s->n);
	}
	buf_addf(d->out, " %s%s%s\n", what, d->s->n == 1 ? "" : "s", d->is_leaked_only ? " leaked" : "");
}

/*
 * Append a dump of stacks in lines of at most 80 columns. Stacks with the same functions and lines, state, labels and
 * creator are one group. Groups are sorted by longest wait, then by size.
 *
 * is_leaked_only  only goroutines that are leaked
 * focus, ignore   only stacks with, or without, a matching function; NULL: no filter
 * Fails           ERR_LIMIT like regex_match
 */
static int add_dump(const struct stacks *s, bool is_leaked_only, struct regex *focus, struct regex *ignore,
		    struct buf *out, struct err *err)
{
	struct threads_threads_dump d = {
		.s = s, .entry = mem_alloc(s->n, sizeof(*d.entry)), .is_leaked_only = is_leaked_only, .out = out
	};
	struct threads_threads_group *group = NULL;
	size_t n_groups = 0;
	int rc = pick(&d, focus, ignore, err);

	if (rc == 0) {
		qsort_r(d.entry, d.n, sizeof(*d.entry), threads_compare_entries, (void *)(uintptr_t)s);
		group = mem_alloc(d.n + 1, sizeof(*group));
		make_groups(&d, group, &n_groups);
		qsort_r(group, n_groups, sizeof(*group), threads_compare_groups, d.entry);
		threads_add_title(&d);
		for (size_t i = 0; i < n_groups; i++)
			threads_add_group(&d, &group[i]);
	}
	free(group);
	free(d.entry);
	return rc;
}

struct threads_args {
	struct http_options http;
	int64_t debug;
	const char *output, *focus, *ignore;
	bool proto, leaked, help;
	const char *source; /* source as given; NULL: none */
	pid_t pid;          /* 0: the source is a file or a server */
};

/* clang-format off */
static const struct opt options[] = {
	{ "output", OPT_TEXT, offsetof(struct threads_args, output), 0, "", "FILE", 0, true, "write to FILE instead of standard output; -o for short" },
	{ "o", OPT_TEXT, offsetof(struct threads_args, output), 0, "", "FILE", 0, true, "same as --output" },
	{ "debug", OPT_INT, offsetof(struct threads_args, debug), 0, "0", "N", 0, true, "PID only: 1: the text format of Go's goroutine profile, 2: each thread separately" },
	{ "proto", OPT_BOOL, offsetof(struct threads_args, proto), 0, "false", NULL, 0, true, "PID only: write a profile for cpa and pprof" },
	{ "focus", OPT_TEXT, offsetof(struct threads_args, focus), 0, "", "REGEX", 0, true, "show only stacks with a matching function (SERVER and FILE only)" },
	{ "ignore", OPT_TEXT, offsetof(struct threads_args, ignore), 0, "", "REGEX", 0, true, "show only stacks without a matching function (SERVER and FILE only)" },
	{ "leaked", OPT_BOOL, offsetof(struct threads_args, leaked), 0, "false", NULL, 0, true, "show only leaked goroutines, which a server of Go finds by a garbage collection (SERVER and FILE only)" },
	{ "help", OPT_BOOL, offsetof(struct threads_args, help), 0, "false", NULL, 0, true, "print this help" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]), PID_DIGITS = 9 };

enum { HTTP_NOT_FOUND = 404 };

const struct opt *cmd_threads_option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : cmd_http_option_at(i - N_OPTIONS);
}

static int threads_read_source(const char *word, struct threads_args *to, struct err *err)
{
	const char *given = word;
	size_t n;

	if (to->source)
		return err_set(err, ERR_USAGE, "cpa threads takes one process");
	to->source = word;
	word += url_is_process(word) ? strlen("pid:") : 0;
	n = strspn(word, "0123456789");
	if (word > given && word[n])
		return err_set(err, ERR_USAGE, "%s: cpa threads takes one process", given);
	if (n == 0 || word[n])
		return 0;
	if (n > PID_DIGITS || atoi(word) == 0)
		return err_set(err, ERR_USAGE, "%s: not a PID", given);
	to->pid = atoi(word);
	return 0;
}

static int threads_check(const struct threads_args *a, struct err *err)
{
	if (!a->source)
		return err_set(err, ERR_USAGE, "usage: cpa threads [OPTION]... PID | SERVER | FILE");
	if (a->debug < 0 || a->debug > 2)
		return err_set(err, ERR_USAGE, "--debug must be 0, 1 or 2");
	if (!a->pid && (a->proto || a->debug))
		return err_set(err, ERR_USAGE,
			       "%s applies to processes only; for a server use cpa -proto URL/goroutine",
			       a->proto ? "-proto" : "--debug");
	if (a->pid && (*a->focus || *a->ignore || a->leaked))
		return err_set(err, ERR_USAGE, "--focus, --ignore and --leaked apply to servers and files only");
	return 0;
}

static int threads_read_options(int argc, char **argv, struct threads_args *to, struct err *err)
{
	const struct opt_table tables[] = { { options, N_OPTIONS, to }, cmd_http_options(&to->http) };

	opt_set_defaults(options, N_OPTIONS, to);
	cmd_http_set_defaults(&to->http);
	for (int i = 1, used = 1; i < argc; i += used) {
		bool is_option = argv[i][0] == '-' && argv[i][1];

		used = is_option ? opt_read("threads", tables, 2, argc - i, argv + i, err) : 1;
		if (used < 0)
			return used;
		if (!is_option && threads_read_source(argv[i], to, err) < 0)
			return err->code;
	}
	return to->help ? 0 : threads_check(to, err);
}

static int threads_write_text(const struct threads_args *a, const struct buf *text, struct err *err)
{
	return *a->output ? io_write_file(a->output, text->data, text->len, err)
			  : io_write_fd(STDOUT_FILENO, text->data, text->len, err);
}

/* Does the URL name the profile of leaked goroutines? */
static bool names_leaks(const char *url)
{
	static const char name[] = "/goroutineleak";
	size_t n = strcspn(url, "?");

	return n >= strlen(name) && memcmp(url + n - strlen(name), name, strlen(name)) == 0;
}

/* Fetch the text of a server: threads if it has them, else goroutines; or goroutines with a mark on those leaked. */
static int fetch_text(const struct threads_args *a, struct bytes *out, struct err *err)
{
	const char *const name[] = { a->leaked ? "goroutineleak" : "threads", "goroutine" };
	int n_names = a->leaked ? 1 : 2;
	struct url folder, url;
	struct buf shown = { 0 };
	int rc = fetch_folder(a->source, &folder, err);

	if (rc < 0)
		return rc;
	for (int i = 0; i < n_names; i++) {
		struct fetch_request get = { .url = &url };

		fetch_folder_url(&folder, name[i], "debug=2", 0, &url);
		cmd_http_fetch(&a->http, &get, 1, "waiting for the server");
		shown.len = 0;
		url_add_redacted(&url, &shown);
		url_release(&url);
		*out = get.bytes;
		*err = get.err;
		rc = get.rc;
		if (get.status != HTTP_NOT_FOUND)
			break;
		if (a->leaked)
			rc = err_set(err, ERR_IO, "%s",
				     "no such profile; Go 1.26 has it if built with GOEXPERIMENT=goroutineleakprofile");
	}
	url_release(&folder);
	if (rc < 0)
		rc = err_wrap(err, "%s", buf_text(&shown));
	buf_release(&shown);
	return rc;
}

static int threads_read_text(const struct threads_args *a, struct bytes *out, struct err *err)
{
	bool is_file = strcmp(a->source, "-") == 0 || access(a->source, F_OK) == 0;
	uint64_t max = a->http.max_input < 0 ? mem_quarter_of_ram() : (uint64_t)a->http.max_input;
	int rc = is_file ? fetch_read(a->source, max, out, err) : fetch_text(a, out, err);

	if (rc == ERR_UNKNOWN)
		return err_set(err, ERR_USAGE, "%s: not a PID, a file or a server address", a->source);
	return rc < 0 && is_file ? err_wrap(err, "%s", a->source) : rc;
}

static int threads_draw(const struct threads_args *a, const struct stacks *s, struct buf *out, struct err *err)
{
	struct regex *focus = NULL, *ignore = NULL;
	int rc = *a->focus ? regex_new(a->focus, &focus, err) : 0;

	if (rc == 0 && *a->ignore)
		rc = regex_new(a->ignore, &ignore, err);
	if (rc == 0)
		rc = add_dump(s, a->leaked, focus, ignore, out, err);
	regex_free(focus);
	regex_free(ignore);
	return rc;
}

/* Is it an executable file, and not a core dump? */
static bool threads_is_program(const struct bytes *b)
{
	Elf64_Ehdr head;

	if (b->n < sizeof(head))
		return false;
	memcpy(&head, b->data, sizeof(head));
	return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && (head.e_type == ET_EXEC || head.e_type == ET_DYN);
}

/* Print the stacks of a server or a file. Returns the exit status. */
static int print_stacks(const struct threads_args *a)
{
	struct bytes bytes = { 0 };
	struct stacks s = { 0 };
	struct buf text = { 0 };
	struct err err;
	int rc = threads_read_text(a, &bytes, &err);

	if (rc == 0 && threads_is_program(&bytes) && access(a->source, F_OK) == 0)
		rc = err_set(&err, ERR_USAGE,
			     "%.300s: is a program; give a process ID, as in cpa threads $(pidof %.100s)", a->source,
			     path_base(a->source));
	if (rc == 0 && (rc = stacks_parse((const char *)bytes.data, bytes.n, &s, &err)) < 0) {
		url_redact(a->source, &text); /* a file name contains no secret */
		err_wrap(&err, "%.300s", buf_text(&text));
	}
	if (rc == 0)
		rc = threads_draw(a, &s, &text, &err);
	if (rc == 0)
		rc = threads_write_text(a, &text, &err);
	stacks_release(&s);
	buf_release(&text);
	free(bytes.data);
	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}

/* Print the threads of a process. Returns the exit status. */
static int print_process(const struct threads_args *a)
{
	const struct attach_threads_options o = { .debug = a->debug, .proto = a->proto };
	struct buf text = { 0 };
	struct err err;
	int rc = attach_threads(a->pid, &o, &text, &err);

	if (rc == 0)
		rc = threads_write_text(a, &text, &err);
	buf_release(&text);
	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}

int cmd_threads(int argc, char **argv)
{
	struct threads_args a = { 0 };
	struct err err;

	if (threads_read_options(argc, argv, &a, &err) < 0)
		return say_error("%s", err.msg);
	if (a.help) {
		cmd_help_command("threads");
		return STATUS_FINE;
	}
	a.leaked |= access(a.source, F_OK) != 0 && names_leaks(a.source);
	if (a.proto && !*a.output && isatty(STDOUT_FILENO))
		return say_error("a profile cannot be written to a terminal; use -o FILE");
	return a.pid ? print_process(&a) : print_stacks(&a);
}
