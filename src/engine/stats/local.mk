# src/engine/stats - distributions and tests, on numbers alone

noinst_LIBRARIES += src/engine/stats/libstats.a
src_engine_stats_libstats_a_SOURCES = \
	src/engine/stats/adjust.c \
	src/engine/stats/beta.c \
	src/engine/stats/centre.c \
	src/engine/stats/gamma.c \
	src/engine/stats/judge.c \
	src/engine/stats/judge.h \
	src/engine/stats/judge_int.h \
	src/engine/stats/judge_outside.c \
	src/engine/stats/judge_runs.c \
	src/engine/stats/normal.c \
	src/engine/stats/points.c \
	src/engine/stats/power.c \
	src/engine/stats/prior.c \
	src/engine/stats/ratio.c \
	src/engine/stats/share.c \
	src/engine/stats/spread.c \
	src/engine/stats/stats.h \
	src/engine/stats/stats_int.h
