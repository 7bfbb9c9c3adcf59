# testdata - profiles that tests read; testdata/README.md says where each is from

EXTRA_DIST += testdata
