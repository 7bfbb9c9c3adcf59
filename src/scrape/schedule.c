/*
 * schedule.c - when the kinds of a target are scraped, and what happens after failures
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/schedule.h"

#include "base/mem.h"
#include "base/time.h"

#define XXH_INLINE_ALL
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
	FAILURES_MAX = 3,     /* failures in a row from which the interval doubles */
	FACTOR_SHIFT_MAX = 3, /* up to 8 times */
	RATE_MIN = 20,        /* starts per second that are always allowed */
	LATE_SECONDS_MAX = 30,
};

const char *scrape_result_name(enum scrape_result r)
{
	static const char *const names[N_SCRAPE_RESULTS] = {
		[SCRAPE_OK] = "ok",           [SCRAPE_UNREACHABLE] = "unreachable", [SCRAPE_BUSY] = "busy",
		[SCRAPE_MISSING] = "missing", [SCRAPE_REFUSED] = "refused",         [SCRAPE_THROTTLED] = "throttled",
		[SCRAPE_DROPPED] = "dropped", [SCRAPE_CANCELLED] = "cancelled",
	};

	assert(r < N_SCRAPE_RESULTS);
	return names[r];
}

enum scrape_result scrape_result_of_status(long status, bool has_go_pprof, bool has_retry_after)
{
	if (status >= 200 && status < 300)
		return SCRAPE_OK;
	if (status == 404 || status == 410)
		return SCRAPE_MISSING;
	if (status == 401 || status == 403)
		return SCRAPE_REFUSED;
	if (status == 429 || (status == 503 && has_retry_after))
		return SCRAPE_THROTTLED;
	if (status == 500 && has_go_pprof)
		return SCRAPE_BUSY;
	return status == 0 || status >= 500 ? SCRAPE_UNREACHABLE : SCRAPE_DROPPED;
}

static int64_t min_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The first slot at or after a time. */
static int64_t first_slot(const struct scrape_kind *k, const struct scrape_kind_schedule *t, int64_t time)
{
	int64_t after = time - t->offset_ns, n = after / k->every_ns;

	if (n * k->every_ns < after)
		n++;
	return n * k->every_ns + t->offset_ns;
}

static int64_t lateness_max(const struct scrape_kind *k)
{
	return min_ns(k->every_ns / 5, LATE_SECONDS_MAX * NS_PER_S);
}

/* The kind that leads the slots of kind i: the first one of which the interval of i is a multiple; i if there is none. */
static size_t leader(const struct scrape_schedule *s, size_t i)
{
	size_t j = 0;

	while (j < i && s->kind[i].every_ns % s->kind[j].every_ns != 0)
		j++;
	return j;
}

/* Set the offsets. Kinds that are scraped as often as another one, or at every n-th of its slots, follow its captures. */
static void set_offsets(struct scrape_schedule *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct scrape_kind *k = &s->kind[i], *first = &s->kind[leader(s, i)];
		int64_t room = k->every_ns - k->capture_ns, slots, before = 0;

		if (first == k) {
			if (room < k->every_ns / 10) /* captures without gaps may begin at any time */
				room = k->every_ns;
			s->state[i].offset_ns =
				(int64_t)(XXH3_64bits_withSeed(k->name, strlen(k->name), s->hash) % (uint64_t)room);
			continue;
		}
		for (const struct scrape_kind *j = first; j < k; j++)
			if (j->every_ns == first->every_ns)
				before += j->capture_ns;
		/* a slot of the leader, the same for all kinds with this interval */
		slots = (int64_t)(XXH3_64bits_withSeed(&k->every_ns, sizeof(k->every_ns), s->hash) %
				  (uint64_t)(k->every_ns / first->every_ns));
		s->state[i].offset_ns =
			(s->state[first - s->kind].offset_ns + before + slots * first->every_ns) % k->every_ns;
	}
}

/* A copy of kinds and their strings in one block. */
static struct scrape_kind *copy_kinds(const struct scrape_kind *kind, size_t n)
{
	size_t room = (n + 1) * sizeof(*kind);
	struct scrape_kind *copy;
	char *at;

	for (size_t i = 0; i < n; i++)
		room += strlen(kind[i].name) + strlen(kind[i].path) + 2;
	copy = mem_alloc(room, 1);
	at = (char *)(copy + n + 1);
	for (size_t i = 0; i < n; i++) {
		copy[i] = kind[i];
		copy[i].name = memcpy(at, kind[i].name, strlen(kind[i].name) + 1);
		at += strlen(at) + 1;
		copy[i].path = memcpy(at, kind[i].path, strlen(kind[i].path) + 1);
		at += strlen(at) + 1;
	}
	return copy;
}

void scrape_schedule_init(struct scrape_schedule *s, const char *key, const struct scrape_kind *kind, size_t n,
			  int64_t now_ns, bool at_once)
{
	*s = (struct scrape_schedule){ .kind = copy_kinds(kind, n), .n = n, .hash = XXH3_64bits(key, strlen(key)) };
	s->state = mem_zalloc(n + 1, sizeof(*s->state));
	set_offsets(s);
	for (size_t i = 0; i < n; i++) {
		s->state[i].slot_ns = at_once ? now_ns : first_slot(&kind[i], &s->state[i], now_ns);
		now_ns += at_once ? kind[i].capture_ns : 0;
	}
}

void scrape_schedule_release(struct scrape_schedule *s)
{
	free(s->kind);
	free(s->state);
	*s = (struct scrape_schedule){ 0 };
}

void scrape_schedule_change(struct scrape_schedule *s, const struct scrape_kind *kind, size_t n, int64_t now_ns)
{
	struct scrape_schedule old = *s;
	size_t running = n;

	s->kind = copy_kinds(kind, n);
	s->n = n;
	s->state = mem_zalloc(n + 1, sizeof(*s->state));
	set_offsets(s);
	for (size_t i = 0; i < n; i++) {
		struct scrape_kind_schedule *t = &s->state[i];
		int64_t offset = t->offset_ns;

		for (size_t j = 0; j < old.n; j++) {
			if (strcmp(old.kind[j].name, kind[i].name) != 0)
				continue;
			running = old.is_running && j == old.running ? i : running;
			*t = old.state[j];
			t->offset_ns = offset;
			if (old.kind[j].every_ns == kind[i].every_ns && old.state[j].offset_ns == offset)
				continue;
			t->slot_ns = 0;
		}
		if (t->slot_ns == 0)
			t->slot_ns = first_slot(&kind[i], t, now_ns);
	}
	s->running = running; /* n: of a kind that has been removed */
	free(old.kind);
	free(old.state);
}

/* Count and skip slots that are too late. */
static void skip_missed(const struct scrape_kind *k, struct scrape_kind_schedule *t, int64_t now_ns)
{
	int64_t late = now_ns - t->slot_ns, n;

	if (t->retry_ns && now_ns - t->retry_ns <= lateness_max(k))
		return;
	t->retry_ns = 0;
	if (late <= lateness_max(k))
		return;
	/* the newest slot may still begin, unless the machine was suspended or the clock was set */
	n = late / k->every_ns;
	if (late > 2 * k->every_ns || late - n * k->every_ns > lateness_max(k))
		n++;
	t->n_missed += (uint64_t)n;
	t->slot_ns = first_slot(k, t, t->slot_ns + (n - 1) * k->every_ns + 1);
	t->has_retried = false;
}

/* The time at which a kind is due. */
static int64_t due(const struct scrape_kind *k, struct scrape_kind_schedule *t, int64_t now_ns)
{
	if (t->off_until_ns > t->slot_ns) {
		t->slot_ns = first_slot(k, t, t->off_until_ns);
		t->retry_ns = 0;
	}
	skip_missed(k, t, now_ns);
	return t->retry_ns ? t->retry_ns : t->slot_ns;
}

int64_t scrape_schedule_next(struct scrape_schedule *s, int64_t now_ns, size_t *kind)
{
	int64_t best = INT64_MAX;
	bool is_capture = false;

	if (s->is_running)
		return INT64_MAX;
	for (size_t i = 0; i < s->n; i++) {
		int64_t at = due(&s->kind[i], &s->state[i], now_ns);

		/* snapshots before the capture of the next slot, which delays them by its length */
		if (at < best || (at == best && is_capture && !s->kind[i].capture_ns)) {
			best = at;
			*kind = i;
			is_capture = s->kind[i].capture_ns > 0;
		}
	}
	return best;
}

int64_t scrape_schedule_begin(struct scrape_schedule *s, size_t kind, int64_t now_ns)
{
	const struct scrape_kind_schedule *t = &s->state[kind];
	int64_t at = t->retry_ns ? t->retry_ns : t->slot_ns;

	assert(!s->is_running && kind < s->n);
	s->is_running = true;
	s->running = kind;
	s->begin_ns = now_ns;
	return now_ns > at ? now_ns - at : 0;
}

/* Slots until the next one, after n failures in a row. */
static int64_t slots_after_failures(const struct scrape_kind *k, uint32_t n)
{
	unsigned shift = n < FAILURES_MAX ? 0 : n - FAILURES_MAX + 1;
	int64_t factor = INT64_C(1) << (shift < FACTOR_SHIFT_MAX ? shift : FACTOR_SHIFT_MAX);

	if (factor * k->every_ns > NS_PER_HOUR)
		factor = NS_PER_HOUR / k->every_ns;
	return factor < 1 ? 1 : factor;
}

/* One retry after a capture and up to half of one more, if it ends before the next slot. Returns false otherwise. */
static bool plan_retry(const struct scrape_schedule *s, const struct scrape_kind *k, struct scrape_kind_schedule *t,
		       int64_t now_ns)
{
	uint64_t jitter = XXH3_64bits_withSeed(&t->slot_ns, sizeof(t->slot_ns), s->hash);
	int64_t wait = k->capture_ns + (int64_t)(jitter % (uint64_t)(k->capture_ns / 2 + NS_PER_S));

	if (t->has_retried || now_ns + wait + k->capture_ns > t->slot_ns + k->every_ns)
		return false;
	t->has_retried = true;
	t->retry_ns = now_ns + wait;
	return true;
}

static void schedule_count_bytes(struct scrape_schedule *s, int64_t now_ns, uint64_t bytes)
{
	int64_t day = now_ns / NS_PER_DAY;

	if (day != s->day) {
		s->day = day;
		s->n_bytes = 0;
	}
	s->n_bytes += bytes;
}

void scrape_schedule_end(struct scrape_schedule *s, int64_t now_ns, enum scrape_result result, int64_t retry_after_ns,
			 uint64_t bytes)
{
	const struct scrape_kind *k;
	struct scrape_kind_schedule *t;
	int64_t slots = 1;

	assert(s->is_running && result < N_SCRAPE_RESULTS);
	s->is_running = false;
	schedule_count_bytes(s, now_ns, bytes);
	if (s->running >= s->n)
		return;
	k = &s->kind[s->running];
	t = &s->state[s->running];
	t->last = result;
	t->retry_ns = 0;
	if (result == SCRAPE_UNREACHABLE) {
		t->n_failures += t->n_failures < UINT32_MAX;
		slots = slots_after_failures(k, t->n_failures);
	} else if (result != SCRAPE_CANCELLED) {
		t->n_failures = 0;
	}
	if (result == SCRAPE_OK)
		t->n_ok++;
	else if (result == SCRAPE_MISSING)
		t->off_until_ns = now_ns + NS_PER_HOUR;
	else if (result == SCRAPE_REFUSED)
		t->off_until_ns = t->slot_ns + 600 * NS_PER_S;
	else if (result == SCRAPE_THROTTLED)
		t->off_until_ns = now_ns + min_ns(retry_after_ns > 0 ? retry_after_ns : 0, NS_PER_HOUR);
	else if (result == SCRAPE_BUSY && plan_retry(s, k, t, now_ns))
		return;
	if (s->n_bytes > SCRAPE_DAY_BYTES_MAX && slots < 2)
		slots = 2;
	t->has_retried = false;
	t->slot_ns = first_slot(k, t, t->slot_ns + (slots - 1) * k->every_ns + 1);
}

void scrape_schedule_hurry(struct scrape_schedule *s, uint64_t done, int64_t now_ns)
{
	for (size_t i = 0; i < s->n && i < 64; i++)
		if (!(done >> i & 1) && s->state[i].slot_ns > now_ns)
			s->state[i].slot_ns = now_ns;
}

int64_t scrape_schedule_expect(const struct scrape_schedule *s, size_t i, int64_t now_ns)
{
	const struct scrape_kind_schedule *t = &s->state[i];
	int64_t at = t->retry_ns ? t->retry_ns : t->slot_ns;

	if (s->is_running && s->running == i)
		at = s->begin_ns;
	else if (at < t->off_until_ns)
		at = t->off_until_ns;
	else if (at < now_ns)
		at = now_ns;
	return at + s->kind[i].capture_ns;
}

void scrape_schedule_step(struct scrape_schedule *s, int64_t now_ns, int64_t delta_ns)
{
	for (size_t i = 0; i < s->n; i++) {
		struct scrape_kind_schedule *t = &s->state[i];
		int64_t every = s->kind[i].every_ns;

		if (t->off_until_ns)
			t->off_until_ns += delta_ns;
		if (t->retry_ns)
			t->retry_ns += delta_ns;
		if (delta_ns > 2 * every || delta_ns < -2 * every) {
			t->retry_ns = 0;
			t->slot_ns = first_slot(&s->kind[i], t, now_ns + 1);
		}
	}
}

int64_t scrape_clock_check(struct scrape_clock *c, int64_t wall_ns, int64_t boot_ns)
{
	int64_t difference = wall_ns - boot_ns, step = difference - c->difference_ns;
	bool is_first = !c->is_set;

	c->is_set = true;
	if (is_first || (step < NS_PER_S && step > -NS_PER_S)) {
		/* small differences are the clock being slewed */
		c->difference_ns = difference;
		return 0;
	}
	c->difference_ns = difference;
	return step;
}

double scrape_schedule_rate(const struct scrape_schedule *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += (double)NS_PER_S / (double)s->kind[i].every_ns;
	return sum;
}

void scrape_rate_set(struct scrape_rate *r, double starts_per_second)
{
	r->per_second = 2 * starts_per_second < RATE_MIN ? RATE_MIN : 2 * starts_per_second;
}

bool scrape_rate_take(struct scrape_rate *r, int64_t boot_ns, int64_t *wait_ns)
{
	double burst = r->per_second / 4;

	assert(r->per_second > 0);
	if (r->last_ns == 0)
		r->tokens = burst;
	else if (boot_ns > r->last_ns)
		r->tokens += (double)(boot_ns - r->last_ns) / (double)NS_PER_S * r->per_second;
	if (r->tokens > burst)
		r->tokens = burst;
	r->last_ns = boot_ns;
	if (r->tokens >= 1) {
		r->tokens -= 1;
		return true;
	}
	*wait_ns = (int64_t)((1 - r->tokens) / r->per_second * (double)NS_PER_S) + 1;
	return false;
}
