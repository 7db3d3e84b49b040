"""A shop that only visitors from its waiting room reach: it checks Queue-Pass first.

Python 3.9 or newer, nothing else. `OnlyWithPass` wraps every WSGI application, so also those of Django and Flask.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time
from wsgiref.simple_server import make_server

# By how many seconds the clocks of the edge and of this machine may differ.
LEEWAY = 5
# A pass has some 300 characters. Nothing longer is looked at.
LONGEST = 1024


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def is_signed_by(key, text, signature):
    digest = hmac.new(key, text.encode(), hashlib.sha256).digest()
    expected = base64.urlsafe_b64encode(digest).rstrip(b"=")
    return hmac.compare_digest(signature.encode(), expected)


def rooms_of(text):
    """The names that are separated by commas or spaces."""
    names = re.split(r"\s*,\s*|\s+", text.strip())
    if not all(re.fullmatch(r"[A-Za-z0-9_-]+", name) for name in names):
        accepted = "names of rooms, separated by commas or spaces, each of letters, digits, - and _"
        sys.exit(f'QUEUE_ROOM is "{text}". Accepted are {accepted}.')
    return names


class OnlyWithPass:
    """Hands on requests with a good pass, and answers 403 to all others."""

    def __init__(self, app, keys, rooms, hosts):
        # Lines of a name, a space and 64 hexadecimal digits.
        pairs = re.findall(r"(\S+)\s+([0-9a-f]{64})(?!\S)", keys)
        self.keys = {name: bytes.fromhex(digits) for name, digits in pairs}
        self.app, self.hosts = app, hosts.split()
        if not (self.keys and rooms and self.hosts):
            sys.exit("Set QUEUE_PASS_KEYS to what `cargo dev secret pass` prints, QUEUE_ROOM and QUEUE_HOSTS.")
        self.rooms = rooms_of(rooms)

    def claims_of(self, queue_pass):
        """What a good pass says, or None."""
        if len(queue_pass) > LONGEST:
            return None
        try:
            header, payload, signature = queue_pass.split(".")
            named = decoded(header)
            if named["alg"] != "HS256" or named["typ"] != "queue-pass+JWT":
                return None
            if not is_signed_by(self.keys[named["kid"]], f"{header}.{payload}", signature):
                return None
            claims = decoded(payload)
            is_current = claims["exp"] + LEEWAY > time.time()
            is_ours = claims["room"] in self.rooms and claims["aud"] in self.hosts
        except (ValueError, KeyError, TypeError, RecursionError):
            return None  # No JSON, or JSON of another shape.
        return claims if is_current and is_ours else None

    def __call__(self, environ, start_response):
        claims = self.claims_of(environ.get("HTTP_QUEUE_PASS", ""))
        if claims is None:
            start_response("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8")])
            return [f"This shop is reached through its waiting room only. Go to https://{self.hosts[0]}/.\n".encode()]
        environ["queue.ticket"] = claims.get("sub")  # For your log.
        return self.app(environ, start_response)


def shop(environ, start_response):
    """Your shop."""
    start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
    return [b"<p>Welcome to the shop.</p>\n"]


if __name__ == "__main__":
    settings = (os.environ.get(name, "") for name in ("QUEUE_PASS_KEYS", "QUEUE_ROOM", "QUEUE_HOSTS"))
    port = int(os.environ.get("PORT", "8080"))
    server = make_server("127.0.0.1", port, OnlyWithPass(shop, *settings))
    print(f"The shop listens on http://127.0.0.1:{port}.", flush=True)
    server.serve_forever()
