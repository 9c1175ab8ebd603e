import { sha256Hex } from "@ccl/core";

import { type FolderContent, type KnownFile, loadContent, saveContent } from "./folder-cache.ts";
import { type FileStamp, OVERVIEW, readTexts, stampFolder } from "./folder-files.ts";

const nothing: FolderContent = { files: new Map(), records: [] };

/**
 * What stands in a catalog's folder: from the cache where files are provably the same, else as they are now, kept for the
 * next process. Undefined where the folder changed while it was read. @throws CliError `catalog_damaged`
 */
export async function readContent(
  folder: string,
  signal: AbortSignal,
): Promise<FolderContent | undefined> {
  const known = loadContent(folder);
  const stamps = stampFolder(folder);
  const isSameList = known?.files.size === stamps.size;
  const touched = [...stamps].filter(([name, { text }]) => known?.files.get(name)?.stamp !== text);
  if (known !== undefined && isSameList && touched.length === 0) return known;
  const texts = await readTexts(
    folder,
    touched.map(([name]) => name),
    signal,
  );
  if (texts === undefined) return undefined;
  const content = await contentOf(folder, { known: known ?? nothing, stamps, texts, signal });
  if (content === undefined || !isSame(stamps, stampFolder(folder))) return undefined;
  await saveContent(folder, content);
  return content;
}

interface Touched {
  known: FolderContent;
  stamps: ReadonlyMap<string, FileStamp>;
  texts: ReadonlyMap<string, string>;
  signal: AbortSignal;
}

async function contentOf(
  folder: string,
  { known, stamps, texts, signal }: Touched,
): Promise<FolderContent | undefined> {
  const files = new Map(
    [...stamps].map(([name, stamp]) => [
      name,
      fileOf(stamp, texts.get(name), known.files.get(name)),
    ]),
  );
  const changed = new Set(
    [...files]
      .filter(([name, file]) => known.files.get(name)?.sha256 !== file.sha256)
      .map(([name]) => name),
  );
  const read = async (names: Iterable<string>): Promise<Map<string, string> | undefined> => {
    const more = await readTexts(
      folder,
      [...names].filter((name) => !texts.has(name)),
      signal,
    );
    if (
      more === undefined ||
      [...more].some(([name, text]) => sha256Hex(text) !== files.get(name)?.sha256)
    )
      return undefined;
    return new Map([...names].map((name) => [name, texts.get(name) ?? more.get(name) ?? ""]));
  };
  // Loaded only now: it takes longer to load than a whole catalog does from the cache.
  const { hashed, parseChanges, parseRecords } = await import("./parse-folder.ts");
  const present = new Set(stamps.keys());
  if (known.files.has(OVERVIEW) && present.has(OVERVIEW)) {
    const overview = changed.has(OVERVIEW) ? texts.get(OVERVIEW) : undefined;
    const records = await parseChanges({ known, present, changed, overview, read });
    if (records !== "again") return { files, records };
  }
  const all = await read(
    [...present].filter((name) => name === OVERVIEW || name.startsWith("details/")),
  );
  if (all === undefined) return undefined;
  return { files, records: hashed(parseRecords(Object.fromEntries(all), folder)) };
}

function fileOf(
  { text: stamp, isSettled }: FileStamp,
  text: string | undefined,
  known: KnownFile | undefined,
): KnownFile {
  if (text === undefined && known !== undefined) return known;
  return { stamp: isSettled ? stamp : "", sha256: sha256Hex(text ?? "") };
}

function isSame(
  before: ReadonlyMap<string, FileStamp>,
  after: ReadonlyMap<string, FileStamp>,
): boolean {
  return (
    before.size === after.size &&
    [...before].every(([name, { text }]) => after.get(name)?.text === text)
  );
}
