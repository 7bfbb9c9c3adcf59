/*
 * secret.c - secrets of servers: their file, comparison in constant time, delays after wrong ones
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "access/secret.h"

#include "access/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODE_OTHERS = 077, ROOM = ACCESS_SECRET_MAX + 256, PATH_SHOWN = 300 };
enum { FAILURES_MAX = 10, DELAY_MS = 1000, SECOND_NS = 1000000000 };

static int secret_refuse(char *why, size_t n, const char *path, int rc, const char *text)
{
	snprintf(why, n, "secret file %.*s: %s", PATH_SHOWN, path, text);
	return rc;
}

static bool is_white(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int parse_secret(struct access_secret *s, const uint8_t *text, size_t n_text, const char *path, char *why,
			size_t n)
{
	while (n_text > 0 && is_white(text[n_text - 1]))
		n_text--;
	for (; n_text > 0 && is_white(*text); n_text--)
		text++;
	if (n_text < ACCESS_SECRET_MIN)
		return secret_refuse(
			why, n, path, -EINVAL,
			"too short: at least 32 bytes are needed; create a secret with head -c 32 /dev/urandom | "
			"base64");
	if (n_text > ACCESS_SECRET_MAX)
		return secret_refuse(why, n, path, -EINVAL, "longer than 1024 bytes");
	for (size_t i = 0; i < n_text; i++)
		if (text[i] < ' ' || text[i] > '~')
			return secret_refuse(why, n, path, -EINVAL,
					     "not one line of ASCII; create a secret with "
					     "head -c 32 /dev/urandom | base64");
	explicit_bzero(s->text, sizeof(s->text));
	memcpy(s->text, text, n_text);
	s->n = n_text;
	return 0;
}

/* Check that no other user can read or write the file. */
static int secret_check_file(int fd, const char *path, char *why, size_t n)
{
	struct stat is;

	if (fstat(fd, &is) != 0)
		return secret_refuse(why, n, path, -errno, strerrordesc_np(errno));
	if (!S_ISREG(is.st_mode))
		return secret_refuse(why, n, path, -EINVAL, "not a regular file");
	if (is.st_uid != geteuid() && is.st_uid != 0)
		return secret_refuse(why, n, path, -EPERM, "owned by another user");
	if (is.st_mode & MODE_OTHERS)
		return secret_refuse(why, n, path, -EPERM, "accessible to other users; use chmod 600");
	return 0;
}

int access_read_secret(struct access_secret *s, const char *path, char *why, size_t n)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), rc;
	uint8_t text[ROOM];
	size_t n_text = 0;
	ssize_t got = 0;

	if (fd < 0 && errno == ELOOP)
		return secret_refuse(why, n, path, -ELOOP, "is a symbolic link; use the path of the file itself");
	if (fd < 0) {
		rc = -errno;
		snprintf(why, n, "secret file %.*s: %s", PATH_SHOWN, path, strerrordesc_np(-rc));
		return rc;
	}
	rc = secret_check_file(fd, path, why, n);
	while (rc == 0 && n_text < sizeof(text) && (got = read(fd, text + n_text, sizeof(text) - n_text)) > 0)
		n_text += (size_t)got;
	if (rc == 0 && got < 0)
		rc = secret_refuse(why, n, path, -errno, strerrordesc_np(errno));
	else if (rc == 0 && n_text == sizeof(text))
		rc = secret_refuse(why, n, path, -EINVAL, "longer than 1024 bytes");
	close(fd);
	if (rc == 0)
		rc = parse_secret(s, text, n_text, path, why, n);
	explicit_bzero(text, sizeof(text));
	return rc;
}

bool access_is_secret(const struct access_secret *s, const char *given)
{
	size_t n = strnlen(given, ACCESS_SECRET_MAX + 1);
	uint8_t wrong = n != s->n;

	for (size_t i = 0; i < n && i < ACCESS_SECRET_MAX; i++)
		wrong |= (uint8_t)given[i] ^ s->text[i];
	__asm__("" : "+r"(wrong)); /* prevents the compiler from leaving the loop early */
	return !wrong;
}

bool access_is_bearer(const struct access_secret *s, const char *authorization)
{
	static const char scheme[] = "Bearer ";

	if (!access_is_same_text(authorization, scheme, sizeof(scheme) - 1))
		return false;
	authorization += sizeof(scheme) - 1;
	return access_is_secret(s, authorization + strspn(authorization, " "));
}

unsigned access_count_failure(struct access_failures *f, uint64_t now_ns)
{
	if (f->n == 0 || now_ns - f->since_ns >= SECOND_NS)
		*f = (struct access_failures){ .since_ns = now_ns };
	if (f->n >= FAILURES_MAX)
		return DELAY_MS;
	f->n++;
	return 0;
}
