# src/front/cli/push - cpa push: send profiles to another system once

src_cpa_SOURCES += \
	src/front/cli/push/push.c \
	src/front/cli/push/push.h \
	src/front/cli/push/source.c
