/**
 * Maximum number of differing lines, because finding the shortest diff takes quadratic time. Above
 * it, the new text is stored whole.
 */
const maxEditLines = 1_000;

/** The names in a patch's first two lines. */
export interface PatchNames {
  before: string;
  after: string;
}

/**
 * Creates a unified diff that turns `before` exactly into `after`. Returns undefined if they have
 * too little in common.
 */
export async function createTextPatch(
  before: string,
  after: string,
  names: PatchNames,
): Promise<string | undefined> {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import("diff");
  const found = structuredPatch(names.before, names.after, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: maxEditLines,
  });
  if (found === undefined) return undefined;
  const patch = formatPatch(found, FILE_HEADERS_ONLY);
  // The format cannot express everything, such as a lone carriage return at the end of a line, so verify the patch.
  return (await applyTextPatch(before, patch)) === after ? patch : undefined;
}

/** Creates a unified diff that adds a whole file. */
export function createAdditionPatch(text: string, name: string): string {
  const lines = text.split("\n");
  const isEnded = lines.at(-1) === "";
  if (isEnded) lines.pop();
  const head = `--- /dev/null\n+++ ${name}\n`;
  if (lines.length === 0) return head;
  const body = lines.map((line) => `+${line}\n`).join("");
  return `${head}@@ -0,0 +1,${lines.length} @@\n${body}${isEnded ? "" : "\\ No newline at end of file\n"}`;
}

/** Returns the patched text, or undefined if the patch is invalid or does not apply to the text. */
export async function applyTextPatch(before: string, patch: string): Promise<string | undefined> {
  const { applyPatch } = await import("diff");
  try {
    const after = applyPatch(before, patch, { autoConvertLineEndings: false });
    return after === false ? undefined : after;
  } catch {
    return undefined;
  }
}

/** Counts the lines that a patch adds and removes. */
export function countPatchLines(patch: string): { added: number; removed: number } {
  const hunks = /^@@/m.exec(patch);
  const lines = hunks === null ? [] : patch.slice(hunks.index).split("\n");
  const added = lines.filter((line) => line.startsWith("+")).length;
  return { added, removed: lines.filter((line) => line.startsWith("-")).length };
}
