/*
 * options.c - reads the options of the library from the environment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/options.h"

#include "libcpaprof/api/out.h"
#include "libcpaprof/collector/collect.h"
#include "libcpaprof/target/env.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum value_kind {
	VALUE_TEXT,
	VALUE_NUMBER,
	VALUE_BYTES,
	VALUE_SIGNAL,
	VALUE_TIMER_SIGNAL,
	VALUE_YES,
	VALUE_NO,
	VALUE_FOLLOW
};

struct variable {
	const char *name;
	enum value_kind kind;
	size_t at;
	uint64_t min, max; /* range of a number; for a text, max is its size */
	bool clamp;        /* reduce larger numbers to max */
};

#define AT(member) offsetof(struct options, member)

static const struct variable cpa_variables[] = {
	{ "CPA_CPUPROFILE", VALUE_TEXT, AT(cpu), 0, PATH_MAX, false },
	{ "CPA_CPU_HZ", VALUE_NUMBER, AT(hz), 1, 1000, false },
	{ "CPA_CPU_ENGINE", VALUE_TEXT, AT(engine), 0, ENGINE_TEXT_MAX, false },
	{ "CPA_HEAPPROFILE", VALUE_TEXT, AT(heap), 0, PATH_MAX, false },
	{ "CPA_HEAP_RATE", VALUE_BYTES, AT(heap_rate), 0, 1ULL << 40, false },
	{ "CPA_HEAP_INTERVAL", VALUE_BYTES, AT(heap_allocated), 1, 1ULL << 50, false },
	{ "CPA_BLOCK_RATE", VALUE_NUMBER, AT(block_rate), 0, 1ULL << 50, false },
	{ "CPA_MUTEX_FRACTION", VALUE_NUMBER, AT(mutex_fraction), 0, INT32_MAX, false },
	{ "CPA_SIGNAL", VALUE_TIMER_SIGNAL, AT(sig), 1, 64, false },
	{ "CPA_TOGGLE_SIGNAL", VALUE_SIGNAL, AT(toggle), 1, 64, false },
	{ "CPA_FOLLOW", VALUE_FOLLOW, AT(only_self), 0, 0, false },
	{ "CPA_MAX_DEPTH", VALUE_NUMBER, AT(max_depth), 1, 254, false },
	{ "CPA_LABEL_INHERIT", VALUE_NO, AT(no_label_inherit), 0, 0, false },
	{ "CPA_HEAP_LABELS", VALUE_YES, AT(heap_labels), 0, 0, false },
	{ "CPA_FLUSH_ON_FATAL", VALUE_YES, AT(flush_on_fatal), 0, 0, false },
	{ "CPA_LISTEN", VALUE_TEXT, AT(listen), 0, LISTEN_TEXT_MAX, false },
	{ "CPA_SECRET_FILE", VALUE_TEXT, AT(secret_file), 0, PATH_MAX, false },
	{ "CPA_ALLOW_HOST", VALUE_TEXT, AT(allow_host), 0, HOSTS_TEXT_MAX, false },
	{ "CPA_ANY_LOCAL_USER", VALUE_YES, AT(any_user), 0, 0, false },
	{ "CPA_ANY_ADDRESS", VALUE_YES, AT(any_address), 0, 0, false },
	{ "CPA_HIDE_CMDLINE", VALUE_YES, AT(hide_cmdline), 0, 0, false },
	{ "CPA_MAX_SECONDS", VALUE_NUMBER, AT(max_seconds), 1, 86400, false },
	{ "CPA_LOG", VALUE_NO, AT(quiet), 0, 0, false },
};

/* A variable of programs with Go's /debug/pprof. Our own takes precedence. */
static const struct variable pprof_variables[] = {
	{ "PPROFLISTEN", VALUE_TEXT, AT(listen), 0, LISTEN_TEXT_MAX, false },
};

/* Read if CPA_GPERF_COMPAT is set. Our own variables take precedence. */
static const struct variable gperf_variables[] = {
	{ "CPUPROFILE", VALUE_TEXT, AT(cpu), 0, PATH_MAX, false },
	{ "CPUPROFILE_FREQUENCY", VALUE_NUMBER, AT(hz), 1, 1000, true },
	{ "CPUPROFILESIGNAL", VALUE_SIGNAL, AT(toggle), 1, 64, false },
	{ "HEAPPROFILE", VALUE_TEXT, AT(heap), 0, PATH_MAX, false },
	{ "HEAP_PROFILE_ALLOCATION_INTERVAL", VALUE_NUMBER, AT(heap_allocated), 0, INT64_MAX, false },
	{ "HEAP_PROFILE_INUSE_INTERVAL", VALUE_NUMBER, AT(heap_in_use), 0, INT64_MAX, false },
	{ "TCMALLOC_SAMPLE_PARAMETER", VALUE_NUMBER, AT(heap_rate), 0, 1ULL << 40, false },
};

enum {
	N_CPA = sizeof(cpa_variables) / sizeof(cpa_variables[0]),
	N_PPROF = sizeof(pprof_variables) / sizeof(pprof_variables[0]),
	N_GPERF = sizeof(gperf_variables) / sizeof(gperf_variables[0]),
	LINE = PATH_MAX + 256
};
#define PID_SUFFIX ",pid="

enum { GPERF_ALLOCATED = 1 << 30, GPERF_IN_USE = 100 << 20 };

void api_options_report(const struct options *o, const char *what, int error)
{
	char line[LINE];
	int n = snprintf(line, sizeof(line), "cpa: %s%s%s\n", what, error ? ": " : "",
			 error ? strerrordesc_np(error) : "");

	if (o->quiet)
		return;
	if (n >= LINE)
		n = LINE - 1;
	out_message(line, (size_t)n);
}

/* Digits, then optionally K, M, G or KiB, MiB, GiB. */
static bool api_options_read_number(const char *text, bool bytes, uint64_t *out)
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

static bool api_options_read_signal(const char *text, uint64_t *out)
{
	const char *name;

	if (api_options_read_number(text, false, out))
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

/* Does CPA_LOG forbid messages? */
static bool options_are_quiet(void)
{
	const char *log = cpi_env_value_sig("CPA_LOG");
	uint64_t yes = 1;

	return log && read_flag(log, &yes) && !yes;
}

void api_options_complain(const char *what)
{
	api_options_report(&(struct options){ .quiet = options_are_quiet() }, what, 0);
}

bool api_options_flag(const char *name, bool unset)
{
	const char *text = cpi_env_value_sig(name);
	uint64_t yes = unset;

	if (text && !read_flag(text, &yes)) {
		char what[LINE];

		snprintf(what, sizeof(what), "%s: invalid value %.200s; ignored", name, text);
		api_options_complain(what);
	}
	return yes;
}

static bool read_value(const struct variable *v, const char *text, struct options *o)
{
	void *to = (char *)o + v->at;
	uint64_t n = 0;
	size_t len = strlen(text);
	uint32_t sig = 0;

	switch (v->kind) {
	case VALUE_TEXT:
		if (len == 0 || len >= v->max)
			return false;
		memcpy(to, text, len + 1);
		return true;
	case VALUE_FOLLOW:
		n = strcmp(text, "none") == 0;
		if (!n && strcmp(text, "all") != 0)
			return false;
		break;
	case VALUE_TIMER_SIGNAL:
		if (!collect_parse_signal(text, &sig))
			return false;
		n = sig;
		break;
	case VALUE_YES:
	case VALUE_NO:
		if (!read_flag(text, &n))
			return false;
		n ^= v->kind == VALUE_NO;
		break;
	default:
		if (!(v->kind == VALUE_SIGNAL ? api_options_read_signal(text, &n)
					      : api_options_read_number(text, v->kind == VALUE_BYTES, &n)))
			return false;
		if (n > v->max && v->clamp)
			n = v->max;
		if (n < v->min || n > v->max)
			return false;
	}
	*(uint64_t *)to = n;
	return true;
}

static void report_invalid(const struct options *o, const struct variable *v, const char *text)
{
	char what[LINE];

	if (v->kind == VALUE_NUMBER || v->kind == VALUE_BYTES)
		snprintf(what, sizeof(what), "%s: %.200s is not a number from %llu to %llu; ignored", v->name, text,
			 (unsigned long long)v->min, (unsigned long long)v->max);
	else
		snprintf(what, sizeof(what), "%s: invalid value %.200s; ignored", v->name, text);
	api_options_report(o, what, 0);
}

static bool read_variables(const struct variable *v, int n, struct options *o)
{
	bool any = false;

	for (; n > 0; n--, v++) {
		const char *text = cpi_env_value_sig(v->name);

		if (!text)
			continue;
		if (read_value(v, text, o))
			any = true;
		else
			report_invalid(o, v, text);
	}
	return any;
}

/* Is this address meant for this process? Removes the limit to a process, if there is one, from the text. */
static bool is_for_this_process(char *address)
{
	char *suffix = strrchr(address, ',');
	uint64_t pid;

	if (!suffix || strncmp(suffix, PID_SUFFIX, strlen(PID_SUFFIX)) != 0 ||
	    !api_options_read_number(suffix + strlen(PID_SUFFIX), false, &pid))
		return true;
	*suffix = '\0';
	return pid == (uint64_t)getpid();
}

bool api_options_read(struct options *o)
{
	const char *compat = cpi_env_value_sig("CPA_GPERF_COMPAT");
	uint64_t yes = 0;
	bool any = false;

	o->heap_rate = RATE_UNSET;
	o->quiet = options_are_quiet();
	if (compat && read_flag(compat, &yes) && yes) {
		any = o->gperf_names = read_variables(gperf_variables, N_GPERF, o);
		if (o->heap_rate == 0) /* gperftools reads 0 as its default */
			o->heap_rate = RATE_UNSET;
		if (o->heap[0] && !cpi_env_value_sig("HEAP_PROFILE_ALLOCATION_INTERVAL"))
			o->heap_allocated = GPERF_ALLOCATED;
		if (o->heap[0] && !cpi_env_value_sig("HEAP_PROFILE_INUSE_INTERVAL"))
			o->heap_in_use = GPERF_IN_USE;
	}
	if (cpi_env_value_sig("CPA_CPUPROFILE") || cpi_env_value_sig("CPA_HEAPPROFILE"))
		o->gperf_names = false;
	any |= read_variables(pprof_variables, N_PPROF, o);
	any |= read_variables(cpa_variables, N_CPA, o);
	o->listen_name = cpi_env_value_sig("CPA_LISTEN") ? "CPA_LISTEN" : "PPROFLISTEN";
	if (!is_for_this_process(o->listen))
		o->listen[0] = '\0';
	return any;
}

/* Add %p to NAME=PATH, in static memory. */
static void add_pid(const char *name, char *to)
{
	char **at = cpi_env_find_sig(name);
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

/* Is this address different in each process? */
static bool is_per_process(const char *address)
{
	const char *port = strrchr(address, ':');

	return strstr(address, "%p") || strcmp(address, "unix:") == 0 || strcmp(port ? port + 1 : address, "0") == 0;
}

static void limit_listen(const struct options *o)
{
	static char room[LISTEN_TEXT_MAX + 64];
	char **at = cpi_env_find_sig("CPA_LISTEN");

	if (!at || !o->listen[0] || is_per_process(o->listen))
		return;
	snprintf(room, sizeof(room), "CPA_LISTEN=%s" PID_SUFFIX "%u", o->listen, (unsigned)getpid());
	*at = room;
}

void api_options_export(const struct options *o)
{
	static const char *const names[] = { "CPA_CPUPROFILE", "CPA_HEAPPROFILE", "CPUPROFILE", "HEAPPROFILE" };
	static char room[4][PATH_MAX];

	for (int i = 0; i < 4; i++) {
		if (i >= 2 && !o->gperf_names)
			continue;
		if (o->only_self)
			cpi_env_remove_variable(cpi_env_find_sig(names[i]));
		else
			add_pid(names[i], room[i]);
	}
	if (o->only_self) {
		cpi_env_remove_variable(cpi_env_find_sig("CPA_LISTEN"));
		cpi_env_remove_variable(cpi_env_find_sig("PPROFLISTEN"));
	} else {
		limit_listen(o);
	}
}
