import { describe, expect, it } from "vitest";

import { commandsOutsideBlocks, withInstallBlocks } from "./install-blocks.mjs";

const block = (...lines) =>
  `<!-- install: begin -->\n\n\`\`\`sh\n${lines.join("\n")}\n\`\`\`\n\n<!-- install: end -->\n`;
const page = `# A\n\n${block("npm init -y", "npm install @ccl/a pg # both", "npm install pg")}\nThen\n\n${block("npx @ccl/cli pack", "npm create ccl chat my-chat")}`;

describe("withInstallBlocks", () => {
  it("says once that the packages come from a clone, and leaves commands that npm can run", () => {
    expect(withInstallBlocks(page, { isPublished: false })).toMatchInlineSnapshot(`
      "# A

      <!-- install: begin -->

      The packages are not on npm yet. [Clone the repository](https://github.com/ccl-dev/ccl) next to your project as \`../ccl\`, and run in your project:

      \`\`\`sh
      npm init -y
      npx -y pnpm@10 --dir=../ccl add-to . @ccl/a pg # both
      npm install pg
      \`\`\`

      <!-- install: end -->

      Then

      <!-- install: begin -->

      \`\`\`sh
      npx -y pnpm@10 --dir=../ccl ccl pack
      npx -y pnpm@10 --dir=../ccl create-ccl chat my-chat
      \`\`\`

      <!-- install: end -->
      "
    `);
  });

  it("restores the page for npm, and is idempotent", () => {
    const unpublished = withInstallBlocks(page, { isPublished: false });
    expect(withInstallBlocks(unpublished, { isPublished: true })).toBe(page);
    expect(withInstallBlocks(unpublished, { isPublished: false })).toBe(unpublished);
    expect(withInstallBlocks(page, { isPublished: true })).toBe(page);
  });
});

it("says once how to run a program if a page has one", () => {
  const withProgram = `${page}\n\`\`\`ts\nawait 1;\n\`\`\`\n`;
  for (const isPublished of [true, false]) {
    const shown = withInstallBlocks(withProgram, { isPublished });
    expect(shown.split("npx -y tsx main.mts")).toHaveLength(2);
    expect(withInstallBlocks(shown, { isPublished })).toBe(shown);
  }
});

describe("commandsOutsideBlocks", () => {
  it("finds only npm installations outside the blocks", () => {
    expect(commandsOutsideBlocks(page)).toEqual([]);
    expect(commandsOutsideBlocks(`${page}\n\`\`\`sh\nnpm install pg @ccl/sql\n\`\`\`\n`)).toEqual([
      "npm install pg @ccl/sql",
    ]);
  });
});
