# labels_equal.py - check the labels of samples of tests/runtime/context.c threads: a set is whole, or the check fails
# SPDX-License-Identifier: Apache-2.0
# labels_equal.py FILE: prints the number of samples with labels, and of sets that are torn
import gzip
import sys

import proto

texts, samples = [], []
for number, value in proto.fields(gzip.open(sys.argv[1]).read()):
    if number == 6:
        texts.append(value.decode())
    if number == 2:
        samples.append([dict(proto.fields(label)) for n, label in proto.fields(value) if n == 3])
n = torn = 0
for labels in samples:
    found = {texts[label[1]]: texts[label[2]] for label in labels if 2 in label}
    found = {key: value for key, value in found.items() if len(key) == 1}
    n += bool(found)
    torn += bool(found) and not ({'a', 'b'} <= set(found) and len(set(found.values())) == 1)
print('labelled %d, torn %d' % (n, torn))
