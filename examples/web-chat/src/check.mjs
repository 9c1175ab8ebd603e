// The chat without a browser: what a page would get, checked and shown.
import assert from "node:assert/strict";

import { openChatServer } from "./chat-server.mjs";
import { budget, createChat } from "./create-chat.mjs";
import { openModel } from "./open-model.mjs";

const { model, source } = await openModel({ CCL_MODEL: "recorded" });
const server = await openChatServer(createChat(model), { source });
const page = await (await fetch(server.url)).text();
assert.match(page, /a recording/);

const questions = [
  "Find out why the checkout is down. Keep answers short.",
  "Is payments affected?",
  "And search?",
  "What did I ask you at first?",
];
let meter;
for (const question of questions) {
  const events = await say(question);
  meter = events.find(({ event }) => event === "meter").data;
  assert.ok(meter.tokens <= budget, "the window is within the budget");
  console.log(
    `> ${question}\n${events
      .filter(({ event }) => event === "text")
      .map(({ data }) => data)
      .join("")}`,
  );
  console.log(bar(meter));
}
// Three logs of 3,000 lines were read; the error of each, and the first question, are still there.
const [prompt] = model.requests.slice(-1);
const shown = JSON.stringify(prompt.messages);
assert.ok(shown.includes("Find out why the checkout is down"), "the task stays");
assert.ok(shown.includes("disk full on /var/lib/search"), "the error of the last log is shown");
assert.equal((await say("One more?")).at(-1).event, "failure");
await server.close();
console.log(
  `${meter.sentTokens} tokens sent in all, where the three logs alone have more than 200,000`,
);

async function say(text) {
  const body = await (await fetch(`${server.url}say`, { method: "POST", body: text })).text();
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
