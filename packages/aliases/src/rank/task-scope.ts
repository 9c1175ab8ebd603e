/** `router: ...`, `fix(router): ...`, `core, cli: ...`: the part of the project that a task begins with. */
const SCOPE = /^(?:[\w-]+\(([^)]{1,60})\)!?|([\w@/-]+(?:, ?[\w@/-]+){0,3})!?):\s/;

/** By path, true in a folder, or of a name, that the task begins with; undefined where it names no part of the project. */
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
