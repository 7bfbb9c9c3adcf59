/*
 * send_profiles.c - send profiles to a sink, for tests of its contract
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: send_profiles URL [KEY=VALUE]... FILE...
 *
 * Prints a line per try: "sent", "later SECONDS WHY", "refused WHY" and "denied WHY". header-file, bearer-file, tls-ca and timeout are options of requests, label:NAME
 * a label of the series, duration the seconds of profiles that have no duration, every other KEY is passed to the sink. A profile is tried again up to five times, without a pause.
 */
#include "config.h"

#include "base/io.h"
#include "base/str.h"
#include "base/time.h"
#include "formats/formats.h"
#include "profile/temporality.h"
#include "sinks/kinds/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 5, WORDS_MAX = 32, FILE_MAX = 1 << 30 };

struct sender {
	struct sink *sink;
	struct sink_options options;
	const char *word[WORDS_MAX];
	struct store_label label[WORDS_MAX];
	size_t n_labels;
	int64_t duration_ns; /* of profiles that have none */
};

static void take_word(struct sender *s, char *text)
{
	char *value = strchr(text, '=') + 1;

	if (s->options.n_words == WORDS_MAX || s->n_labels == WORDS_MAX)
		abort();
	if (starts_with(text, "header-file=")) {
		s->options.fetch.header_file = value;
	} else if (starts_with(text, "bearer-file=")) {
		s->options.fetch.bearer_file = value;
	} else if (starts_with(text, "tls-ca=")) {
		s->options.fetch.tls_ca = value;
	} else if (starts_with(text, "timeout=")) {
		s->options.fetch.timeout = atoi(value);
	} else if (starts_with(text, "duration=")) {
		s->duration_ns = atoi(value) * NS_PER_S;
	} else if (starts_with(text, "label:")) {
		value[-1] = '\0';
		s->label[s->n_labels++] = (struct store_label){ text + strlen("label:"), value };
	} else {
		s->word[s->options.n_words++] = text;
	}
}

/* Send a profile until it is sent or refused. */
static void send_item(struct sender *s, const struct sink_item *item)
{
	static const char *const names[] = { "sent", "refused", "later", "denied" };
	struct err err;

	for (int i = 0; i < TRIES; i++) {
		struct sink_result result = { 0 };

		if (s->sink->kind->send(s->sink, item, 1, NULL, &result, &err) < 0) {
			printf("%s\n", err.msg);
			return;
		}
		printf("%s", names[result.outcome]);
		if (result.outcome == SINK_LATER)
			printf(" %d", (int)(result.retry_ns / NS_PER_S));
		printf("%s%s\n", *result.why ? " " : "", result.why);
		if (result.outcome != SINK_LATER)
			return;
	}
}

static int send_file(struct sender *s, const char *path, uint8_t number)
{
	static const struct format_options limits = { 0 };
	struct bytes bytes = { 0 };
	struct profile *p = NULL;
	struct err err;

	if (io_read_file(path, FILE_MAX, NULL, &bytes, &err) < 0 || formats_read(&bytes, &limits, &p, &err) < 0) {
		fprintf(stderr, "%s: %s\n", path, err.msg);
		return 2;
	}
	send_item(s, &(struct sink_item){ .service = "shop",
					  .kind = profile_kind(p),
					  .label = s->label,
					  .n_labels = s->n_labels,
					  .profile = p,
					  .start_ns = p->meta.time_ns ? p->meta.time_ns : clock_wall_ns(),
					  .duration_ns = p->meta.duration_ns ? p->meta.duration_ns : s->duration_ns,
					  .id = { number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } });
	profile_free(p);
	return 0;
}

int main(int argc, char **argv)
{
	struct sender s = { .options.fetch = { .tls_cert = "",
					       .tls_key = "",
					       .tls_ca = "",
					       .header_file = "",
					       .bearer_file = "",
					       .netrc = "" } };
	struct err err;
	int i = 2, status = 0;

	if (argc < 2)
		return 2;
	for (; i < argc && strchr(argv[i], '='); i++)
		take_word(&s, argv[i]);
	s.options.word = s.word;
	if (kinds_open(argv[1], &s.options, &s.sink, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return 2;
	}
	for (uint8_t number = 1; i < argc && status == 0; i++)
		status = send_file(&s, argv[i], number++);
	s.sink->kind->close(s.sink);
	return status;
}
