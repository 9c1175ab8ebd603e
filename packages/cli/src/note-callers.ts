import type { AliasRegistry, Delta } from "@ccl/aliases";

import type { Session } from "./session.ts";

const MAX_FILES = 6;
const MAX_LINES = 3;
const HEAD =
  /^(?:signature changed|export removed): (?:(?:export|default|async|abstract|declare|static|function\*?|const|let|var|class|interface|type|enum|def|fn|func|struct|trait|public|pub(?:\([^)]*\))?) )*([\w$]+)/;
const MEMBER = /: member (?:changed|removed): (?:\w+ )*?([\w$]+)(?=\W|$)/;

/** Adds to each changed signature where other files use the name, by words: files that name the changed file too. */
export async function noteCallers(
  delta: Delta,
  registry: AliasRegistry,
  { signal }: Pick<Session, "signal">,
): Promise<Delta> {
  const wanted = delta.changes.map((change) =>
    change.type === "changed" ? [...new Set(change.notes.flatMap(changedName))] : [],
  );
  if (wanted.every((names) => names.length === 0)) return delta;
  const uses = delta.changes.map(() => new Map<string, string[]>());
  for (const { alias, path } of registry.list()) {
    const content = await registry.resolve(alias, { signal });
    const text = content.ok ? (content.value.text ?? "") : "";
    for (const [at, change] of delta.changes.entries()) {
      if (change.type !== "changed" || change.path === path) continue;
      if (!text.includes(moduleName(change.path))) continue;
      for (const name of wanted[at] ?? []) {
        const lines = linesWith(text, name);
        if (lines.length === 0) continue;
        const known = uses[at]?.get(name) ?? [];
        uses[at]?.set(name, [...known, `${path}:${lines.join(",")}`]);
      }
    }
  }
  const changes = delta.changes.map((change, at) => {
    const notes = [...(uses[at] ?? [])].map(([name, places]) => describeUse(name, places));
    return change.type === "changed" && notes.length > 0
      ? { ...change, notes: [...notes, ...change.notes] }
      : change;
  });
  return { ...delta, changes };
}

function changedName(note: string): string[] {
  const name = HEAD.exec(note)?.[1] ?? MEMBER.exec(note)?.[1];
  return name === undefined ? [] : [name];
}

/** What imports of a file end in: its name without its ending, or its folder's for an index. */
function moduleName(path: string): string {
  const [name = "", folder = ""] = path.split("/").reverse();
  const stem = name.replace(/\..*$/, "");
  return /^(?:index|mod|__init__|lib)$/.test(stem) && folder !== "" ? folder : stem;
}

/** The lines that use a name, those that only import it last. */
function linesWith(text: string, name: string): number[] {
  if (!text.includes(name)) return [];
  const word = new RegExp(String.raw`(?<![\w$])${name.replaceAll("$", String.raw`\$`)}(?![\w$])`);
  const lines = text.split("\n");
  const found = lines.flatMap((line, at) => (word.test(line) ? [at] : []));
  const isImport = (at: number): boolean =>
    /^\s*(?:import|from|use|export .* from)\b/.test(lines[at] ?? "");
  const used = found.filter((at) => !isImport(at));
  return (used.length > 0 ? used : found).slice(0, MAX_LINES).map((at) => at + 1);
}

function describeUse(name: string, places: readonly string[]): string {
  const more = places.length > MAX_FILES ? ` and in ${places.length - MAX_FILES} more files` : "";
  return `${name} is used in ${places.slice(0, MAX_FILES).join(", ")}${more}`;
}
