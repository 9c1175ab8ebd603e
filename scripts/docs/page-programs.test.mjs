import { expect, it } from "vitest";

import { pagePrograms } from "./page-programs.mjs";

it("finds each program with its given code, and which of them run", () => {
  const page = [
    "```ts\nlet a = 1;\n```",
    "<!-- given\ndeclare const b: number;\n-->\n\n```ts\nconsole.log(b);\n```",
    '```ts no-run\nimport "x";\nx();\n\nimport "y";\n```',
    "```js [file.mjs]\nno program of a page\n```",
  ].join("\n\n");
  expect(pagePrograms(page)).toEqual([
    { text: "let a = 1;\nexport {};\n", runs: true },
    { text: "declare const b: number;\nconsole.log(b);\nexport {};\n", runs: false },
    { text: 'import "x";\nx();\nexport {};\n', runs: false },
    { text: 'import "y";\nexport {};\n', runs: false },
  ]);
});
