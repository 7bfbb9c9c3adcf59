# readme.awk - print the C example of README.md as a program that uses 0.2 s of processor time
# SPDX-License-Identifier: Apache-2.0
BEGIN {
	print "#include <cpa/pprof.h>\n#include <stddef.h>\n#include <time.h>"
	print "static void serve(void *request)\n{\n\t*(int *)request = 1;\n\tfor (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)\n\t\t;\n}"
	print "int main(void)\n{\n\tint served = 0, *request = &served;\n"
}
/^```c$/ { on = 1; next }
/^```$/ { on = 0 }
on
END { print "\treturn served != 1;\n}" }
