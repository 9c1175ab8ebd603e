// How pages say where packages and commands come from: npm, or a clone until the packages are on npm. The text is
// between `<!-- install: begin -->` and `<!-- install: end -->`, and both forms say the same.

const fromClone = "npx -y pnpm@10 --dir=../ccl";
const notice =
  "The packages are not on npm yet. [Clone the repository](https://github.com/ccl-dev/ccl) next to your project as `../ccl`, and run in your project:";
// A folder that npm created is CommonJS, where a `.ts` program with top-level await does not run.
const howToRun =
  "To run a program from this page, save it as `main.mts` and run `npx -y tsx main.mts`. From Node 22.18 on, `node main.mts` also works.";
const words = "(?:(?!```|<!--)[^])*";
const blocks = new RegExp(
  `^(<!-- install: begin -->\\n)${words}(\`\`\`sh(?: no-run)?\\n[^\`]*^\`\`\`$)${words}^(<!-- install: end -->)$`,
  "gm",
);

/** A page with its blocks for npm's users, or for users of a clone, with one explanation at the first block. */
export function withInstallBlocks(markdown, { isPublished }) {
  let isFirst = true;
  const hasPrograms = /^```ts$/m.test(markdown);
  return markdown.replaceAll(blocks, (_, begin, block, end) => {
    const text = isPublished ? publishedForm(block) : cloneForm(publishedForm(block));
    const before = isFirst && !isPublished ? `${notice}\n\n` : "";
    const after = isFirst && hasPrograms ? `\n\n${howToRun}` : "";
    isFirst = false;
    return `${begin}\n${before}${text}${after}\n\n${end}`;
  });
}

/** Commands outside the blocks that need the packages on npm. */
export function commandsOutsideBlocks(markdown) {
  const rest = markdown.replaceAll(blocks, "");
  return Array.from(rest.matchAll(/^npm (?:install .*@ccl\/|create ccl ).*$/gm), ([line]) => line);
}

function publishedForm(block) {
  return block
    .replaceAll(`${fromClone} add-to . `, "npm install ")
    .replaceAll(`${fromClone} create-ccl `, "npm create ccl ")
    .replaceAll(`${fromClone} ccl `, "npx @ccl/cli ");
}

function cloneForm(block) {
  return block
    .replaceAll(/^npm install (?=[^#\n]*@ccl\/)/gm, `${fromClone} add-to . `)
    .replaceAll("npm create ccl ", `${fromClone} create-ccl `)
    .replaceAll("npx @ccl/cli ", `${fromClone} ccl `)
    .replaceAll(/ {2,}#/g, " #");
}
