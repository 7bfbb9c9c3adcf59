# src/cli/web - the web UI: cpa -http

if WITH_WEB
src_cpa_SOURCES += \
	src/cli/web/access.c \
	src/cli/web/access.h \
	src/cli/web/address.c \
	src/cli/web/address.h \
	src/cli/web/browser.c \
	src/cli/web/browser.h \
	src/cli/web/folders.c \
	src/cli/web/folders.h \
	src/cli/web/signals.c \
	src/cli/web/signals.h \
	src/cli/web/web.c
else
src_cpa_SOURCES += src/cli/web/missing.c
endif
