# testdata - profiles that tests read; testdata/README.md has the origin of each

EXTRA_DIST += testdata
