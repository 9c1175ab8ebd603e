import {
  type AliasRegistry,
  computeDelta,
  createContextFiles,
  type Delta,
  takeSnapshot,
} from "@ccl/aliases";

import { requireBase } from "./build-project-pack.ts";
import { nameNewFiles } from "./project.ts";
import type { Session } from "./session.ts";

/** What changed since the accepted base, with the callers of signatures that changed. New files get names. */
export async function changesSinceBase(
  session: Session,
  registry: AliasRegistry,
): Promise<{ delta: Delta; unnamed: number }> {
  const { signal } = session;
  const { unnamed } = await nameNewFiles(session, registry);
  const { snapshot: base } = requireBase(await createContextFiles(registry).readBase(session));
  const next = await takeSnapshot({ registry, signal });
  const delta = await computeDelta(base, next, session);
  return { delta: await describeCallers(delta, registry, session), unnamed };
}

const MAX_FILES = 6;
const MAX_LINES = 3;
const HEAD =
  /^(?:signature changed|export removed): (?:(?:export|default|async|abstract|declare|static|function\*?|const|let|var|class|interface|type|enum|def|fn|func|struct|trait|public|pub(?:\([^)]*\))?) )*([\w$]+)/;
const MEMBER = /: member (?:changed|removed): (?:\w+ )*?([\w$]+)(?=\W|$)/;

/** Where other files use a name, such as `src/main.ts:3,9`. */
type Uses = Map<string, string[]>;

/** Adds to each changed signature where importing files use its name. Matches words, not scopes. */
async function describeCallers(
  delta: Delta,
  registry: AliasRegistry,
  { signal }: Pick<Session, "signal">,
): Promise<Delta> {
  const wanted = delta.changes.flatMap((change) => {
    if (change.type !== "changed") return [];
    const names = new Set(change.notes.flatMap(changedName));
    return names.size === 0 ? [] : [{ change, names, uses: new Map<string, string[]>() }];
  });
  if (wanted.length === 0) return delta;
  for (const { alias, path } of registry.list()) {
    const content = await registry.resolve(alias, { signal });
    if (!content.ok || content.value.text === undefined) continue;
    const { text } = content.value;
    for (const { change, names, uses } of wanted)
      if (change.path !== path && imports(text, moduleName(change.path)))
        addUses({ path, text, names }, uses);
  }
  const changes = delta.changes.map((change) => {
    const known = wanted.find((one) => one.change === change);
    if (known === undefined) return change;
    return { ...known.change, notes: [...[...known.uses].map(describeUse), ...known.change.notes] };
  });
  return { ...delta, changes };
}

function changedName(line: string): string[] {
  const name = HEAD.exec(line)?.[1] ?? MEMBER.exec(line)?.[1];
  return name === undefined ? [] : [name];
}

function addUses(file: { path: string; text: string; names: Iterable<string> }, uses: Uses): void {
  for (const name of file.names) {
    const lines = linesWith(file.text, name);
    if (lines.length === 0) continue;
    uses.set(name, [...(uses.get(name) ?? []), `${file.path}:${lines.join(",")}`]);
  }
}

/** The last part of an import of a file: its name without the extension, or the folder's name for an index file. */
function moduleName(path: string): string {
  const [name = "", folder = ""] = path.split("/").reverse();
  const stem = name.replace(/\..*$/, "");
  return /^(?:index|mod|__init__|lib)$/.test(stem) && folder !== "" ? folder : stem;
}

/** True if a line imports something of that name. Matches words only. */
function imports(text: string, module: string): boolean {
  if (!text.includes(module)) return false;
  const isNamed = wordPattern(module);
  return text
    .split("\n")
    .some((line) => /\b(?:import|from|use|require|include|mod)\b/.test(line) && isNamed.test(line));
}

function wordPattern(word: string): RegExp {
  return new RegExp(
    String.raw`(?<![\w$])${word.replace(/[$.*+?()[\]{}|^]/g, String.raw`\$&`)}(?![\w$])`,
  );
}

/** The lines that use a name. Lines that only import it come last. */
function linesWith(text: string, name: string): number[] {
  if (!text.includes(name)) return [];
  const word = wordPattern(name);
  const lines = text.split("\n");
  const found = lines.flatMap((line, at) => (word.test(line) ? [at] : []));
  const isImport = (at: number): boolean =>
    /^\s*(?:import|from|use|export .* from)\b/.test(lines[at] ?? "");
  const used = found.filter((at) => !isImport(at));
  return (used.length > 0 ? used : found).slice(0, MAX_LINES).map((at) => at + 1);
}

function describeUse([name, places]: [string, string[]]): string {
  const more = places.length > MAX_FILES ? ` and in ${places.length - MAX_FILES} more files` : "";
  return `${name} is used in ${places.slice(0, MAX_FILES).join(", ")}${more}`;
}
