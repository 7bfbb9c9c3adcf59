# src/front/web - the web UI: from a request to a page

if WITH_WEB
noinst_LIBRARIES += src/front/web/libweb.a
else
EXTRA_LIBRARIES += src/front/web/libweb.a
endif
src_front_web_libweb_a_SOURCES = \
	src/front/web/enter.c \
	src/front/web/route.c \
	src/front/web/web.c \
	src/front/web/web.h

include src/front/web/assets/local.mk
include src/front/web/jobs/local.mk
include src/front/web/parts/local.mk
include src/front/web/pages/local.mk
include src/front/web/actions/local.mk
