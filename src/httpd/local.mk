# src/httpd - HTTP server for the web UI: libmicrohttpd with limits and cancellation

if WITH_HTTPD
noinst_LIBRARIES += src/httpd/libhttpd.a
else
EXTRA_LIBRARIES += src/httpd/libhttpd.a
endif
src_httpd_libhttpd_a_CPPFLAGS = $(AM_CPPFLAGS) $(MICROHTTPD_CFLAGS)
src_httpd_libhttpd_a_SOURCES = \
	src/httpd/httpd.c \
	src/httpd/httpd.h \
	src/httpd/httpd_int.h \
	src/httpd/microhttpd.c \
	src/httpd/microhttpd.h \
	src/httpd/request.c \
	src/httpd/response.c
