// The programs that a README or a page shows, each as a file to compile.

/**
 * A comment `<!-- given ... -->` before a block contains code that the reader already has. Imports after a blank line
 * start another program. A program marked `no-run`, or with a `declare`d value, is type-checked and not run.
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
