# src/report/gate - compare two sides, and decide whether the new one is slower

noinst_LIBRARIES += src/report/gate/libgate.a
src_report_gate_libgate_a_SOURCES = \
	src/report/gate/census.c \
	src/report/gate/config.c \
	src/report/gate/decision.c \
	src/report/gate/decision.h \
	src/report/gate/gate.h \
	src/report/gate/gate_int.h \
	src/report/gate/judge.c \
	src/report/gate/sampling.c \
	src/report/gate/sampling.h \
	src/report/gate/names.c \
	src/report/gate/names.h \
	src/report/gate/options.c \
	src/report/gate/options.h \
	src/report/gate/outcome.c \
	src/report/gate/power.c \
	src/report/gate/renames.c \
	src/report/gate/rows.c \
	src/report/gate/rows_classes.c \
	src/report/gate/rows_int.h \
	src/report/gate/rows_merge.c \
	src/report/gate/share_limits.c \
	src/report/gate/sum.c \
	src/report/gate/sum_int.h \
	src/report/gate/sum_walk.c \
	src/report/gate/warn.c \
	src/report/gate/weights.c \
	src/report/gate/verdicts.c
