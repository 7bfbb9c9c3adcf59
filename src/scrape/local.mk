# src/scrape - the collector: configuration, targets, schedule, guard, versions

noinst_LIBRARIES += src/scrape/libscrape.a
src_scrape_libscrape_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(XXHASH_CFLAGS)
src_scrape_libscrape_a_SOURCES = \
	src/scrape/config.c \
	src/scrape/scrape_config.h \
	src/scrape/config_file.c \
	src/scrape/config_int.h \
	src/scrape/config_job.c \
	src/scrape/guard.c \
	src/scrape/guard.h \
	src/scrape/schedule.c \
	src/scrape/schedule.h \
	src/scrape/tally.c \
	src/scrape/tally.h \
	src/scrape/target.h \
	src/scrape/target_url.c \
	src/scrape/target_url.h \
	src/scrape/version.h
