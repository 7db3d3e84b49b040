// A shop that makes an invitation for one visitor, say a buyer whose payment failed. Node 18 or newer, nothing else.
// Start it as `node invite.js BATCH GROUP`; without GROUP the invitation leads straight in.
"use strict";
const { createHmac, randomBytes } = require("node:crypto");

// For how many seconds it is good.
const LIFE = 7 * 24 * 3600;

const { QUEUE_INVITE_KEY = "", QUEUE_ROOM = "main" } = process.env;
if (!/^[0-9a-f]{64}$/.test(QUEUE_INVITE_KEY)) {
  console.error("Set QUEUE_INVITE_KEY to the first line that `cargo dev secret invite` prints.");
  process.exit(1);
}

const encoded = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");

/** The code of an invitation. A claim that is undefined is left out. */
function invitation(batch, group) {
  const header = { alg: "HS256", typ: "queue-invite+jwt" };
  const exp = Math.floor(Date.now() / 1000) + LIFE;
  const claims = { room: QUEUE_ROOM, group, batch, uses: 1, jti: randomBytes(16).toString("hex"), exp };
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${createHmac("sha256", Buffer.from(QUEUE_INVITE_KEY, "hex")).update(text).digest("base64url")}`;
}

const [batch = "shop", group] = process.argv.slice(2);
console.log(invitation(batch, group));
