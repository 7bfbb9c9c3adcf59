# context_message.py - the message of a process context, made from its published layout
# SPDX-License-Identifier: Apache-2.0
# context_message.py [KEY=VALUE]... [-- KEY...]: the message with these attributes and keys of labels, in hexadecimal
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from wire import message  # noqa: E402


def text(value):
    return message(1, value.encode())


def pair(number, key, value):
    return message(number, text(key) + message(2, value))


arguments = sys.argv[1:]
at = arguments.index('--') if '--' in arguments else len(arguments)
out = message(1, b''.join(pair(1, key, text(value)) for key, value in (x.split('=') for x in arguments[:at])))
if arguments[at + 1:]:
    out += pair(2, 'threadlocal.schema_version', text('tlsdesc_v1_dev'))
    out += pair(2, 'threadlocal.attribute_key_map', message(5, b''.join(message(1, text(k)) for k in arguments[at + 1:])))
print(out.hex())
