# src/scrape - the collector: configuration, targets, schedule, guard, versions, requests, pushes, status

if WITH_COLLECT
noinst_LIBRARIES += src/scrape/libscrape.a
else
EXTRA_LIBRARIES += src/scrape/libscrape.a
endif
src_scrape_libscrape_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(XXHASH_CFLAGS)
src_scrape_libscrape_a_SOURCES = \
	src/scrape/accept.c \
	src/scrape/accept.h \
	src/scrape/collector.c \
	src/scrape/collector.h \
	src/scrape/collector_int.h \
	src/scrape/config.c \
	src/scrape/config_file.c \
	src/scrape/config_int.h \
	src/scrape/config_job.c \
	src/scrape/config_sink.c \
	src/scrape/decode.c \
	src/scrape/find.c \
	src/scrape/find_int.h \
	src/scrape/find_names.c \
	src/scrape/finder.c \
	src/scrape/forward.c \
	src/scrape/guard.c \
	src/scrape/guard.h \
	src/scrape/page.c \
	src/scrape/plan.c \
	src/scrape/pods.c \
	src/scrape/pods.h \
	src/scrape/pods_int.h \
	src/scrape/pods_read.c \
	src/scrape/pods_watch.c \
	src/scrape/pods_words.c \
	src/scrape/push.c \
	src/scrape/requests.c \
	src/scrape/routes.c \
	src/scrape/schedule.c \
	src/scrape/schedule.h \
	src/scrape/scrape_config.h \
	src/scrape/stats.c \
	src/scrape/stats.h \
	src/scrape/tally.c \
	src/scrape/tally.h \
	src/scrape/target.c \
	src/scrape/target.h \
	src/scrape/targets.c \
	src/scrape/version.c \
	src/scrape/version.h \
	src/scrape/writer.c \
	src/scrape/writer.h

include src/scrape/protocols/local.mk
