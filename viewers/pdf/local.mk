# viewers/pdf - flame graphs as PDF and PNG

noinst_LIBRARIES += viewers/pdf/libpdf.a
viewers_pdf_libpdf_a_CFLAGS = $(AM_CFLAGS) $(CAIRO_CFLAGS)
viewers_pdf_libpdf_a_SOURCES = \
	viewers/pdf/cairo.c \
	viewers/pdf/cairo.h \
	viewers/pdf/font.c \
	viewers/pdf/font.h \
	viewers/pdf/head.c \
	viewers/pdf/index.c \
	viewers/pdf/index.h \
	viewers/pdf/mark.c \
	viewers/pdf/mark.h \
	viewers/pdf/outline.c \
	viewers/pdf/outline.h \
	viewers/pdf/pages.c \
	viewers/pdf/pages.h \
	viewers/pdf/paint.c \
	viewers/pdf/paint.h \
	viewers/pdf/paper.c \
	viewers/pdf/pdf.c \
	viewers/pdf/pdf.h \
	viewers/pdf/png.c
