// The chat without a browser: checks and prints what a page would receive.
import assert from "node:assert/strict";

import { openChatServer } from "./chat-server.mjs";
import { budget } from "./create-chat.mjs";
import { tellStory } from "./story.mjs";

// Three logs of 3,000 lines were read. The error of each, and the first question, are still in the window.
const shown = JSON.stringify((await tellStory(() => undefined)).messages);
assert.ok(shown.includes("Find out why the checkout is down"), "the task stays");
assert.ok(shown.includes("disk full on /var/lib/search"), "the error of the last log is shown");

const server = await openChatServer({ source: "a <test>" });
const page = await (await fetch(server.url)).text();
assert.match(page, /Model: a &lt;test>/);

const events = await eventsOf(await fetch(`${server.url}story`));
let meter;
for (const { event, data } of events) {
  if (event === "you") process.stdout.write(`> ${data}\n`);
  if (event === "text") process.stdout.write(data);
  if (event !== "meter") continue;
  meter = data;
  assert.ok(meter.tokens <= budget, "the window is within the budget");
  process.stdout.write(`\n${bar(meter)}\n`);
}
assert.equal(events.filter(({ event }) => event === "meter").length, 4);
assert.ok(meter.wholeTokens > 200_000, "the logs alone would fill many windows");

const [refusal] = await eventsOf(
  await fetch(`${server.url}say`, { method: "POST", body: "And now?" }),
);
assert.deepEqual(refusal, { event: "failure", data: "Model: a <test>" });
await server.close();
console.log(
  `${meter.sentTokens} tokens sent in ${meter.allCalls} calls; the last one alone would have had ${meter.wholeTokens} without a budget`,
);

async function eventsOf(response) {
  const body = await response.text();
  return Array.from(body.matchAll(/event: (\w+)\ndata: (.*)\n/g), ([, event, data]) => ({
    event,
    data: JSON.parse(data),
  }));
}

function bar({ tokens, cached, shortened, dropped }) {
  const cells = (count) => Math.round((count / budget) * 40);
  const [old, all] = [cells(cached), cells(tokens)];
  const filled = `${"█".repeat(old)}${"▓".repeat(all - old)}${"░".repeat(40 - all)}`;
  return `  ${filled} ${tokens} of ${budget} tokens, ${cached} cached, ${shortened} shortened, ${dropped} dropped`;
}
