/** A path that a task spells like this may mean that many files; a name that more have means none of them. */
const MAX_MEANT = 3;
const PATH = /[\p{L}\p{N}_@.+-]*[./][\p{L}\p{N}_@./+-]*/gu;

/**
 * Positions of the files that a task names: by path or alias, by the end of a path, or by a name with its extension, as in a stack
 * trace or `Add types to src/a.ts.`
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

/** True where one is the end of the other: a trace has whole paths of another machine, a person the last segments. */
function areSameEnd(path: string, wanted: string): boolean {
  return `/${path}`.endsWith(`/${wanted}`) || (path.includes("/") && wanted.endsWith(`/${path}`));
}

/** What is spelled as code spells names: in backticks, in camel or snake case. */
const CODE_NAME = /(?<=`)\w{3,}|\b\w*(?:[a-z\d][A-Z]|[A-Z]{2}[a-z]|\w_\w)\w*\b/g;

/** By file, how far it is meant by the names of code in a task: one that only it declares, or that it is called, is 1. */
export function namesMeant(
  task: string,
  files: readonly { path: string; declarations: string }[],
): number[] {
  const meant = files.map(() => 0);
  for (const name of new Set(task.match(CODE_NAME))) {
    const having = files.flatMap(({ path, declarations }, at) =>
      ` ${declarations} `.includes(` ${name} `) || `/${path}`.includes(`/${name}.`) ? [at] : [],
    );
    for (const at of having) meant[at] = Math.max(meant[at] ?? 0, 1 / having.length);
  }
  return meant;
}
