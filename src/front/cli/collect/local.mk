# src/front/cli/collect - the collector as a command

if WITH_COLLECT
src_cpa_SOURCES += \
	src/front/cli/collect/collect.c \
	src/front/cli/collect/options.c \
	src/front/cli/collect/options.h \
	src/front/cli/collect/status.c \
	src/front/cli/collect/status.h \
	src/front/cli/collect/watchers.c \
	src/front/cli/collect/watchers.h
else
src_cpa_SOURCES += src/front/cli/collect/missing.c
endif
