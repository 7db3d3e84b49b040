"""An app that waits in the room and then goes in: python3 app.py https://shop.example/

Python 3.9 or newer, nothing else. It asks for JSON, keeps its ticket, and asks again when the room says so.
"""

import http.cookiejar
import json
import random
import sys
import time
import urllib.error
import urllib.request

# How many seconds to wait where the answer names none: the network is away, or something in between answered.
WITHOUT_WORD = 15


class App:
    def __init__(self):
        # The ticket is in a cookie. Keep it as you keep a login: without it, the place in the line is lost.
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def ask(self, url):
        """The status, the headers and the body; a status of None where no answer came."""
        request = urllib.request.Request(url, headers={"Accept": "application/json"})
        try:
            with self.opener.open(request, timeout=30) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()
        except OSError:
            return None, {}, b""

    def wait(self, url):
        """Waits until the shop answers, and returns its status and its body."""
        while True:
            status, headers, body = self.ask(url)
            place = waiting(headers, body)
            if place is not None:
                show(place)
                seconds = place["refresh_seconds"]
            elif status is None or status in (429, 502, 503, 504):
                retry_after = headers.get("Retry-After", "")
                seconds = int(retry_after) if retry_after.isdigit() else WITHOUT_WORD
            else:
                return status, body
            # Apps that began together do not ask together.
            time.sleep(seconds * random.uniform(1, 1.2))


def waiting(headers, body):
    """What the room says, or None when the answer is not the room's."""
    if headers.get("Content-Type", "").partition(";")[0] != "application/json":
        return None
    try:
        said = json.loads(body)
    except ValueError:
        return None
    is_the_rooms = isinstance(said, dict) and said.get("waiting") is True and "refresh_seconds" in said
    return said if is_the_rooms else None


def show(place):
    if place["position"] is None:
        print("You will get a number in a moment.", flush=True)
        return
    seconds = place["estimated_wait_seconds"]
    estimate = "" if seconds is None else f" That is about {-(-seconds // 60)} min."
    print(f"Your number is {place['position']}. Ahead of you: {place['ahead']}.{estimate}", flush=True)
    if place["message"]:
        print(place["message"], flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: python3 app.py URL")
    status, body = App().wait(sys.argv[1])
    print(f"The shop answered {status}: {body.decode(errors='replace').strip()}")
