/** Matches the part of the project at the start of a task: `router: ...`, `fix(router): ...`, `core, cli: ...`. */
const SCOPE = /^(?:[\w-]+\(([^)]{1,60})\)!?|([\w@/-]+(?:, ?[\w@/-]+){0,3})!?):\s/;

/**
 * Returns whether each path has a segment equal to the part of the project that the task names.
 * Returns undefined if none has.
 */
export function inNamedPart(paths: readonly string[], task: string): boolean[] | undefined {
  const [, inParentheses, before = ""] = SCOPE.exec(task) ?? [];
  const names = new Set((inParentheses ?? before).split(/[,\s/]+/).map(fold));
  names.delete("");
  const isInside = paths.map((path) =>
    path.split("/").some((segment) => names.has(fold(segment.replace(/(?<=.)\..*$/, "")))),
  );
  return isInside.includes(true) ? isInside : undefined;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
