# viewers/pdf - flame graphs as PDF and PNG

noinst_LIBRARIES += viewers/pdf/libpdf.a
viewers_pdf_libpdf_a_CFLAGS = $(AM_CFLAGS) $(CAIRO_CFLAGS)
if WITH_PICTURES
viewers_pdf_libpdf_a_SOURCES = \
	viewers/pdf/cairo.c \
	viewers/pdf/cairo.h \
	viewers/pdf/font.c \
	viewers/pdf/font.h \
	viewers/pdf/paint.c \
	viewers/pdf/paint.h \
	viewers/pdf/pdf.c \
	viewers/pdf/pdf.h \
	viewers/pdf/png.c
else
viewers_pdf_libpdf_a_SOURCES = viewers/pdf/missing.c viewers/pdf/pdf.h
endif
