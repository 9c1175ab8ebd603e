import { CatalogError, type ChangeSeverity } from "@ccl/catalog";
import type { CatalogFolder, CatalogFolderState, FolderContent } from "@ccl/catalog/node";

import {
  compareCatalogs,
  countSeverities,
  isReached,
  renderChanges,
  summariseChanges,
} from "../catalog/compare-catalogs.ts";
import { importSources } from "../catalog/import-sources.ts";
import { catalogFolder, openSnapshot, readCatalog, saveIndex } from "../catalog/read-catalog.ts";
import { draftOfKept, draftsOf, type SourceFlags } from "../catalog/source-draft.ts";
import { usageError } from "../cli-error.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { formatCount, printable, printableLines } from "../output/text.ts";
import type { CommandResult, Session } from "../session.ts";

/** Creates an empty catalog. Does not change an existing one. */
export async function catalogInit(session: Session): Promise<CommandResult> {
  const folder = catalogFolder(session);
  const isNew = await folder.init(session);
  const place = printable(folder.path);
  return {
    document: { path: folder.path, isNew },
    text: ({ colours }) =>
      isNew
        ? `${colours.green("Set up")} ${place}.\nNext: "ccl catalog import --sql sqlite:<path>", or --openapi, --mcp, --files, --jsonl.\n`
        : `${place} already exists. "ccl catalog import" reads its sources again.\n`,
  };
}

/** Flags of `ccl catalog import`. */
interface CatalogImportFlags extends SourceFlags {
  dryRun?: boolean | undefined;
  failOn?: ChangeSeverity | undefined;
}

/** Imports new sources, or known ones again, and shows the changes with their severity. */
export async function catalogImport(
  session: Session,
  flags: CatalogImportFlags,
): Promise<CommandResult> {
  const folder = catalogFolder(session);
  const read = folder.exists() ? await readCatalog(session, folder) : undefined;
  const before: CatalogFolderState = {
    records: read?.records ?? [],
    sources: read === undefined ? [] : await folder.readSources(read.content, session),
  };
  const named = draftsOf(session, flags);
  const drafts =
    named.length > 0 ? named : before.sources.map((source) => draftOfKept(session, source));
  if (drafts.length === 0)
    throw usageError("Pass a source: --sql, --openapi, --mcp, --files or --jsonl.");
  const { records, sources, outcomes, warnings } = await importSources(session, before, {
    drafts,
    isMoveAllowed: flags.name !== undefined,
  });
  const changes = compareCatalogs(before.records, records);
  const isRefused = isReached(changes, flags.failOn);
  const isWritten = flags.dryRun !== true && !isRefused;
  if (isWritten) {
    const base = read?.content ?? (await createFolder(folder, session));
    const written = await folder.write(base, { records, sources }, session);
    await saveIndex({ folder }, openSnapshot({ folder, content: written }), session.signal);
  }
  const unchanged = records.length - changes.filter(({ kind }) => kind !== "removed").length;
  const notes = [
    `${outcomes.map(({ kind, name, resources }) => `${kind}:${name} ${formatCount(resources, "resource")}`).join("; ")}`,
    `${summariseChanges(changes)}; ${unchanged} unchanged${isWritten ? "" : "; nothing was written"}`,
    ...(warnings.length === 0
      ? []
      : [`${formatCount(warnings.length, "secret")} masked. Use references instead of secrets.`]),
    ...drafts
      .filter(({ isStripped }) => isStripped)
      .map(
        ({ source }) =>
          `Stored as ${source.location}, without possible secrets. Pass the address as env:NAME to read it again later.`,
      ),
  ];
  return {
    document: {
      isWritten,
      sources: outcomes,
      resources: records.length,
      counts: countSeverities(changes),
      changes,
      warnings,
    },
    text: (style) => renderChanges(changes, style),
    note: `${notes.map(printableLines).join("\n")}\n`,
    exitCode: isRefused ? EXIT_CODES.checkFailed : EXIT_CODES.ok,
  };
}

/** Creates the folder only once there is something to store. */
async function createFolder(folder: CatalogFolder, session: Session): Promise<FolderContent> {
  if (await folder.init(session)) return folder.read(session);
  const message = "Another process has just created the catalog. Run the command again.";
  throw new CatalogError("conflict", message);
}
