# src/report - reports as data

noinst_LIBRARIES += src/report/libreport.a
src_report_libreport_a_SOURCES = \
	src/report/neighbours.c \
	src/report/neighbours.h \
	src/report/binaries.c \
	src/report/binaries.h \
	src/report/by_binary.c \
	src/report/calls.c \
	src/report/calls.h \
	src/report/compare.h \
	src/report/diff.c \
	src/report/diff.h \
	src/report/disasm.c \
	src/report/disasm.h \
	src/report/disasm_int.h \
	src/report/disasm_symbols.c \
	src/report/flame.c \
	src/report/flame.h \
	src/report/head.c \
	src/report/head.h \
	src/report/labels.c \
	src/report/labels.h \
	src/report/labels_ids.c \
	src/report/labels_lost.c \
	src/report/list.c \
	src/report/list.h \
	src/report/report.c \
	src/report/report.h \
	src/report/side.c \
	src/report/side.h \
	src/report/tags.c \
	src/report/tags.h \
	src/report/top.c \
	src/report/top.h \
	src/report/traces.c \
	src/report/traces.h \
	src/report/series.c \
	src/report/series.h \
	src/report/over_time.c \
	src/report/over_time.h \
	src/report/over_time_text.c \
	src/report/trend.c \
	src/report/trend.h \
	src/report/weblist.c \
	src/report/weblist.h \
	src/report/weblist_code.c \
	src/report/weblist_int.h \
	src/report/weblist_samples.c
