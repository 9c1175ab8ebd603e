import { compareCodeUnits } from "@ccl/core";
import { hash } from "node:crypto";

import { aliasKey, MAX_NAME_LENGTH } from "./alias-name.ts";
import { transliterate } from "./transliterate.ts";

/** A file that needs an alias. */
export interface UnnamedFile {
  /** Uses forward slashes. Unique among the files. */
  path: string;
  prefix: string;
}

/**
 * Names each file by its prefix and the shortest unique ending of its path: the stem, then the stem
 * with its folder, and so on (`H.pack`, `H.src.pack`). `index`, `mod` and `__init__` are named
 * after their folder. Files with the same folder and stem are distinguished by extension
 * (`H.list-h`), and then by a hash of the path.
 * The names depend on the set of paths, not on their order. They are unique even if case is
 * ignored, and differ from `taken` (keys returned by `aliasKey`). A file with a unique stem and
 * prefix keeps its name when other files are added.
 */
export function nameFiles(
  files: readonly UnnamedFile[],
  taken: Iterable<string> = [],
): Map<string, string> {
  const used = new Set(taken);
  const names = new Map<string, string>();
  const settle = ({ path }: UnnamedFile, alias: string): boolean => {
    const key = aliasKey(alias);
    if (used.has(key)) return false;
    used.add(key);
    names.set(path, alias);
    return true;
  };

  /**
   * Adds the next folder to a name. If there is none or the name would be too long, appends a hash
   * and accepts the name.
   */
  function extend(candidate: Candidate): Candidate[] {
    const { file, folders, unusedFolders, name } = candidate;
    const folder = folders[unusedFolders - 1];
    if (folder !== undefined && folder.length + 1 + name.length <= MAX_NAME_LENGTH)
      return [{ ...candidate, unusedFolders: unusedFolders - 1, name: `${folder}.${name}` }];
    for (let digits = 6; ; digits += 1) {
      const suffix = hashSuffix(file.path, digits);
      const start = name.slice(0, MAX_NAME_LENGTH - suffix.length);
      if (settle(file, aliasOf({ file, name: start + suffix }))) return [];
    }
  }

  const sorted = [...files].sort((a, b) => compareCodeUnits(a.path, b.path));
  let waiting = distinguishSiblings(sorted.map((file) => startOf(file)));
  // Accepts each candidate whose name is unique and unused, and adds a folder to the others. All
  // names in a round have the same number of dots, so names from different rounds cannot clash.
  while (waiting.length > 0) {
    const clashes = groupBy(waiting, (candidate) => aliasKey(aliasOf(candidate)));
    const lost = clashes.flatMap((clash) => {
      const winner = winnerOf(clash);
      const isSettled = winner !== undefined && settle(winner.file, aliasOf(winner));
      return isSettled ? clash.filter((candidate) => candidate !== winner) : clash;
    });
    waiting = lost.flatMap(extend);
  }
  return names;
}

/** A file that is being named. */
interface Candidate {
  file: UnnamedFile;
  folders: readonly string[];
  /** Number of leading folders not yet used in the name. */
  unusedFolders: number;
  /** The name so far, without its prefix. */
  name: string;
  /** True if the file is named after its folder. */
  isIndex: boolean;
}

const INDEX_STEM = /^(?:index|mod|__init__)$/;

function startOf(file: UnnamedFile): Candidate {
  const segments = file.path.normalize("NFC").split("/");
  const stem = stemOf(segments.pop() ?? "", file.prefix);
  const folders = segments.map((segment) => legalName(segment));
  const folder = INDEX_STEM.test(stem) ? folders.pop() : undefined;
  return {
    file,
    folders,
    unusedFolders: folders.length,
    name: folder ?? stem,
    isIndex: folder !== undefined,
  };
}

/**
 * Returns the file's name without its extension and without the part that repeats its prefix.
 * Converts names in all capitals to lower case.
 */
function stemOf(fileName: string, prefix: string): string {
  const [, bare = fileName] = /^\.*(.+?)(?:\.[^.]*)?$/.exec(fileName) ?? [];
  let stem = bare;
  if (prefix === "T")
    stem = stem.replace(/\.(?:test|spec|test-d)$/, "").replace(/^test_(?=.)|(?<=.)_test$/, "");
  if (prefix === "S") stem = stem.replace(/(?<=.)[.-]schema$/, "");
  const decision = prefix === "A" ? /^adr[-_ ]?0*(\d{1,9})(?!\d)/i.exec(stem) : null;
  if (decision !== null) return `ADR${decision[1]}`;
  return legalName(/^[A-Z]{2,}$/.test(stem) ? stem.toLowerCase() : stem);
}

function legalName(segment: string): string {
  if (/^\w[\w-]*$/.test(segment)) return segment;
  return transliterate(segment)
    .replace(/^\.+(?=.)/, "")
    .replaceAll(".", "-")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^-+/, "_");
}

/**
 * Distinguishes files in one folder that have the same name, so that adding folders can make all
 * names unique.
 */
function distinguishSiblings(candidates: Candidate[]): Candidate[] {
  return renameClashes(renameClashes(candidates, byKind), (clash) => {
    return clash.map((candidate) => ({
      ...candidate,
      name: candidate.name + hashSuffix(candidate.file.path),
    }));
  });
}

function renameClashes(
  candidates: Candidate[],
  rename: (clash: Candidate[]) => Candidate[],
): Candidate[] {
  const groups = groupBy(candidates, ({ file, folders, name }) =>
    [file.prefix, ...folders, aliasKey(name)].join("/"),
  );
  return groups.flatMap((group) => (group.length === 1 ? group : rename(group)));
}

/** Adds `-index` to index files, and extensions to the others if these differ. */
function byKind(clash: Candidate[]): Candidate[] {
  const extensions = new Set(
    clash.filter(({ isIndex }) => !isIndex).map(({ file }) => extensionOf(file.path)),
  );
  return clash.map((candidate) => {
    const { name, isIndex, file } = candidate;
    if (isIndex) return { ...candidate, name: `${name}-index` };
    return extensions.size > 1 ? { ...candidate, name: name + extensionOf(file.path) } : candidate;
  });
}

/**
 * Returns the candidate that keeps a name shared by several: the one with no more folders to add,
 * otherwise the one that is not an index file.
 */
function winnerOf(clash: Candidate[]): Candidate | undefined {
  if (clash.some(({ name }) => name.length > MAX_NAME_LENGTH)) return undefined;
  if (clash.length === 1) return clash[0];
  const ended = clash.filter(({ unusedFolders }) => unusedFolders === 0);
  const own = ended.length === 0 ? clash.filter(({ isIndex }) => !isIndex) : ended;
  return own.length === 1 ? own[0] : undefined;
}

function aliasOf({ file, name }: Pick<Candidate, "file" | "name">): string {
  return `${file.prefix}.${name}`;
}

function extensionOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1];
  return extension === undefined ? "" : `-${legalName(extension)}`;
}

function hashSuffix(path: string, digits = 6): string {
  return `-${hash("sha256", path).slice(0, digits)}`;
}

/** Groups items by key, in the order of each group's first item. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
