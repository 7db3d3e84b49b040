"""Loads lines of the decision log into a SQLite database: python3 load.py queue.db LOG...

Python 3.10 or newer, nothing else. `-` reads standard input. Then: sqlite3 -box queue.db < queries.sql
"""

import fileinput
import json
import sqlite3
import sys

# The lines as they came, and the fields that the queries look at. A line about no request has none of the later ones.
SCHEMA = """
CREATE TABLE IF NOT EXISTS line (json TEXT NOT NULL);
CREATE VIEW IF NOT EXISTS decision AS SELECT
  json_extract(json, '$.timestamp') / 1000 AS at,
  json_extract(json, '$.reason') AS reason,
  json_extract(json, '$.ticketReference') AS ticket,
  json_extract(json, '$.visitorPosition') AS position,
  json_extract(json, '$.queueCursor') AS cursor,
  coalesce(json_extract(json, '$.sample'), 1) AS requests,
  json_extract(json, '$.storeError') AS store_error,
  json_extract(json, '$.originAnswer') AS origin_answer,
  json_extract(json, '$.operator') AS operator,
  json_extract(json, '$.action') AS action,
  json_extract(json, '$.release.released') AS released
FROM line;
"""


def lines(names):
    """The JSON of each line; some services put a date or a name in front of it."""
    for line in fileinput.input(names, encoding="utf-8", errors="replace"):
        text = line[max(line.find("{"), 0):].strip()
        try:
            is_ours = "reason" in json.loads(text)
        except (ValueError, TypeError):
            is_ours = False
        if is_ours:
            yield (text,)
        else:
            print(f"Left out, not a line of the log: {line.strip()[:80]}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("Usage: python3 load.py queue.db LOG...")
    with sqlite3.connect(sys.argv[1]) as database:
        database.executescript(SCHEMA)
        database.executemany("INSERT INTO line VALUES (?)", lines(sys.argv[2:]))
        (count,) = database.execute("SELECT count(*) FROM line").fetchone()
    print(f"{count} lines are in {sys.argv[1]}.")
