#!/bin/sh
# t340-late.t - a program loads the library late, when static TLS is nearly used up
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
library=$(dirname "$CPA")/libcpaprof/libcpaprof.so

cat >user.c <<'END'
static __thread long mine __attribute__((tls_model("initial-exec")));
long next(void) { return ++mine; }
END
cat >late.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *use(void *arg) { free(malloc(100)); return arg; }
int main(int argc, char **argv)
{
	pthread_t thread;
	char name[64];
	int n = 0;

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "./user%d.so", i);
		n += dlopen(name, RTLD_NOW) != NULL;
	}
	printf("%d users\n", n);
	if (argc < 2 || !dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) {
		puts(argc < 2 ? "no name" : dlerror());
		return 1;
	}
	for (int i = 0; i < 10; i++)
		if (pthread_create(&thread, NULL, use, NULL) || pthread_join(thread, NULL))
			return 2;
	puts("loaded");
	return 0;
}
END
if ! ${CC:-cc} -O1 -fPIC -c user.c || ! ${CC:-cc} -O1 -w -o late late.c -ldl -pthread; then
	echo '1..0 # SKIP no compiler'
	exit 0
fi
for i in $(seq 0 99); do
	${CC:-cc} -shared -Wl,-soname,"user$i.so" -o "user$i.so" user.o
done
is "$(./late "$library")" "100 users
loaded" 'the library can be loaded after 100 libraries with static TLS'
size=$(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')
between "$((size))" 1 80 'the library needs at most 80 bytes of static TLS: 64 of its own, and a pointer that other profilers read'
done_testing
