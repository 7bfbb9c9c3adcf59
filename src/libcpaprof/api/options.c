/*
 * options.c - what the environment asks for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/options.h"

#include "libcpaprof/collector/collect.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum kind { IS_TEXT, IS_NUMBER, IS_BYTES, IS_SIGNAL, IS_TIMER_SIGNAL, IS_YES, IS_NO, IS_FOLLOW };

struct variable {
	const char *name;
	enum kind kind;
	size_t at;
	uint64_t least, most; /* of numbers; what is more is most when cut is set. Texts: most is what has room */
	bool cut;
};

#define AT(member) offsetof(struct options, member)

static const struct variable ours[] = {
	{ "CPA_CPUPROFILE", IS_TEXT, AT(cpu), 0, PATH_MAX, false },
	{ "CPA_CPU_HZ", IS_NUMBER, AT(hz), 1, 1000, false },
	{ "CPA_CPU_ENGINE", IS_TEXT, AT(engine), 0, ENGINE_TEXT_MAX, false },
	{ "CPA_HEAPPROFILE", IS_TEXT, AT(heap), 0, PATH_MAX, false },
	{ "CPA_HEAP_RATE", IS_BYTES, AT(heap_rate), 0, 1ULL << 40, false },
	{ "CPA_HEAP_INTERVAL", IS_BYTES, AT(heap_allocated), 1, 1ULL << 50, false },
	{ "CPA_BLOCK_RATE", IS_NUMBER, AT(block_rate), 0, 1ULL << 50, false },
	{ "CPA_MUTEX_FRACTION", IS_NUMBER, AT(mutex_fraction), 0, INT32_MAX, false },
	{ "CPA_SIGNAL", IS_TIMER_SIGNAL, AT(sig), 1, 64, false },
	{ "CPA_TOGGLE_SIGNAL", IS_SIGNAL, AT(toggle), 1, 64, false },
	{ "CPA_FOLLOW", IS_FOLLOW, AT(alone), 0, 0, false },
	{ "CPA_MAX_DEPTH", IS_NUMBER, AT(max_depth), 1, 254, false },
	{ "CPA_LABEL_INHERIT", IS_NO, AT(labels_stay), 0, 0, false },
	{ "CPA_HEAP_LABELS", IS_YES, AT(heap_labels), 0, 0, false },
	{ "CPA_FLUSH_ON_FATAL", IS_YES, AT(fatal), 0, 0, false },
	{ "CPA_LISTEN", IS_TEXT, AT(listen), 0, LISTEN_TEXT_MAX, false },
	{ "CPA_SECRET_FILE", IS_TEXT, AT(secret_file), 0, PATH_MAX, false },
	{ "CPA_ALLOW_HOST", IS_TEXT, AT(allow_host), 0, HOSTS_TEXT_MAX, false },
	{ "CPA_ANY_LOCAL_USER", IS_YES, AT(any_user), 0, 0, false },
	{ "CPA_ANY_ADDRESS", IS_YES, AT(any_address), 0, 0, false },
	{ "CPA_HIDE_CMDLINE", IS_YES, AT(hide_cmdline), 0, 0, false },
	{ "CPA_MAX_SECONDS", IS_NUMBER, AT(max_seconds), 1, 86400, false },
	{ "CPA_LOG", IS_NO, AT(quiet), 0, 0, false },
};

/* Read when CPA_GPERF_COMPAT is set, and what ours say does not count for more. */
static const struct variable gperf[] = {
	{ "CPUPROFILE", IS_TEXT, AT(cpu), 0, PATH_MAX, false },
	{ "CPUPROFILE_FREQUENCY", IS_NUMBER, AT(hz), 1, 1000, true },
	{ "CPUPROFILESIGNAL", IS_SIGNAL, AT(toggle), 1, 64, false },
	{ "HEAPPROFILE", IS_TEXT, AT(heap), 0, PATH_MAX, false },
	{ "HEAP_PROFILE_ALLOCATION_INTERVAL", IS_NUMBER, AT(heap_allocated), 0, INT64_MAX, false },
	{ "HEAP_PROFILE_INUSE_INTERVAL", IS_NUMBER, AT(heap_in_use), 0, INT64_MAX, false },
	{ "TCMALLOC_SAMPLE_PARAMETER", IS_NUMBER, AT(heap_rate), 0, 1ULL << 40, false },
};

enum { N_OURS = sizeof(ours) / sizeof(ours[0]), N_GPERF = sizeof(gperf) / sizeof(gperf[0]), LINE = PATH_MAX + 256 };
#define OF_PROCESS ",pid="

enum { GPERF_ALLOCATED = 1 << 30, GPERF_IN_USE = 100 << 20 };

static char **find(const char *name)
{
	size_t n = strlen(name);

	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return e;
	return NULL;
}

static const char *value_of(const char *name)
{
	char **at = find(name);

	return at ? *at + strlen(name) + 1 : NULL;
}

void api_options_say(const struct options *o, const char *what, int error)
{
	char line[LINE];
	int n = snprintf(line, sizeof(line), "cpa: %s%s%s\n", what, error ? ": " : "",
			 error ? strerrordesc_np(error) : "");

	if (o->quiet)
		return;
	if (n >= LINE)
		n = LINE - 1;
	(void)!write(STDERR_FILENO, line, (size_t)n);
}

/* Digits, then perhaps K, M, G or KiB, MiB, GiB. */
static bool read_number(const char *text, bool bytes, uint64_t *out)
{
	static const char units[] = "KMG";
	uint64_t n = 0;
	const char *unit;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
			return false;
	unit = bytes && *text ? strchr(units, *text) : NULL;
	for (const char *u = units; unit && u <= unit; u++)
		if (__builtin_mul_overflow(n, 1024, &n))
			return false;
	if (unit)
		text += strcmp(text + 1, "iB") == 0 ? 3 : strcmp(text + 1, "B") == 0 ? 2 : 1;
	*out = n;
	return *text == '\0';
}

static bool read_signal(const char *text, uint64_t *out)
{
	const char *name;

	if (read_number(text, false, out))
		return true;
	text += strncmp(text, "SIG", 3) == 0 ? 3 : 0;
	for (int s = 1; s < 32; s++) {
		name = sigabbrev_np(s);
		if (name && strcmp(name, text) == 0) {
			*out = (uint64_t)s;
			return true;
		}
	}
	return false;
}

static bool read_flag(const char *text, uint64_t *out)
{
	static const char *const no[] = { "0", "no", "off", "false" }, *const yes[] = { "1", "yes", "on", "true" };

	for (int i = 0; i < 4; i++)
		if (strcmp(text, no[i]) == 0 || strcmp(text, yes[i]) == 0) {
			*out = strcmp(text, yes[i]) == 0;
			return true;
		}
	return false;
}

static bool read_value(const struct variable *v, const char *text, struct options *o)
{
	void *to = (char *)o + v->at;
	uint64_t n = 0;
	size_t len = strlen(text);
	uint32_t sig = 0;

	switch (v->kind) {
	case IS_TEXT:
		if (len == 0 || len >= v->most)
			return false;
		memcpy(to, text, len + 1);
		return true;
	case IS_FOLLOW:
		n = strcmp(text, "none") == 0;
		if (!n && strcmp(text, "all") != 0)
			return false;
		break;
	case IS_TIMER_SIGNAL:
		if (!collect_signal_named(text, &sig))
			return false;
		n = sig;
		break;
	case IS_YES:
	case IS_NO:
		if (!read_flag(text, &n))
			return false;
		n ^= v->kind == IS_NO;
		break;
	default:
		if (!(v->kind == IS_SIGNAL ? read_signal(text, &n) : read_number(text, v->kind == IS_BYTES, &n)))
			return false;
		if (n > v->most && v->cut)
			n = v->most;
		if (n < v->least || n > v->most)
			return false;
	}
	*(uint64_t *)to = n;
	return true;
}

static void complain(const struct options *o, const struct variable *v, const char *text)
{
	char what[LINE];

	if (v->kind == IS_NUMBER || v->kind == IS_BYTES)
		snprintf(what, sizeof(what), "%s: %.200s is no number from %llu to %llu, and is ignored", v->name, text,
			 (unsigned long long)v->least, (unsigned long long)v->most);
	else
		snprintf(what, sizeof(what), "%s: %.200s is no value of it, and is ignored", v->name, text);
	api_options_say(o, what, 0);
}

static bool read_all(const struct variable *v, int n, struct options *o)
{
	bool any = false;

	for (; n > 0; n--, v++) {
		const char *text = value_of(v->name);

		if (!text)
			continue;
		if (read_value(v, text, o))
			any = true;
		else
			complain(o, v, text);
	}
	return any;
}

/* Was it said of which process an address is, and is that another one? What was said is taken off. */
static bool is_for_us(char *address)
{
	char *of = strrchr(address, ',');
	uint64_t pid;

	if (!of || strncmp(of, OF_PROCESS, strlen(OF_PROCESS)) != 0 ||
	    !read_number(of + strlen(OF_PROCESS), false, &pid))
		return true;
	*of = '\0';
	return pid == (uint64_t)getpid();
}

bool api_options_read(struct options *o)
{
	const char *log = value_of("CPA_LOG"), *compat = value_of("CPA_GPERF_COMPAT");
	uint64_t yes = 0;
	bool any = false;

	o->heap_rate = RATE_UNSAID;
	if (log && read_flag(log, &yes))
		o->quiet = !yes;
	if (compat && read_flag(compat, &yes) && yes) {
		any = o->like_gperf = read_all(gperf, N_GPERF, o);
		if (o->heap_rate == 0) /* the usual of theirs */
			o->heap_rate = RATE_UNSAID;
		if (o->heap[0] && !value_of("HEAP_PROFILE_ALLOCATION_INTERVAL"))
			o->heap_allocated = GPERF_ALLOCATED;
		if (o->heap[0] && !value_of("HEAP_PROFILE_INUSE_INTERVAL"))
			o->heap_in_use = GPERF_IN_USE;
	}
	if (value_of("CPA_CPUPROFILE") || value_of("CPA_HEAPPROFILE"))
		o->like_gperf = false;
	any |= read_all(ours, N_OURS, o);
	if (!is_for_us(o->listen))
		o->listen[0] = '\0';
	return any;
}

/* NAME=PATH becomes one with the process in it, in memory that stays. */
static void pass_on(const char *name, char *to)
{
	char **at = find(name);
	const char *path = at ? *at + strlen(name) + 1 : NULL, *slash, *dot;
	size_t n;

	if (!at || strstr(path, "%p") || strlen(*at) + 4 > PATH_MAX)
		return;
	slash = strrchr(path, '/');
	dot = strchr(slash ? slash : path, '.');
	n = dot ? (size_t)(dot - *at) : strlen(*at);
	memcpy(to, *at, n);
	snprintf(to + n, PATH_MAX - n, "-%%p%s", dot ? dot : "");
	*at = to;
}

static void drop(const char *name)
{
	for (char **at = find(name); at && *at; at++)
		at[0] = at[1];
}

/* Does an address differ in each process that is given it? */
static bool is_of_each(const char *address)
{
	const char *port = strrchr(address, ':');

	return strstr(address, "%p") || strcmp(address, "unix:") == 0 || strcmp(port ? port + 1 : address, "0") == 0;
}

static void pass_on_listen(const struct options *o)
{
	static char room[LISTEN_TEXT_MAX + 64];
	char **at = find("CPA_LISTEN");

	if (!at || !o->listen[0] || is_of_each(o->listen))
		return;
	snprintf(room, sizeof(room), "CPA_LISTEN=%s" OF_PROCESS "%u", o->listen, (unsigned)getpid());
	*at = room;
}

void api_options_pass_on(const struct options *o)
{
	static const char *const names[] = { "CPA_CPUPROFILE", "CPA_HEAPPROFILE", "CPUPROFILE", "HEAPPROFILE" };
	static char room[4][PATH_MAX];

	for (int i = 0; i < 4; i++) {
		if (i >= 2 && !o->like_gperf)
			continue;
		if (o->alone)
			drop(names[i]);
		else
			pass_on(names[i], room[i]);
	}
	if (o->alone)
		drop("CPA_LISTEN");
	else
		pass_on_listen(o);
}
