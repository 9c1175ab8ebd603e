/** The part of the project that a task begins with: `router: ...`, `fix(router): ...`, `core, cli: ...`. */
const SCOPE = /^(?:[\w-]+\(([^)]{1,60})\)!?|([\w@/-]+(?:, ?[\w@/-]+){0,3})!?):\s/;

/**
 * By path, whether one of its segments is the part that the task begins with. Undefined if the task names no part of
 * the project.
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
