# src/scrape/protocols - the protocols of pushes

src_scrape_libscrape_a_SOURCES += \
	src/scrape/protocols/connect.c \
	src/scrape/protocols/datadog.c \
	src/scrape/protocols/ingest.c \
	src/scrape/protocols/otlp.c \
	src/scrape/protocols/parca.c \
	src/scrape/protocols/pprof.c \
	src/scrape/protocols/protocol.h \
	src/scrape/protocols/protocols.c
