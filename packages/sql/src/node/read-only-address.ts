/**
 * Offset of the file's write version, and its value for a write-ahead log (https://sqlite.org/fileformat2.html,
 * section 1.3).
 */
const writeVersionAt = 18;
const logVersion = 2;

/**
 * Returns an address that opens a file without changing anything. Reading a database in WAL mode creates the log
 * and its index if they are missing. But then no connection has the database open, so it can be declared
 * immutable.
 */
export async function readOnlyAddress(path: string): Promise<string> {
  const files = globalThis.process?.getBuiltinModule?.("node:fs/promises");
  if (files === undefined || path === ":memory:" || path.startsWith("file:")) return path;
  const log = await files.stat(`${path}-wal`).catch(() => undefined);
  const file = await files.open(path, "r").catch(() => undefined);
  if (file === undefined) return path;
  try {
    const header = new Uint8Array(writeVersionAt + 1);
    await file.read(header, 0, header.length, 0);
    if (header[writeVersionAt] !== logVersion || log !== undefined) return path;
  } finally {
    await file.close();
  }
  const url = globalThis.process.getBuiltinModule("node:url").pathToFileURL(path);
  return `${url.href}?immutable=1`;
}
