# src/cli/report - reports of profiles: top, tree, flame, diff, trend ...

src_cpa_SOURCES += \
	src/cli/report/diff.c \
	src/cli/report/events.c \
	src/cli/report/events.h \
	src/cli/report/open.c \
	src/cli/report/open.h \
	src/cli/report/pair.c \
	src/cli/report/pair.h \
	src/cli/report/report.c \
	src/cli/report/report.h \
	src/cli/report/series.c \
	src/cli/report/trend.c
