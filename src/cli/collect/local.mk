# src/cli/collect - the collector as a command

if WITH_COLLECT
src_cpa_SOURCES += \
	src/cli/collect/collect.c \
	src/cli/collect/options.c \
	src/cli/collect/options.h \
	src/cli/collect/status.c \
	src/cli/collect/status.h
else
src_cpa_SOURCES += src/cli/collect/missing.c
endif
