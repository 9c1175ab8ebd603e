import type { ChangeSeverity } from "@ccl/catalog";

import {
  type CatalogFolder,
  initCatalog,
  readCatalogFolder,
  writeCatalogFolder,
} from "../catalog/catalog-folder.ts";
import { type CatalogRecords, hasCatalog } from "../catalog/read-catalog.ts";
import { compareCatalogs, countSeverities, isReached } from "../catalog/compare-catalogs.ts";
import { importSources } from "../catalog/import-sources.ts";
import { keepIndex, openSnapshot } from "../catalog/open-snapshot.ts";
import { renderChanges, summariseChanges } from "../catalog/render-changes.ts";
import {
  draftOfKept,
  draftsOf,
  type SourceDraft,
  type SourceFlags,
} from "../catalog/source-draft.ts";
import { CliError } from "../cli-error.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import { printableLines } from "../output/printable.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl catalog import`. */
export interface CatalogImportFlags extends SourceFlags {
  dryRun?: boolean | undefined;
  failOn?: ChangeSeverity | undefined;
}

/** Brings sources into the catalog, or reads those again that it has; says what changed, and whom it hurts. */
export async function catalogImport(
  session: Session,
  flags: CatalogImportFlags,
): Promise<CommandResult> {
  const folder = hasCatalog(session) ? await readCatalogFolder(session) : undefined;
  const before = folder ?? { records: [], sources: [] };
  const drafts = toRead(session, before, flags);
  const { records, sources, outcomes, warnings } = await importSources(session, before, {
    drafts,
    isMoveAllowed: flags.name !== undefined,
  });
  const changes = compareCatalogs(before.records, records);
  const isRefused = isReached(changes, flags.failOn);
  const isWritten = flags.dryRun !== true && !isRefused;
  if (isWritten) {
    const written = await write(session, folder, { records, sources });
    await keepIndex(written, openSnapshot(written), session.signal);
  }
  const kept = records.length - changes.filter(({ kind }) => kind !== "removed").length;
  const notes = [
    `${outcomes.map(({ kind, name, resources }) => `${kind}:${name} ${formatCount(resources, "resource")}`).join("; ")}`,
    `${summariseChanges(changes)}; ${kept} unchanged${isWritten ? "" : "; nothing was written"}`,
    ...(warnings.length === 0
      ? []
      : [`${formatCount(warnings.length, "secret")} masked: name secrets by reference.`]),
    ...drafts
      .filter(({ isStripped }) => isStripped)
      .map(({ source }) => strippedNote(source.location)),
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
    note: () => `${notes.map(printableLines).join("\n")}\n`,
    exitCode: isRefused ? EXIT_CODES.checkFailed : EXIT_CODES.ok,
  };
}

function toRead(
  session: Session,
  { sources }: Pick<CatalogFolder, "sources">,
  flags: CatalogImportFlags,
): SourceDraft[] {
  const drafts = draftsOf(session, flags);
  if (drafts.length > 0) return drafts;
  if (sources.length > 0) return sources.map((source) => draftOfKept(session, source));
  throw new CliError("usage", "Name a source: --sql, --openapi, --mcp, --files or --jsonl.");
}

/** A folder that was not there is made only now that there is something to keep. */
async function write(
  session: Session,
  folder: CatalogFolder | undefined,
  after: Pick<CatalogFolder, "records" | "sources">,
): Promise<CatalogRecords> {
  if (folder === undefined && !(await initCatalog(session))) {
    throw new CliError(
      "catalog_conflict",
      "Somebody set up the catalog meanwhile; run the command again.",
    );
  }
  return await writeCatalogFolder(session, folder ?? (await readCatalogFolder(session)), after);
}

function strippedNote(location: string): string {
  return `Kept as ${location}, without what may be secret; name a variable with env:NAME to read it again.`;
}
