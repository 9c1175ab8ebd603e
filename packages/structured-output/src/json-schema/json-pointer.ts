/** Formats a path as a JSON Pointer (RFC 6901). Empty for the root. */
export function formatPointer(path: readonly (string | number)[]): string {
  return path
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** Returns a JSON Pointer's steps as strings. */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
