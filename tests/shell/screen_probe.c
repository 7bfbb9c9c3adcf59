/*
 * screen_probe.c - a test pattern that lists events, for tests on real terminals
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: screen_probe [LOG | paint N]
 * Each event adds a line with its name, on the screen and to the file LOG. q quits; Ctrl-Z suspends; Ctrl-L repaints;
 * m switches the mouse off and on; p pauses and prints a word; a aborts, s crashes, e exits without restoring the
 * terminal, w wakes the screen from a thread, o prints a word on standard error.
 * paint N: draw N different screens, print the CPU time of each, and quit.
 */
#include "config.h"

#include "front/shell/terminal/screen.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HISTORY = 1000 };

static const struct style plain = { COLOR_DEFAULT, COLOR_DEFAULT, 0 };

static void draw(struct grid *g, struct screen *s, const struct buf *events, int turn)
{
	int width, height;

	screen_size(s, &width, &height);
	if (width != g->width || height != g->height)
		grid_resize(g, width, height);
	g->is_ascii = screen_is_ascii(s);
	grid_clear(g, plain);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x += 4) {
			struct area a = { x, y, 4, 1 };
			uint32_t bg = (uint32_t)((x * 13 + turn * 7) % 256) << 16 | (uint32_t)(y * 17 % 256) << 8 |
				      (uint32_t)((x + y) * 5 % 256);

			if (y < height / 2)
				grid_fill(
					g, a, (uint32_t)('a' + (x + y + turn) % 26),
					(struct style){ 0, y % 4 ? COLOR_DEFAULT : bg | 0x808080, (uint8_t)(y % 16) });
		}
	grid_text(g, grid_area(g), 0, 0, "probe \xe4\xb8\x96\xe7\x95\x8c e\xcc\x81 \xe2\x94\x80\xe2\x94\x82 \x1b[31m",
		  plain);
	for (int y = height - 1, end = (int)events->len; y > 0 && end > 0; y--) {
		int from = end - 1;

		while (from > 0 && events->data[from - 1] != '\n')
			from--;
		grid_fill(g, (struct area){ 0, y, width, 1 }, ' ', plain);
		for (int x = 0; from + x < end - 1; x++)
			grid_fill(g, (struct area){ x, y, 1, 1 }, (unsigned char)events->data[from + x], plain);
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
	double max = 0, sum = 0;
	int width, height;

	screen_size(s, &width, &height);
	for (int i = 0; i < times; i++) {
		double start;

		draw(g, s, &none, i);
		screen_repaint(s);
		start = cpu_ms();
		screen_show(s, g);
		start = cpu_ms() - start;
		sum += start;
		max = start > max ? start : max;
	}
	screen_close(s);
	printf("%dx%d: %.2f ms of CPU each, at most %.2f\n", width, height, sum / times, max);
}

/* Crash with a bad pointer; sanitizers are disabled, so the processor faults. */
__attribute__((no_sanitize("undefined", "address"))) static void crash(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 1;
}

/* Run the action of a key; false to quit. */
static bool act(struct screen *s, uint32_t key, bool *mouse)
{
	switch (key) {
	case 'q':
		return false;
	case 'm':
		*mouse = !*mouse;
		screen_set_mouse(s, *mouse);
		break;
	case 'l' - '`':
		screen_repaint(s);
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

/* Add the name of an event to the screen and to the log. */
static void log_event(const struct event *e, struct buf *events, FILE *log)
{
	size_t from = events->len;

	event_add_name(e, events);
	buf_addz(events, e->is_pasted ? " pasted\n" : "\n");
	fputs(events->data + from, log);
	fflush(log);
	if (events->len > HISTORY) {
		memmove(events->data, events->data + events->len - HISTORY / 2, HISTORY / 2);
		events->len = HISTORY / 2;
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "/dev/null";
	struct screen *s;
	struct grid g = { .width = 0 };
	struct buf events = { 0 };
	struct event e = { .kind = EVENT_NONE };
	struct err err;
	FILE *log;
	bool mouse = true;

	if (screen_open(getenv("NO_COLOR") ? PALETTE_NONE : PALETTE_TRUE, mouse, &s, &err) < 0) {
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
	buf_addf(&events, "depth %d ascii %d\n", (int)screen_palette(s), screen_is_ascii(s));
	fputs(events.data, log);
	fflush(log);
	do {
		draw(&g, s, &events, 0);
		screen_show(s, &g);
		e = screen_wait(s, -1);
		log_event(&e, &events, log);
	} while (e.kind != EVENT_STOP && (e.kind != EVENT_KEY || e.is_pasted || act(s, e.key, &mouse)));
	join_waker();
	screen_close(s);
	fclose(log);
	grid_release(&g);
	buf_release(&events);
	return e.kind == EVENT_STOP ? 1 : 0;
}
