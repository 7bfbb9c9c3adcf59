/*
 * shop.c - a server in C that serves its profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	make shop && ./shop 127.0.0.1:6060        or a Unix socket: ./shop unix:/tmp/shop.sock
 *	cpa tags 'http://127.0.0.1:6060/debug/pprof/profile?seconds=5'     CPU time by tenant
 *	cpa top 'http://127.0.0.1:6060/debug/pprof/heap?seconds=5'         memory allocated in these seconds and still in use
 *	cpa top http://127.0.0.1:6060/debug/pprof/mutex                    waiting time by lock holder
 *
 * Two customers send orders, which four threads process. The receipts of refunds are never freed.
 */
#include <cpa/pprof.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP __attribute__((noinline)) /* has its own row in reports */

enum { N_WORKERS = 4, N_QUEUE = 64, N_ITEMS = 512, RECEIPT = 12000 };

struct order {
	const char *tenant;
	unsigned items, refund;
};

struct receipt {
	struct receipt *before;
	char text[RECEIPT];
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, stock_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_work = PTHREAD_COND_INITIALIZER, is_room = PTHREAD_COND_INITIALIZER;
static struct order queue[N_QUEUE];
static unsigned first, n_waiting;
static unsigned stock[N_ITEMS];
static struct receipt *refunds;

static void put(struct order o)
{
	pthread_mutex_lock(&queue_lock);
	while (n_waiting == N_QUEUE)
		pthread_cond_wait(&is_room, &queue_lock);
	queue[(first + n_waiting++) % N_QUEUE] = o;
	pthread_cond_signal(&is_work);
	pthread_mutex_unlock(&queue_lock);
}

static struct order take(void)
{
	struct order o;

	pthread_mutex_lock(&queue_lock);
	while (!n_waiting)
		pthread_cond_wait(&is_work, &queue_lock);
	o = queue[first];
	first = (first + 1) % N_QUEUE;
	n_waiting--;
	pthread_cond_signal(&is_room);
	pthread_mutex_unlock(&queue_lock);
	return o;
}

STEP static unsigned price(unsigned items)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < items * 20000; i++)
		sum = sum * 31 + (i ^ sum >> 7);
	return sum;
}

/* One lock guards the whole stock, and is held during the whole scan. */
STEP static void reserve(unsigned items)
{
	pthread_mutex_lock(&stock_lock);
	for (unsigned round = 0; round < items * 200; round++)
		for (unsigned i = 0; i < N_ITEMS; i++)
			stock[i] += round ^ i;
	pthread_mutex_unlock(&stock_lock);
}

STEP static void receipt(const struct order *o, unsigned sum)
{
	struct receipt *r = malloc(sizeof(*r));

	if (!r)
		return;
	memset(r->text, '-', sizeof(r->text));
	snprintf(r->text, sizeof(r->text), "%s: %u", o->tenant, sum);
	if (!o->refund) {
		free(r);
		return;
	}
	/* a leak: this list is never read */
	r->before = __atomic_load_n(&refunds, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&refunds, &r->before, r, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

STEP static void serve(void *arg)
{
	const struct order *o = arg;
	unsigned sum = price(o->items);

	reserve(o->items);
	receipt(o, sum);
}

static void *worker(void *arg)
{
	(void)arg;
	for (;;) {
		struct order o = take();
		const char *label[] = { "tenant", o.tenant };

		cpa_labels_do(cpa_labels_make(0, label, 1), serve, &o);
	}
	return NULL;
}

static void *customer(void *arg)
{
	const char *tenant = arg;
	unsigned items = strcmp(tenant, "acme") == 0 ? 6 : 2;

	for (unsigned n = 0;; n++) {
		put((struct order){ .tenant = tenant, .items = items, .refund = n % 4 == 0 });
		usleep(1000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const cpa_http_opts opts = { .size = sizeof(opts), .listen = argc > 1 ? argv[1] : "127.0.0.1:0" };
	static const char *const tenants[] = { "acme", "globex" };
	char address[200];
	pthread_t thread;
	sigset_t ends;
	int rc = cpa_http_start(&opts), sig;

	if (rc < 0)
		fprintf(stderr, "shop: %s: %s\n", opts.listen, strerror(-rc));
	else if (cpa_http_addr(address, sizeof(address)) > 0)
		printf("%s\n", address);
	fflush(stdout);
	cpa_mutex_set_fraction(1);
	cpa_block_set_rate(1);
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	for (int i = 0; i < N_WORKERS; i++)
		pthread_create(&thread, NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, customer, (void *)(unsigned long)tenants[i]);
	sigwait(&ends, &sig);
	return 0;
}
