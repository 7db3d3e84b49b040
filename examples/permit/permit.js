// Lets visitors in from your backend: node permit.js AMOUNT KEY. Node 18 or newer, nothing else.
//
// KEY names the event in your system, such as order-4711. The same KEY again within a day lets no more visitors in, so
// a call may be repeated after any fault.
"use strict";

const ATTEMPTS = 5;
const { QUEUE_URL, PERMIT_TOKEN } = process.env;

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function call(amount, key) {
  return fetch(`${QUEUE_URL}/permit`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${PERMIT_TOKEN}`,
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    },
    body: JSON.stringify({ amt: amount }),
    redirect: "error",
    signal: AbortSignal.timeout(10_000),
  });
}

/** What was released, such as {"cursor":8,"length":20,"waiting":12,"released":3,"credit":0,"dropped":0}. */
async function permit(amount, key) {
  for (let attempt = 1; ; attempt++) {
    const response = await call(amount, key).catch((error) => error);
    const mayPass = !(response instanceof Response) || response.status === 429 || response.status >= 500;
    if (!mayPass || attempt === ATTEMPTS) {
      if (response instanceof Response && response.ok) return response.json();
      throw new Error(response instanceof Response ? await response.text() : response.message);
    }
    await sleep(2 ** (attempt - 1));
  }
}

const [amount, key] = process.argv.slice(2);
if (!key || !QUEUE_URL || !PERMIT_TOKEN) {
  console.error("Usage: node permit.js AMOUNT KEY");
  console.error("Set QUEUE_URL to the operators' path of your site, such as https://shop.example/_queue, and PERMIT_TOKEN.");
  process.exit(2);
}
permit(Number(amount), key).then(
  (answer) => console.log(JSON.stringify(answer)),
  (error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
