# src/front/cli/web - the web UI: cpa -http

if WITH_WEB
src_cpa_SOURCES += \
	src/front/cli/web/access.c \
	src/front/cli/web/access.h \
	src/front/cli/web/address.c \
	src/front/cli/web/address.h \
	src/front/cli/web/browser.c \
	src/front/cli/web/browser.h \
	src/front/cli/web/folders.c \
	src/front/cli/web/folders.h \
	src/front/cli/web/signals.c \
	src/front/cli/web/signals.h \
	src/front/cli/web/web.c
else
src_cpa_SOURCES += src/front/cli/web/missing.c
endif
