// The programs that a README or a page shows, each as a file that a compiler takes.

/**
 * What stands in a comment `<!-- given ... -->` before a block is what its reader has already; imports after a blank line begin
 * another program. One that is marked `no-run`, or is given a value by `declare`, is type-checked and not run.
 * @returns {{ text: string, runs: boolean }[]}
 */
export function pagePrograms(markdown) {
  const blocks = /(?:^<!-- given\n((?:(?!-->)[^])*)-->\n+)?^```(?:ts|js)( no-run)?\n([^]*?)^```$/gm;
  return Array.from(markdown.matchAll(blocks)).flatMap(([, given = "", mark, body]) =>
    body.split(/\n\n(?=import )/).map((part) => ({
      text: `${given}${part.trimEnd()}\nexport {};\n`,
      runs: mark === undefined && !/^declare /m.test(given + part),
    })),
  );
}
