// A verifier of the room's challenged visitors, with Turnstile: node verifier.js. Node 18.17 or newer, nothing else.
//
// The room sends a visitor here with text, to and answer_to. A visitor who passes the test goes back with the text signed.
"use strict";

const { createHmac } = require("node:crypto");
const http = require("node:http");

const { SITE, VERIFIER_KEY, SITE_KEY, SECRET_KEY, PORT = "8080" } = process.env;
// Where the room takes answers: below its admin_path.
const { ANSWER_TO = "/_queue/challenge" } = process.env;
const { SITEVERIFY_URL = "https://challenges.cloudflare.com/turnstile/v0/siteverify" } = process.env;
// hCaptcha and reCAPTCHA speak the same language: take their script, class and field in these three lines.
const SCRIPT = "https://challenges.cloudflare.com/turnstile/v0/api.js";
const WIDGET = "cf-turnstile";
const FIELD = "cf-turnstile-response";
const MOST_BYTES = 20_000;

const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** Whether it is a path of your site. A stranger's link may name any other address. */
const isPath = (to) => /^\/(?![/\\])/.test(to) && URL.canParse(to, SITE) && new URL(to, SITE).origin === new URL(SITE).origin;

/** Whether it is the room's own route: any other page would get the answers that your visitors earn. */
const isRoute = (address) => URL.canParse(address, SITE) && new URL(address, SITE).href === new URL(ANSWER_TO, SITE).href;

/** What the room asks. Nothing is signed but a room's text, and no visitor is sent to another site. */
function askedOf(parameters) {
  const [text, to, answer_to] = ["text", "to", "answer_to"].map((name) => parameters.get(name) ?? "");
  const isText = /^[0-9]{1,12}\.[\w-]{12}$/.test(text);
  return isText && isPath(to) && isRoute(answer_to) ? { text, to, answer_to } : null;
}

/** The test, with what is wrong with the last try. */
function page(asked, trouble) {
  const fields = Object.entries(asked).map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A short check</title>
<script src="${SCRIPT}" async defer></script>
<main><h1>A short check</h1><p role="status">${trouble}</p>
<form method="post">${fields.join("")}<div class="${WIDGET}" data-sitekey="${escaped(SITE_KEY)}"></div><button>Continue</button></form>
<p><a href="${escaped(new URL(asked.to, SITE).href)}">Wait instead</a></p></main></html>`;
}

/** Whether the service says that the visitor has passed. A token is good once. */
async function hasPassed(token) {
  const response = await fetch(SITEVERIFY_URL, {
    method: "POST",
    body: new URLSearchParams({ secret: SECRET_KEY, response: token }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`siteverify answered ${response.status}`);
  const told = await response.json();
  // A wrong SECRET_KEY would otherwise look like visitors who do not pass.
  if (told["error-codes"]?.length) console.error(`The check says: ${told["error-codes"].join(", ")}`);
  return told.success === true;
}

/** Where a visitor goes who has passed. */
function answer({ text, to, answer_to }) {
  const url = new URL(answer_to, SITE);
  const signed = createHmac("sha256", Buffer.from(VERIFIER_KEY, "hex")).update(text).digest("hex");
  url.search = new URLSearchParams({ text, answer: signed, to });
  return url.href;
}

async function bodyOf(request) {
  let body = "";
  for await (const part of request) {
    body += part;
    if (body.length > MOST_BYTES) break;
  }
  return new URLSearchParams(body);
}

async function answered(request) {
  const isPost = request.method === "POST";
  const parameters = isPost ? await bodyOf(request) : new URL(request.url, SITE).searchParams;
  const asked = askedOf(parameters);
  if (!asked) throw new Error("no room asks so");
  if (!isPost) return { status: 200, body: page(asked, "") };
  try {
    if (await hasPassed(parameters.get(FIELD) ?? "")) return { status: 303, location: answer(asked) };
    return { status: 403, body: page(asked, "That did not work. Please try again.") };
  } catch (error) {
    console.error(`The check is away: ${error.message}`);
    return { status: 503, body: page(asked, "The check does not answer. Please try again in a moment, or wait instead.") };
  }
}

if (!SITE || !/^[0-9a-f]{64}$/.test(VERIFIER_KEY ?? "") || !SITE_KEY || !SECRET_KEY) {
  console.error("Set SITE to your site, such as https://shop.example, VERIFIER_KEY to a line of cargo dev secret verifier,");
  console.error("and SITE_KEY and SECRET_KEY to those of the service.");
  process.exit(2);
}
http
  .createServer(async (request, response) => {
    const broken = { status: 400, body: "Please go back to the site." };
    const { status, location, body } = await answered(request).catch(() => broken);
    const headers = { "Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8" };
    response.writeHead(status, location ? { ...headers, Location: location } : headers).end(body);
  })
  .listen(Number(PORT), () => console.log(`Listening on port ${PORT}.`));
