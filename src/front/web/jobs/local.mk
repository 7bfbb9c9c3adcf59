# src/front/web/jobs - requests that run, responses that are kept, captures

src_front_web_libweb_a_SOURCES += \
	src/front/web/jobs/capture.c \
	src/front/web/jobs/capture.h \
	src/front/web/jobs/capture_int.h \
	src/front/web/jobs/capture_run.c \
	src/front/web/jobs/jobs.c \
	src/front/web/jobs/jobs.h \
	src/front/web/jobs/response_cache.c \
	src/front/web/jobs/response_cache.h
