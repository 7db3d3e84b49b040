"""Visitors for a rehearsal, with Locust 2.47: they wait in line as browsers do, and look around once they are in.

    locust -f locustfile.py --headless --users 500 --spawn-rate 20 --run-time 15m --host https://staging.shop.example

Each visitor keeps the cookies and asks again when the room says so. Requests go to the host of --host and nowhere else:
redirects are not followed. Rehearse with a service and a store of your own, not with the ones that sell.
"""

import random
import sys

from locust import HttpUser, events, task
from locust.exception import StopUser

# What a visitor looks at, how long each page holds them in seconds, and after how many pages they leave.
PAGES = ["/"]
READING = (5, 20)
PAGES_A_VISIT = 10
# How many seconds to wait where the answer names none.
WITHOUT_WORD = 15


@events.init.add_listener
def needs_a_host(environment, **_):
    if not environment.host:
        sys.exit("Name the host of the rehearsal: --host https://staging.shop.example")


class Visitor(HttpUser):
    def on_start(self):
        self.pause = 0
        self.pages = 0

    def wait_time(self):
        return self.pause

    @task
    def ask(self):
        page = random.choice(PAGES)
        headers = {"Accept": "application/json"}
        with self.client.get(page, headers=headers, allow_redirects=False, catch_response=True) as response:
            place = waiting(response)
            if place is not None:
                response.request_meta["name"] = "waiting" if place["position"] else "first contact"
                response.success()
                self.pause = place["refresh_seconds"]
            elif 200 <= response.status_code < 400:
                response.request_meta["name"] = f"inside {page}"
                response.success()
                self.look_around()
            else:
                response.request_meta["name"] = f"trouble {page}"
                self.pause = WITHOUT_WORD

    def look_around(self):
        self.pages += 1
        if self.pages >= PAGES_A_VISIT:
            raise StopUser()
        self.pause = random.uniform(*READING)


def waiting(response):
    """What the room says, or None when the answer is not the room's."""
    try:
        said = response.json()
    except ValueError:
        return None
    is_the_rooms = isinstance(said, dict) and said.get("waiting") is True and "refresh_seconds" in said
    return said if is_the_rooms else None
