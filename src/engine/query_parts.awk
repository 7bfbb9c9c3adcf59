# query_parts.awk - the fields of a part of struct query, as a header
# SPDX-License-Identifier: Apache-2.0
# usage: awk -f query_parts.awk -v part=PART query.def

BEGIN {
	name = toupper(part)
	print "/* query_" part ".h - made from query.def by query_parts.awk */"
	print "#ifndef ENGINE_QUERY_" name "_H\n#define ENGINE_QUERY_" name "_H\n"
	print "#include \"base/opt.h\"\n#include \"base/stop.h\"\n#include \"engine/option_values.h\"\n"
	print "#define QUERY_" name "_FIELDS \\"
}

/^PART\(/ { is_wanted = $0 ~ "^PART\\(" part "\\)" }

is_wanted && /^CHOICE\(/ { print "\tint " substr($0, 8, index($0, ")") - 8) "; \\" }

is_wanted && /^(OPTION|OWN|FIELD)\(/ {
	sub(/^[A-Z]+\(/, "")
	split($0, argument, ", ")
	sub(/\).*/, "", argument[2])
	print "\t" argument[1] " " argument[2] "; \\"
}

END { print "\nstruct query_" part " {\n\tQUERY_" name "_FIELDS\n};\n\n#endif" }
