/** Maximum number of files that a name in a task may match. Names with more matches are ignored. */
const MAX_MEANT = 3;
const PATH = /[\p{L}\p{N}_@.+-]*[./][\p{L}\p{N}_@./+-]*/gu;

/**
 * Returns the indexes of the files that a task names. A name may be a path, an alias, the end of a
 * path, or a file name, as in a stack trace or `Add types to src/a.ts.`
 */
export function namedFiles(
  task: string,
  files: readonly { alias: string; path: string }[],
): number[] {
  const named = new Set<number>();
  for (const [word] of task.matchAll(PATH)) {
    const wanted = word.replace(/^(?:\.?\/)+|[./]+$/g, "");
    if (!/[^./]\.[^./]|\/|^\./.test(wanted)) continue;
    const exact = files.findIndex(({ alias, path }) => path === wanted || alias === wanted);
    const meant =
      exact >= 0
        ? [exact]
        : files.flatMap(({ path }, at) => (areSameEnd(path, wanted) ? [at] : []));
    if (meant.length <= MAX_MEANT) for (const at of meant) named.add(at);
  }
  return [...named];
}

/**
 * True if one path is the end of the other. A stack trace has full paths from another machine, and
 * people write only the last segments.
 */
function areSameEnd(path: string, wanted: string): boolean {
  return `/${path}`.endsWith(`/${wanted}`) || (path.includes("/") && wanted.endsWith(`/${path}`));
}
