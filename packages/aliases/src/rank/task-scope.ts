/** `router: ...`, `fix(router): ...`, `core, cli: ...`: the part of the project that a task begins with. */
const SCOPE = /^(?:[\w-]+\(([^)]{1,60})\)!?|([\w@/-]+(?:, ?[\w@/-]+){0,3})!?):\s/;
/** What a file outside the named part keeps of its score. */
const OUTSIDE_WEIGHT = 0.4;

/** By path, 1 for a file in a folder, or of a name, that the task begins with; 1 for all where there is none. */
export function scopeWeights(paths: readonly string[], task: string): number[] {
  const [, inParentheses, before = ""] = SCOPE.exec(task) ?? [];
  const names = new Set((inParentheses ?? before).split(/[,\s/]+/).map(fold));
  names.delete("");
  const isInside = paths.map((path) =>
    path.split("/").some((segment) => names.has(fold(segment.replace(/(?<=.)\..*$/, "")))),
  );
  const weight = isInside.includes(true) ? OUTSIDE_WEIGHT : 1;
  return isInside.map((inside) => (inside ? 1 : weight));
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
