# select.awk - print the tests that names mean
# SPDX-License-Identifier: Apache-2.0
#
# usage: awk -f select.awk NAME... <LIST
# LIST has the path of a test in each line, such as tests/cli/t100-top.t or tests/unit/test_arena. A NAME is a folder
# (cli), or a test: a path with or without tests/ and its ending, a file name, a unit test without test_, a script's
# number (t100, cli/t100). Exits 2 and names similar ones when a NAME means no test.

# The path below tests/ without its ending.
function plain(path)
{
	sub(/^(.*\/)?tests\//, "", path)
	sub(/\/$/, "", path)
	sub(/\.(t|c|log|trs)$/, "", path)
	return path
}

function folder_of(path)
{
	path = plain(path)
	sub(/\/.*/, "", path)
	return path
}

# The file name without test_.
function base_of(path)
{
	path = plain(path)
	sub(/.*\//, "", path)
	sub(/^test_/, "", path)
	return path
}

function is_meant(path, name,    folder, number)
{
	folder = folder_of(path)
	if (name in folders)
		return name == folder
	number = base_of(path)
	sub(/-.*/, "", number)
	if (index(name, "/"))
		return name == plain(path) || name == folder "/" base_of(path) || name == folder "/" number
	return name == base_of(path) || name == "test_" base_of(path) || name == number
}

# How many letters must change, come or go to make b of a.
function distance(a, b,    i, j, row, least, diagonal)
{
	for (j = 0; j <= length(b); j++)
		row[j] = j
	for (i = 1; i <= length(a); i++) {
		diagonal = row[0]
		row[0] = i
		for (j = 1; j <= length(b); j++) {
			least = diagonal + (substr(a, i, 1) != substr(b, j, 1))
			if (least > row[j] + 1)
				least = row[j] + 1
			if (least > row[j - 1] + 1)
				least = row[j - 1] + 1
			diagonal = row[j]
			row[j] = least
		}
	}
	return row[length(b)]
}

# Is this name, with or without the script's number, like that one?
function is_similar(base, name,    most)
{
	most = length(name) > 4 ? 2 : 1
	if (index(base, name) || distance(base, name) <= most)
		return 1
	return sub(/^t[0-9]+-/, "", base) && distance(base, name) <= most
}

function complain(word,    name, i, n, list)
{
	name = base_of(word)
	for (i = 1; i <= n_folders; i++)
		if (distance(folder[i], name) <= 2)
			list = list (n++ ? ", " : "") folder[i]
	for (i = 1; i <= NR && n < 6; i++)
		if (is_similar(base_of(path[i]), name))
			list = list (n++ ? ", " : "") plain(path[i])
	if (!n)
		for (i = 1; i <= n_folders; i++)
			list = list (n++ ? ", " : "") folder[i]
	printf "test: no test is called %s; there is %s\n", word, list >"/dev/stderr"
}

BEGIN {
	n_names = ARGC - 1
	ARGC = 1
}

{
	path[NR] = $0
	if (!(folder_of($0) in folders))
		folder[++n_folders] = folder_of($0)
	folders[folder_of($0)]
}

END {
	for (i = 1; i <= n_names; i++) {
		found = 0
		for (t = 1; t <= NR; t++)
			if (is_meant(path[t], plain(ARGV[i])))
				found = chosen[t] = 1
		if (!found) {
			complain(ARGV[i])
			exit 2
		}
	}
	for (t = 1; t <= NR; t++)
		if (t in chosen)
			print path[t]
}
