/*
 * screen_probe.c - a screen with a pattern that says which events came, for tests on real terminals
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: screen_probe [LOG | paint N]
 * Each event is a line of its name, on the screen and in the file LOG. q quits; Ctrl-Z suspends; Ctrl-L repaints; m turns the mouse off and on;
 * p pauses for a word on the terminal; a aborts, s crashes, e exits with the terminal taken, w is woken by a
 * thread, o says something on standard error.
 * paint N: draw N different screens, say how long each took in CPU time, and quit.
 */
#include "config.h"

#include "viewers/shell/screen.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HISTORY = 1000 };

static const struct look plain = { COLOR_OWN, COLOR_OWN, 0 };

static void draw(struct grid *g, struct screen *s, const struct buf *said, int turn)
{
	int width, height;

	screen_size(s, &width, &height);
	if (width != g->width || height != g->height)
		grid_resize(g, width, height);
	g->ascii = screen_is_ascii(s);
	grid_clear(g, plain);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x += 4) {
			struct area a = { x, y, 4, 1 };
			uint32_t paper = (uint32_t)((x * 13 + turn * 7) % 256) << 16 | (uint32_t)(y * 17 % 256) << 8 |
					 (uint32_t)((x + y) * 5 % 256);

			if (y < height / 2)
				grid_fill(g, a, (uint32_t)('a' + (x + y + turn) % 26),
					  (struct look){ 0, y % 4 ? COLOR_OWN : paper | 0x808080, (uint8_t)(y % 16) });
		}
	grid_text(g, grid_area(g), 0, 0, "probe \xe4\xb8\x96\xe7\x95\x8c e\xcc\x81 \xe2\x94\x80\xe2\x94\x82 \x1b[31m",
		  plain);
	for (int y = height - 1, end = (int)said->len; y > 0 && end > 0; y--) {
		int from = end - 1;

		while (from > 0 && said->data[from - 1] != '\n')
			from--;
		grid_fill(g, (struct area){ 0, y, width, 1 }, ' ', plain);
		for (int x = 0; from + x < end - 1; x++)
			grid_fill(g, (struct area){ x, y, 1, 1 }, (unsigned char)said->data[from + x], plain);
		end = from;
	}
	g->cursor_x = 3;
	g->cursor_y = height - 1;
}

static void *wake(void *arg)
{
	usleep(50000);
	screen_wake(arg);
	return NULL;
}

static pthread_t waker;
static bool is_waking;

static void join_waker(void)
{
	if (is_waking)
		pthread_join(waker, NULL);
	is_waking = false;
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void paint(struct screen *s, struct grid *g, int times)
{
	struct buf none = { 0 };
	double most = 0, sum = 0;
	int width, height;

	screen_size(s, &width, &height);
	for (int i = 0; i < times; i++) {
		double start;

		draw(g, s, &none, i);
		screen_forget(s);
		start = cpu_ms();
		screen_show(s, g);
		start = cpu_ms() - start;
		sum += start;
		most = start > most ? start : most;
	}
	screen_close(s);
	printf("%dx%d: %.2f ms of CPU each, at most %.2f\n", width, height, sum / times, most);
}

/* A wrong pointer, which sanitizers leave to the processor. */
__attribute__((no_sanitize("undefined", "address"))) static void crash(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 1;
}

/* What a key does besides being named; false to end. */
static bool act(struct screen *s, uint32_t key, bool *mouse)
{
	switch (key) {
	case 'q':
		return false;
	case 'm':
		*mouse = !*mouse;
		screen_mouse(s, *mouse);
		break;
	case 'l' - '`':
		screen_forget(s);
		break;
	case 'z' - '`':
		screen_suspend(s);
		break;
	case 'p':
		screen_pause(s);
		printf("another program\n");
		fflush(stdout);
		usleep(200000);
		screen_resume(s);
		break;
	case 'a':
		abort();
	case 's':
		crash();
		break;
	case 'e':
		exit(3);
	case 'o':
		fprintf(stderr, "said on standard error\n");
		break;
	case 'w':
		join_waker();
		is_waking = pthread_create(&waker, NULL, wake, s) == 0;
		break;
	default:
		break;
	}
	return true;
}

/* Add the name of an event to what was said, and to the log. */
static void say(const struct event *e, struct buf *said, FILE *log)
{
	size_t from = said->len;

	event_add_name(e, said);
	buf_addz(said, e->pasted ? " pasted\n" : "\n");
	fputs(said->data + from, log);
	fflush(log);
	if (said->len > HISTORY) {
		memmove(said->data, said->data + said->len - HISTORY / 2, HISTORY / 2);
		said->len = HISTORY / 2;
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "/dev/null";
	struct screen *s;
	struct grid g = { .width = 0 };
	struct buf said = { 0 };
	struct event e = { .kind = EVENT_NONE };
	struct err err;
	FILE *log;
	bool mouse = true;

	if (screen_open(getenv("NO_COLOR") ? DEPTH_NONE : DEPTH_TRUE, mouse, &s, &err) < 0) {
		fprintf(stderr, "screen_probe: %s\n", err.msg);
		return 2;
	}
	if (strcmp(mode, "paint") == 0 && argc > 2) {
		paint(s, &g, atoi(argv[2]));
		grid_release(&g);
		return 0;
	}
	log = fopen(mode, "w");
	if (!log)
		abort();
	buf_addf(&said, "depth %d ascii %d\n", (int)screen_depth(s), screen_is_ascii(s));
	fputs(said.data, log);
	fflush(log);
	do {
		draw(&g, s, &said, 0);
		screen_show(s, &g);
		e = screen_wait(s, -1);
		say(&e, &said, log);
	} while (e.kind != EVENT_STOP && (e.kind != EVENT_KEY || e.pasted || act(s, e.key, &mouse)));
	join_waker();
	screen_close(s);
	fclose(log);
	grid_release(&g);
	buf_release(&said);
	return e.kind == EVENT_STOP ? 1 : 0;
}
