# viewers/pdf - flame graphs as PDF

noinst_LIBRARIES += viewers/pdf/libpdf.a
viewers_pdf_libpdf_a_CFLAGS = $(AM_CFLAGS) $(CAIRO_CFLAGS)
viewers_pdf_libpdf_a_SOURCES = \
	viewers/pdf/pdf.c \
	viewers/pdf/pdf.h
