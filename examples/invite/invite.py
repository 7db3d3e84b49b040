"""A shop that makes an invitation for one visitor, say a buyer whose payment failed. Python 3.9 or newer, nothing else.

Start it as `python3 invite.py BATCH GROUP`; without GROUP the invitation leads straight in.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import sys
import time

# For how many seconds it is good.
LIFE = 7 * 24 * 3600


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def invitation(key, room, batch, group=None):
    """The code of an invitation."""
    header = {"alg": "HS256", "typ": "queue-invite+jwt"}
    claims = {"room": room, "batch": batch, "uses": 1, "jti": secrets.token_hex(16), "exp": int(time.time()) + LIFE}
    if group:
        claims["group"] = group
    text = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    return f"{text}.{encoded(hmac.new(key, text.encode(), hashlib.sha256).digest())}"


if __name__ == "__main__":
    digits = os.environ.get("QUEUE_INVITE_KEY", "")
    if not re.fullmatch(r"[0-9a-f]{64}", digits):
        sys.exit("Set QUEUE_INVITE_KEY to the first line that `cargo dev secret invite` prints.")
    room = os.environ.get("QUEUE_ROOM", "main")
    print(invitation(bytes.fromhex(digits), room, *(sys.argv[1:] or ["shop"])))
