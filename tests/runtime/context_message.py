# context_message.py - the message of a process context, made from its published layout
# SPDX-License-Identifier: Apache-2.0
# context_message.py [KEY=VALUE]... [-- KEY...]: the message with these attributes and keys of labels, in hexadecimal
import sys


def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def text(value):
    return field(1, value.encode())


def pair(number, key, value):
    return field(number, text(key) + field(2, value))


arguments = sys.argv[1:]
at = arguments.index('--') if '--' in arguments else len(arguments)
message = field(1, b''.join(pair(1, key, text(value)) for key, value in (x.split('=') for x in arguments[:at])))
if arguments[at + 1:]:
    message += pair(2, 'threadlocal.schema_version', text('tlsdesc_v1_dev'))
    message += pair(2, 'threadlocal.attribute_key_map', field(5, b''.join(field(1, text(k)) for k in arguments[at + 1:])))
print(message.hex())
