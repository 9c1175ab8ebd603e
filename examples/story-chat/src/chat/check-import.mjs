// Checks the import of a SillyTavern export, and which lines are rejected.
import assert from "node:assert/strict";

import { createOperationStores } from "@ccl/operations";

import { readSillyTavernChat } from "./read-silly-tavern-chat.mjs";

const jsonl = (lines) => lines.map((line) => JSON.stringify(line)).join("\n");
const header = { user_name: "Ann", character_name: "Sea" };
const swiped = { name: "Sea", mes: "Tide.", swipes: ["Ebb.", "Tide"], swipe_id: 1 };
const swipe_info = [
  { send_date: 1, extra: { model: "first" } },
  { send_date: 2, extra: { model: "second" } },
];
const turns = readSillyTavernChat(
  jsonl([
    header,
    { ...swiped, send_date: 3, extra: { model: "shown" }, swipe_info },
    { name: "System", is_system: true, mes: "hidden" },
    { name: "Ann", is_user: true, mes: "I go.", extra: {} },
    { name: "Sea", mes: "Waves.", swipes: [] },
    { name: "Sea", mes: "More waves." },
  ]),
);
const shown = turns.map(({ userVariants, assistantVariants, selectedAssistant }) => [
  userVariants[0].content,
  assistantVariants.map(({ content }) => content),
  selectedAssistant,
]);
assert.deepEqual(shown, [
  ["", ["Ebb.", "Tide."], 1],
  ["I go.", ["Waves."], 0],
  ["", ["More waves."], 0],
]);
assert.deepEqual(
  turns[0].assistantVariants.map(({ meta }) => meta),
  [
    { name: "Sea", sentAt: 1, extra: { model: "first" } },
    { name: "Sea", sentAt: 3, extra: { model: "shown" } },
  ],
);
assert.deepEqual(turns[1].userVariants[0].meta, { name: "Ann" });

// A swipe that is no text leaves the others their own information.
const [broken] = readSillyTavernChat(
  jsonl([
    header,
    {
      name: "Sea",
      mes: "Tide.",
      swipes: [null, "Ebb.", "Tide."],
      swipe_id: 2,
      swipe_info: [{ send_date: 1 }, { send_date: 2 }, { send_date: 3 }],
    },
  ]),
);
assert.deepEqual(
  [
    broken.selectedAssistant,
    ...broken.assistantVariants.map(({ content, meta }) => [content, meta.sentAt]),
  ],
  [1, ["Ebb.", 2], ["Tide.", 3]],
);

const { chat } = createOperationStores();
await chat.importTurns({ chatId: "sea", branchId: "main", turns });
const { history } = await chat.loadTurn({ chatId: "sea", branchId: "main" });
assert.deepEqual(
  history.map(({ content }) => content).filter((content) => content !== ""),
  ["Tide.", "I go.", "Waves."],
  "the prompt of the next turn reads the shown swipes",
);

assert.throws(
  () => readSillyTavernChat(`${jsonl([header, { mes: "Hi." }])}\nnot json\n{"name":"Sea"}`),
  /^Error: Lines 3, 4 are no message of SillyTavern/,
);
assert.throws(() => readSillyTavernChat(""), /no message/);
console.log(`a chat of SillyTavern: ${turns.length} turns, their swipes as variants`);
