/*
 * env.c - the environment that brings our library into a program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/run/run.h"

#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int run_env_library(struct buf *out, struct err *err)
{
	static const char *const places[] = { "libcpaprof", "../lib/cpa", "../lib/x86_64-linux-gnu/cpa" };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash, *whole;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		out->len = 0;
		buf_addf(out, "%.*s/%s/libcpaprof.so", (int)(slash - self), self, places[i]);
		if (access(buf_text(out), R_OK) == 0)
			break;
		out->len = 0;
	}
	if (out->len == 0)
		buf_addz(out, PKGLIBDIR "/libcpaprof.so");
	/* its path is in profiles: as the kernel tells it */
	whole = realpath(buf_text(out), NULL);
	if (whole) {
		out->len = 0;
		buf_addz(out, whole);
		free(whole);
	}
	if (access(buf_text(out), R_OK) != 0)
		return err_set(err, ERR_IO, "%s: %s", buf_text(out), strerror(errno));
	if (strpbrk(buf_text(out), ": "))
		return err_set(err, ERR_IO, "%s: the loader takes no library whose path has spaces or colons",
			       buf_text(out));
	return 0;
}

/* Is this the variable of that name with something in it? Appends what is in it, and a colon. */
static bool take_variable(const char *variable, const char *name, struct buf *to)
{
	size_t n = strlen(name);

	if (strncmp(variable, name, n) != 0)
		return false;
	if (variable[n])
		buf_addf(to, "%s:", variable + n);
	return true;
}

void run_env_make(const struct collect *c, const char *library, bool asan, struct run_env *e)
{
	static const char preload[] = "LD_PRELOAD=", options[] = "ASAN_OPTIONS=", segment[] = "CPA_SEGMENT=";
	extern char **environ;
	size_t n = 0, k = 0;

	*e = (struct run_env){ 0 };
	collect_environment(c, e->segment);
	buf_addz(&e->preload, preload);
	/* allocators that are preloaded are profiled from in front of them, sanitizers must be the first */
	if (!asan)
		buf_addf(&e->preload, "%s:", library);
	buf_addz(&e->asan, options);
	while (environ[n])
		n++;
	e->env = mem_zalloc(n + 4, sizeof(*e->env));
	for (size_t i = 0; i < n; i++)
		if (!take_variable(environ[i], preload, &e->preload) &&
		    !(asan && take_variable(environ[i], options, &e->asan)) && !starts_with(environ[i], segment))
			e->env[k++] = environ[i];
	if (asan)
		buf_addz(&e->preload, library);
	else
		e->preload.data[--e->preload.len] = '\0'; /* the last colon */
	e->env[k++] = e->segment;
	e->env[k++] = (char *)(uintptr_t)buf_text(&e->preload);
	/* else the sanitizer ends the program, for its library is not the first */
	buf_addz(&e->asan, "verify_asan_link_order=0");
	if (asan)
		e->env[k++] = (char *)(uintptr_t)buf_text(&e->asan);
}

void run_env_release(struct run_env *e)
{
	free(e->env);
	buf_release(&e->preload);
	buf_release(&e->asan);
}
