# src/httpd - HTTP server for the web UI: libmicrohttpd with limits and cancellation

noinst_LIBRARIES += src/httpd/libhttpd.a
src_httpd_libhttpd_a_CPPFLAGS = $(AM_CPPFLAGS) $(MICROHTTPD_CFLAGS)
src_httpd_libhttpd_a_SOURCES = \
	src/httpd/httpd.c \
	src/httpd/httpd.h \
	src/httpd/httpd_int.h \
	src/httpd/microhttpd.c \
	src/httpd/microhttpd.h \
	src/httpd/request.c \
	src/httpd/response.c
