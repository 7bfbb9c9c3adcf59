/*
 * rawdump.c - print a profile as `pprof -raw` does, straight from its columns
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: rawdump [-frames] FILE...
 *
 * For comparing readers with pprof without the reports in between. Nothing is pruned, merged or
 * named, and names are printed as they are. -frames adds drop_frames and keep_frames.
 */
#include "config.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "profile/profile.h"
#include "reader/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put(const struct profile *p, str_id id)
{
	fwrite(strtab_text(p->str, id), 1, strtab_len(p->str, id), stdout);
}

/* "2023-11-14 22:13:20.5 +0000 UTC" in the local zone. */
static void put_time(int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	int64_t rest = ns - (int64_t)s * 1000000000;
	char text[64], fraction[16];
	struct tm tm;
	int n = snprintf(fraction, sizeof(fraction), ".%09" PRId64, rest);

	while (n > 0 && (fraction[n - 1] == '0' || fraction[n - 1] == '.'))
		fraction[--n] = 0;
	localtime_r(&s, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	printf("Time: %s%s", text, fraction);
	strftime(text, sizeof(text), " %z %Z", &tm);
	printf("%s\n", text);
}

/* The first four characters of a duration as Go writes it: "4h35m2.83s" is "4h35". */
static void put_duration(int64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "\302\265s" }, { 1, "ns" } };
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, s = v / 1000000000;
	struct buf b = { 0 };
	unsigned u = 0;
	size_t end = 0;

	while (u < 3 && v < units[u].ns)
		u++;
	if (ns < 0)
		buf_addz(&b, "-");
	if (s >= 3600)
		buf_addf(&b, "%" PRIu64 "h", s / 3600);
	if (s >= 60)
		buf_addf(&b, "%" PRIu64 "m", s / 60 % 60);
	buf_addf(&b, "%" PRIu64, u == 0 ? s % 60 : v / units[u].ns);
	if (v % units[u].ns) {
		char digits[24];
		int n = snprintf(digits, sizeof(digits), "%" PRIu64, units[u].ns + v % units[u].ns);

		while (digits[n - 1] == '0')
			digits[--n] = 0;
		buf_addf(&b, ".%s", digits + 1);
	}
	buf_addz(&b, units[u].name);
	for (unsigned i = 0; i < 4 && b.data[end]; i++)
		while ((b.data[++end] & 0xc0) == 0x80)
			;
	printf("Duration: %.*s\n", (int)end, b.data);
	buf_release(&b);
}

static void put_header(const struct profile *p)
{
	const struct profile_meta *m = &p->meta;

	for (uint32_t i = 0; i < m->n_comments; i++) {
		fputs("Comment: ", stdout);
		put(p, m->comment[i]);
		putchar('\n');
	}
	if (m->doc_url) {
		fputs("Doc: ", stdout);
		put(p, m->doc_url);
		putchar('\n');
	}
	fputs("PeriodType: ", stdout);
	put(p, m->period_type.name);
	putchar(' ');
	put(p, m->period_type.unit);
	printf("\nPeriod: %" PRId64 "\n", m->period);
	if (m->time_ns)
		put_time(m->time_ns);
	if (m->duration_ns)
		put_duration(m->duration_ns);
	fputs("Samples:\n", stdout);
	for (uint32_t t = 0; t < p->n_types; t++) {
		fputs(t ? " " : "", stdout);
		put(p, p->type[t].name);
		putchar('/');
		put(p, p->type[t].unit);
		if (p->type[t].name == m->default_type)
			fputs("[dflt]", stdout);
	}
	putchar('\n');
}

static int compare_text(const void *a, const void *b)
{
	const struct buf *x = a, *y = b;
	int order = memcmp(x->data, y->data, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static void add(struct buf *b, const struct profile *p, str_id id)
{
	buf_add(b, strtab_text(p->str, id), strtab_len(p->str, id));
}

/* "key:[v1 v2]" for the values of label `first` and of the later ones of its key. */
static struct buf label_text(const struct profile *p, const uint32_t *label, size_t n, size_t first)
{
	struct buf b = { 0 };
	bool units = false;

	for (size_t i = first; i < n; i++)
		units = units || (p->label_key[label[i]] == p->label_key[label[first]] && p->label_unit[label[i]]);
	add(&b, p, p->label_key[label[first]]);
	buf_addz(&b, ":[");
	for (size_t i = first; i < n; i++) {
		uint32_t l = label[i];

		if (p->label_key[l] != p->label_key[label[first]] ||
		    p->label_is_text[l] != p->label_is_text[label[first]])
			continue;
		buf_addz(&b, i > first ? " " : "");
		if (p->label_is_text[l]) {
			add(&b, p, p->label_text[l]);
			continue;
		}
		buf_addf(&b, units ? "%" PRId64 " " : "%" PRId64, p->label_num[l]);
		add(&b, p, p->label_unit[l]);
	}
	buf_addz(&b, "]");
	return b;
}

/* One line of all labels of one kind, sorted. */
static void put_labels(const struct profile *p, uint32_t set, bool is_text)
{
	const uint32_t *label = p->label_sets.item + p->label_sets.off[set];
	size_t n = p->label_sets.off[set + 1] - p->label_sets.off[set], n_texts = 0;
	struct buf *text = mem_alloc(n, sizeof(*text));

	for (size_t i = 0; i < n; i++) {
		bool seen = p->label_is_text[label[i]] != is_text;

		for (size_t k = 0; k < i && !seen; k++)
			seen = p->label_is_text[label[k]] == is_text &&
			       p->label_key[label[k]] == p->label_key[label[i]];
		if (!seen)
			text[n_texts++] = label_text(p, label, n, i);
	}
	qsort(text, n_texts, sizeof(*text), compare_text);
	for (size_t i = 0; i < n_texts; i++) {
		fputs(i ? " " : "                ", stdout);
		fwrite(text[i].data, 1, text[i].len, stdout);
		buf_release(&text[i]);
	}
	fputs(n_texts ? "\n" : "", stdout);
	free(text);
}

static void put_samples(const struct profile *p)
{
	for (uint32_t row = 0; row < p->n_rows; row++) {
		uint32_t s = p->stack[row];

		for (uint32_t t = 0; t < p->n_types; t++)
			printf(" %10" PRId64, p->value[SIDE_TARGET][t][row]);
		fputs(": ", stdout);
		for (uint32_t i = p->stacks.off[s]; i < p->stacks.off[s + 1]; i++)
			printf("%" PRIu64 " ", p->loc_id[p->stacks.item[i]]);
		putchar('\n');
		put_labels(p, p->labels[row], true);
		put_labels(p, p->labels[row], false);
	}
}

static void put_line(const struct profile *p, uint32_t line)
{
	uint32_t f = p->line_func[line];

	put(p, p->func_name[f]);
	putchar(' ');
	put(p, p->func_file[f]);
	printf(":%" PRId64 ":%" PRId64 " s=%" PRId64, p->line_no[line], p->line_col[line], p->func_start[f]);
	if (p->func_name[f] != p->func_sysname[f]) {
		putchar('(');
		put(p, p->func_sysname[f]);
		putchar(')');
	}
	putchar('\n');
}

/* An address as Go's %#x: that of C leaves 0 bare. */
static void put_hex(uint64_t v)
{
	printf("0x%" PRIx64, v);
}

static void put_locations(const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_locs; i++) {
		printf("%6" PRIu64 ": ", p->loc_id[i]);
		put_hex(p->loc_addr[i]);
		putchar(' ');
		if (p->loc_map[i] != PROFILE_NONE)
			printf("M=%" PRIu64 " ", p->map[p->loc_map[i]].id);
		if (p->loc_folded[i])
			fputs("[F] ", stdout);
		if (p->loc_line[i] == p->loc_line[i + 1])
			putchar('\n');
		for (uint32_t l = p->loc_line[i]; l < p->loc_line[i + 1]; l++) {
			fputs(l > p->loc_line[i] ? "             " : "", stdout);
			put_line(p, l);
		}
	}
}

static void put_mappings(const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_maps; i++) {
		const struct mapping *m = &p->map[i];

		printf("%" PRIu64 ": ", m->id);
		put_hex(m->start);
		putchar('/');
		put_hex(m->limit);
		putchar('/');
		put_hex(m->offset);
		putchar(' ');
		put(p, m->file);
		putchar(' ');
		put(p, m->build_id);
		printf(" %s%s%s%s\n", m->has_functions ? "[FN]" : "", m->has_filenames ? "[FL]" : "",
		       m->has_line_numbers ? "[LN]" : "", m->has_inline_frames ? "[IN]" : "");
	}
}

static int dump(const char *path, bool frames)
{
	struct profile *p = NULL;
	struct bytes in;
	struct err err;

	if (io_read_file(path, SIZE_MAX, "", &in, &err) < 0 || reader_read(&in, &reader_limits_default, &p, &err) < 0) {
		printf("error: %s\n", err.msg);
		return 2;
	}
	put_header(p);
	put_samples(p);
	fputs("Locations\n", stdout);
	put_locations(p);
	fputs("Mappings\n", stdout);
	put_mappings(p);
	if (frames)
		printf("drop \"%s\" keep \"%s\"\n", profile_text(p, p->meta.drop_frames),
		       profile_text(p, p->meta.keep_frames));
	profile_free(p);
	return 0;
}

int main(int argc, char **argv)
{
	bool frames = argc > 1 && strcmp(argv[1], "-frames") == 0;
	int rc = 0;

	for (int i = 1 + frames; i < argc; i++) {
		if (argc > 2 + frames)
			printf("=== %s\n", argv[i]);
		rc |= dump(argv[i], frames);
	}
	return rc;
}
