/*
 * week.c - a server with a memory leak and contention on command, for the test of stored profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each line on standard input is a command, which is answered with "done": calm locks without contention, fight makes two
 * threads wait for one mutex, leak keeps 4 MB.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 30, HOLD_NS = 3000000, PIECES = 64, PIECE = 65536 };

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static char *kept[65536];
static int n_kept;

__attribute__((noinline)) static void settle_accounts(void)
{
	pthread_mutex_lock(&accounts);
	nanosleep(&(struct timespec){ .tv_nsec = HOLD_NS }, NULL);
	pthread_mutex_unlock(&accounts);
}

static void *settle_many(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		settle_accounts();
	return arg;
}

__attribute__((noinline)) static void remember_orders(void)
{
	for (int i = 0; i < PIECES && n_kept < 65536; i++) {
		kept[n_kept] = malloc(PIECE);
		memset(kept[n_kept++], 1, PIECE);
	}
}

int main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (strcmp(line, "fight\n") == 0) {
			pthread_t other;

			pthread_create(&other, NULL, settle_many, NULL);
			settle_many(NULL);
			pthread_join(other, NULL);
		} else if (strcmp(line, "leak\n") == 0) {
			remember_orders();
		} else {
			settle_accounts();
		}
		puts("done");
		fflush(stdout);
	}
	return 0;
}
