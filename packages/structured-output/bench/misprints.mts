// Counts how many misprinted values are read correctly: of each kind 200 with this misprint alone, and 200 with another
// one beside it. "--wrong" shows those that are read wrongly.
// npx -y tsx --conditions=@ccl/source packages/structured-output/bench/misprints.mts
import { isDeepStrictEqual } from "node:util";

import { jsonrepair } from "jsonrepair";

import { extractJson } from "../src/extract/extract-json.ts";
import { answerValue, MISPRINTS, misprint } from "../test-support/misprint.ts";

const kinds = Object.keys(MISPRINTS);
const ANSWERS = 200;

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

const samples = kinds.flatMap((kind, index) =>
  [false, true].flatMap((hasOther) => {
    const random = createRandom(index + (hasOther ? 100 : 1));
    return Array.from({ length: ANSWERS }, () => {
      const value = answerValue(random);
      const other = kinds[Math.floor(random() * kinds.length)] ?? kind;
      return { value, text: misprint(value, hasOther ? [kind, other] : [kind], random), hasOther };
    });
  }),
);

const readers: Record<string, (text: string) => unknown> = {
  "@ccl/structured-output"(text) {
    const result = extractJson(text);
    if (!result.ok) throw new Error(result.issues[0]?.message);
    return result.value.value;
  },
  jsonrepair: (text) => JSON.parse(jsonrepair(text)),
};

for (const [name, read] of Object.entries(readers)) {
  const counts = { right: 0, wrong: 0, refused: 0, "wrong with one misprint": 0 };
  for (const { value, text, hasOther } of samples) {
    let outcome: "right" | "wrong" | "refused" = "refused";
    try {
      outcome = isDeepStrictEqual(read(text), value) ? "right" : "wrong";
    } catch {
      // Refused.
    }
    counts[outcome] += 1;
    if (outcome !== "wrong") continue;
    if (!hasOther) counts["wrong with one misprint"] += 1;
    if (process.argv.includes("--wrong") && name.startsWith("@ccl"))
      console.log(`${JSON.stringify(value)}\n${text}\n${JSON.stringify(read(text))}\n`);
  }
  console.log(name, `${samples.length} values of ${kinds.length} kinds:`, counts);
}
