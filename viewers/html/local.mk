# viewers/html - reports as web pages

noinst_LIBRARIES += viewers/html/libhtml.a
viewers_html_libhtml_a_SOURCES = \
	viewers/html/flame.c \
	viewers/html/flame.h \
	viewers/html/html.c \
	viewers/html/html.h \
	viewers/html/weblist.c \
	viewers/html/weblist.h
