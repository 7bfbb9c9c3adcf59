# src/front/cli/report - reports of profiles: top, tree, flame, diff, trend ...

src_cpa_SOURCES += \
	src/front/cli/report/diff.c \
	src/front/cli/report/events.c \
	src/front/cli/report/events.h \
	src/front/cli/report/open.c \
	src/front/cli/report/open.h \
	src/front/cli/report/pair.c \
	src/front/cli/report/pair.h \
	src/front/cli/report/report.c \
	src/front/cli/report/report.h \
	src/front/cli/report/series.c \
	src/front/cli/report/trend.c
