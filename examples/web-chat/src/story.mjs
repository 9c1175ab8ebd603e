// A recorded conversation, told by the same code as a new one. The page opens with it, and it runs without a key.
import { createScriptedModel } from "@ccl/core/testing";

import { createChat } from "./create-chat.mjs";

const reads = (service) => ({
  toolCalls: [{ id: service, name: "read_log", arguments: JSON.stringify({ service }) }],
  finishReason: "tool_calls",
});
const turns = [
  {
    words: "Find out why the checkout is down. Keep answers short.",
    answers: [
      reads("checkout"),
      "Checkout failed at 08:29:04: the disk of /var/lib/checkout is full. Free space there first.",
    ],
  },
  {
    words: "Is payments affected?",
    answers: [
      reads("payments"),
      "Payments has the same error at the same second, on its own disk, /var/lib/payments.",
    ],
  },
  {
    words: "And search?",
    answers: [
      reads("search"),
      "Search too. Three services at once: look at what fills the disks, such as the log rotation.",
    ],
  },
  {
    words: "What did I ask you at first?",
    answers: ["You asked me to find out why the checkout is down and to keep answers short."],
  },
];

/** Tells the story once. `onEvent` gets the texts, answers and windows, as a page does. Returns what was sent last. */
export async function tellStory(onEvent) {
  const model = createScriptedModel(turns.flatMap(({ answers }) => answers));
  const chat = createChat(model);
  for (const { words } of turns) {
    onEvent("you", words);
    onEvent("meter", await chat.say(words, (piece) => onEvent("text", piece)));
  }
  return model.requests.at(-1);
}
