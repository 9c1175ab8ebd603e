// How pages say that packages are installed and commands run: from npm, or from a clone as long as npm does not have them.
// The text stands between `<!-- install: begin -->` and `<!-- install: end -->`, and both forms of it say the same.

const fromClone = "npx -y pnpm@10 --dir=../ccl";
const notice =
  "Not on npm yet. In your project, with a [clone](https://github.com/ccl-dev/ccl) of the repository beside it as `../ccl`:";
const blocks =
  /^(<!-- install: begin -->\n)(?:(?!```|<!--)[^])*(```sh(?: no-run)?\n[^`]*^```$)\s*^(<!-- install: end -->)$/gm;

/** A page with its blocks as npm's users read them, or as those of a clone do, who are told so once. */
export function withInstallBlocks(markdown, { isPublished }) {
  let isTold = isPublished;
  return markdown.replaceAll(blocks, (_, begin, block, end) => {
    const text = isPublished ? publishedForm(block) : cloneForm(publishedForm(block));
    const before = isTold ? "" : `${notice}\n\n`;
    isTold = true;
    return `${begin}\n${before}${text}\n\n${end}`;
  });
}

/** Commands of a page outside its blocks that npm answers only once it has the packages. */
export function commandsOutsideBlocks(markdown) {
  const rest = markdown.replaceAll(blocks, "");
  return Array.from(rest.matchAll(/^npm install .*@ccl\/.*$/gm), ([line]) => line);
}

function publishedForm(block) {
  return block
    .replaceAll(`${fromClone} add-to . `, "npm install ")
    .replaceAll(`${fromClone} ccl `, "npx @ccl/cli ");
}

function cloneForm(block) {
  return block
    .replaceAll(/^npm install (?=[^#\n]*@ccl\/)/gm, `${fromClone} add-to . `)
    .replaceAll("npx @ccl/cli ", `${fromClone} ccl `)
    .replaceAll(/ {2,}#/g, " #");
}
