/*
 * discard.c - remove results of an earlier gate if the command line cannot be parsed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The meaning of the options is unknown in this case. So a file is removed only if it is the value of an output option,
 * is a regular file that no other argument names, and has the suffix or the content of a result.
 */
#include "config.h"

#include "front/cli/gate/gate.h"

#include "base/io.h"
#include "base/str.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 4096 };

bool cmd_gate_is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

bool cmd_gate_is_summary(const char *file)
{
	const char *summary = getenv("GITHUB_STEP_SUMMARY");

	return summary && strcmp(summary, file) == 0;
}

static bool discard_is_regular(const char *file)
{
	struct stat st;

	return lstat(file, &st) == 0 && S_ISREG(st.st_mode);
}

/* Does the file start like a result that cpa gate wrote? */
static bool has_result(const char *file)
{
	char head[HEAD + 1];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, HEAD);

	if (fd >= 0)
		close(fd);
	return n > 0 && (memmem(head, (size_t)n, "cpa gate", 8) || memmem(head, (size_t)n, "\"report\": \"gate\"", 16));
}

static bool has_result_suffix(const char *file)
{
	static const char *const suffix[] = { ".json", ".sarif", ".xml", ".md",  ".markdown", ".txt",
					      ".svg",  ".html",  ".pdf", ".png", ".folded" };

	for (size_t i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++)
		if (ends_with(file, suffix[i]))
			return true;
	return false;
}

void cmd_gate_discard_file(const char *file)
{
	if (!discard_is_regular(file) || cmd_gate_is_summary(file) || (!has_result_suffix(file) && !has_result(file)))
		return;
	if (unlink(file) == 0)
		say("%s: removed the result of an earlier run", file);
}

/* The output file named by an argument such as --json=FILE, or NULL. next is the following argument, or NULL. */
static const char *discard_output_of(const char *word, const char *next)
{
	static const char *const option[] = { "json", "sarif", "junit",  "markdown", "github",
					      "text", "flame", "output", "o" };
	const char *name = word + 1 + (word[0] == '-' && word[1] == '-');
	size_t n;

	if (word[0] != '-')
		return NULL;
	n = strcspn(name, "=");
	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++)
		if (strlen(option[i]) == n && memcmp(name, option[i], n) == 0)
			return name[n] ? name + n + 1 : i + 2 >= sizeof(option) / sizeof(option[0]) ? next : NULL;
	return NULL;
}

/* Does an argument that is not an output option name the file, as a word or after "="? */
static bool is_input(int argc, char **argv, const char *file)
{
	for (int i = 1; i < argc; i++) {
		const char *sign = strchr(argv[i], '=');

		if (!discard_output_of(argv[i], NULL) && argv[i] != file &&
		    (cmd_gate_is_same_file(file, argv[i]) || (sign && cmd_gate_is_same_file(file, sign + 1))))
			return true;
	}
	return false;
}

void cmd_gate_discard(int argc, char **argv)
{
	bool is_gate = false;

	for (int i = 1; i < argc && !is_gate; i++)
		is_gate =
			strcmp(argv[i], "gate") == 0 || strcmp(argv[i], "-gate") == 0 || strcmp(argv[i], "--gate") == 0;
	for (int i = 1; is_gate && i < argc; i++) {
		const char *file = discard_output_of(argv[i], i + 1 < argc ? argv[i + 1] : NULL);

		if (file && !is_input(argc, argv, file))
			cmd_gate_discard_file(file);
	}
}
