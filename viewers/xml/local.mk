# viewers/xml - XML by libxml2, for pictures and reports

noinst_LIBRARIES += viewers/xml/libxml.a
viewers_xml_libxml_a_CFLAGS = $(AM_CFLAGS) $(XML_CFLAGS)
viewers_xml_libxml_a_SOURCES = \
	viewers/xml/xml.c \
	viewers/xml/xml.h
