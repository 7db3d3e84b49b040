-- Five questions to the decision log. load.py makes the view `decision`.

-- Minute by minute: how many visitors came, were released and went in, and how many polls there were.
WITH first AS (SELECT ticket, min(at) AS at FROM decision WHERE ticket IS NOT NULL GROUP BY ticket),
     event AS (
  SELECT at, 1 AS came, 0 AS released, 0 AS went_in, 0 AS polls FROM first
  UNION ALL SELECT at, 0, released, 0, 0 FROM decision WHERE reason = 'released'
  UNION ALL SELECT at, 0, 0, 1, 0 FROM decision WHERE reason = 'admitted'
  UNION ALL SELECT at, 0, 0, 0, requests FROM decision WHERE reason = 'waiting')
SELECT datetime(at / 60 * 60, 'unixepoch') AS minute,
       sum(came) AS came, sum(released) AS released, sum(went_in) AS went_in, sum(polls) AS polls
FROM event GROUP BY at / 60 ORDER BY at / 60;

-- How long did visitors wait, from their first request until they went in? In seconds.
WITH visit AS (
  SELECT min(CASE WHEN reason = 'admitted' THEN at END) - min(at) AS seconds
  FROM decision WHERE ticket IS NOT NULL GROUP BY ticket HAVING sum(reason = 'admitted') > 0),
     ranked AS (SELECT seconds, percent_rank() OVER (ORDER BY seconds) AS share FROM visit)
SELECT count(*) AS visitors,
       max(CASE WHEN share <= 0.5 THEN seconds END) AS half_waited_at_most,
       max(CASE WHEN share <= 0.9 THEN seconds END) AS nine_of_ten,
       max(seconds) AS longest
FROM ranked;

-- Which visitors were called and did not come? Each had a number that the cursor has passed.
WITH line AS (SELECT max(cursor) AS cursor FROM decision),
     visit AS (
  SELECT ticket, max(position) AS position, max(at) AS last_seen, sum(reason = 'admitted') AS went_in
  FROM decision WHERE ticket IS NOT NULL GROUP BY ticket)
SELECT ticket, position, datetime(last_seen, 'unixepoch') AS last_seen
FROM visit, line WHERE went_in = 0 AND position <= line.cursor ORDER BY position;

-- What went wrong, when, and how often?
SELECT datetime(min(at), 'unixepoch') AS first, datetime(max(at), 'unixepoch') AS last, reason,
       coalesce(store_error, 'origin ' || origin_answer) AS trouble, count(*) AS lines
FROM decision WHERE trouble IS NOT NULL OR reason IN ('held', 'origin_sick', 'unsound_configuration', 'unsound_secret')
GROUP BY reason, trouble ORDER BY lines DESC;

-- What did operators and programs change?
SELECT datetime(at, 'unixepoch') AS at, operator, action FROM decision WHERE action IS NOT NULL ORDER BY decision.at;
