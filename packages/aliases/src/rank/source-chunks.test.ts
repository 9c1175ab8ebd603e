import { expect, it } from "vitest";

import { splitIntoChunks } from "./source-chunks.ts";

it("shows the head of a block, whose brace stands on a line of its own, above its parts", () => {
  const method = (name: string): string[] => [
    `  void ${name}()`,
    "  {",
    ...Array.from({ length: 40 }, (_, at) => `    step(${at});`),
    "  }",
    "",
  ];
  const lines = ["class Tape", "{", ...["rewind", "play"].flatMap(method), "}"];
  const chunks = splitIntoChunks(lines);
  expect(chunks.map(({ firstLine }) => lines[firstLine - 1]?.trim())).not.toContain("{");
  expect(chunks.at(-1)?.enclosing.map((line) => lines[line - 1])).toEqual([
    "class Tape",
    "  void play()",
  ]);
});
