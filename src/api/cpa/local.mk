# src/api/cpa - headers that are installed

cpaincludedir = $(includedir)/cpa
cpainclude_HEADERS = src/api/cpa/pprof.h src/api/cpa/pprof.hpp src/api/cpa/pprof_http.hpp
