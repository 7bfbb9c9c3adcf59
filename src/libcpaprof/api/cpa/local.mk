# src/libcpaprof/api/cpa - headers that are installed

cpaincludedir = $(includedir)/cpa
cpainclude_HEADERS = src/libcpaprof/api/cpa/pprof.h src/libcpaprof/api/cpa/pprof.hpp src/libcpaprof/api/cpa/pprof_http.hpp
