// A shop that only visitors from its waiting room reach: it checks Queue-Pass first. Node 18 or newer, nothing else.
"use strict";
const { createHmac, timingSafeEqual } = require("node:crypto");
const { createServer } = require("node:http");

// By how many seconds the clocks of the edge and of this machine may differ.
const LEEWAY = 5;
// A pass has some 300 characters. Nothing longer is looked at.
const LONGEST = 1024;

const { QUEUE_PASS_KEYS = "", QUEUE_ROOM = "", QUEUE_HOSTS = "", PORT = "8080" } = process.env;
const hosts = QUEUE_HOSTS.split(/\s+/).filter(Boolean);
const keys = keysOf(QUEUE_PASS_KEYS);
const rooms = roomsOf(QUEUE_ROOM);
if (keys.size === 0 || !QUEUE_ROOM || hosts.length === 0) {
  stop("Set QUEUE_PASS_KEYS to what `cargo dev secret pass` prints, QUEUE_ROOM and QUEUE_HOSTS.");
}
if (!rooms) {
  stop(`QUEUE_ROOM is "${QUEUE_ROOM}". Accepted are names of rooms, separated by commas or spaces, each of letters, digits, - and _.`);
}

function stop(text) {
  console.error(text);
  process.exit(1);
}

/** The keys by their names, from lines of a name, a space and 64 hexadecimal digits. */
function keysOf(text) {
  const pairs = text.matchAll(/(\S+)\s+([0-9a-f]{64})(?!\S)/g);
  return new Map([...pairs].map(([, name, hex]) => [name, Buffer.from(hex, "hex")]));
}

/** The names that are separated by commas or spaces; undefined where one is empty or no name of a room. */
function roomsOf(text) {
  const names = text.trim().split(/\s*,\s*|\s+/);
  return names.every((name) => /^[A-Za-z0-9_-]+$/.test(name)) ? names : undefined;
}

const parsed = (part) => JSON.parse(Buffer.from(part, "base64url").toString());

function isSignedBy(key, text, signature) {
  const expected = Buffer.from(createHmac("sha256", key).update(text).digest("base64url"));
  const found = Buffer.from(signature);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

/** What a good pass says, or undefined. */
function claimsOf(pass) {
  const [header, payload, signature, ...more] = pass.split(".");
  if (pass.length > LONGEST || signature === undefined || more.length > 0) return undefined;
  try {
    const { alg, typ, kid } = parsed(header);
    const key = keys.get(kid);
    if (alg !== "HS256" || typ !== "queue-pass+JWT" || !key) return undefined;
    if (!isSignedBy(key, `${header}.${payload}`, signature)) return undefined;
    const claims = parsed(payload);
    const isCurrent = typeof claims.exp === "number" && claims.exp + LEEWAY > Date.now() / 1000;
    const isOurs = rooms.includes(claims.room) && hosts.includes(claims.aud);
    return isCurrent && isOurs ? claims : undefined;
  } catch {
    return undefined; // No JSON, or JSON of another shape.
  }
}

const server = createServer((request, response) => {
  const claims = claimsOf(request.headers["queue-pass"] ?? "");
  if (!claims) {
    response.statusCode = 403;
    response.setHeader("Content-Type", "text/plain; charset=utf-8");
    response.end(`This shop is reached through its waiting room only. Go to https://${hosts[0]}/.\n`);
    return;
  }
  // Your shop begins here. claims.sub is the ticket's id, for your log.
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end("<p>Welcome to the shop.</p>\n");
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`The shop listens on http://127.0.0.1:${PORT}.`));
