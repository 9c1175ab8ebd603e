import type { ResourceInput, ResourceRecord } from "@ccl/catalog";
import { type ImportedSource, sourceKey } from "@ccl/catalog/node";
import {
  renderVerifyReport,
  type ResourceProbe,
  type SnippetLinter,
  verifyCatalog,
  type VerifyReport,
} from "@ccl/catalog/verify";

import { loadSource } from "../catalog/load-source.ts";
import { openCatalog, owner } from "../catalog/open-catalog.ts";
import { readCatalog } from "../catalog/read-catalog.ts";
import { draftOfKept } from "../catalog/source-draft.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { printableLines } from "../output/text.ts";
import type { CommandResult, Session } from "../session.ts";

/** Flags of `ccl catalog verify`. */
interface CatalogVerifyFlags {
  update?: boolean | undefined;
}

/** Long enough for a process that has to start, or for a remote database. */
const TIMEOUT_MS = 60_000;
/** The command's exit codes by that of the report. */
const exitCodes = [EXIT_CODES.ok, EXIT_CODES.checkFailed, EXIT_CODES.sourceFailed] as const;

/** Compares the catalog with its sources, and snippets with columns. With `--update`, updates columns. */
export async function catalogVerify(
  session: Session,
  flags: CatalogVerifyFlags,
): Promise<CommandResult & { document: VerifyReport }> {
  const { signal } = session;
  const { folder, content, records } = await readCatalog(session);
  const sources = await folder.readSources(content, session);
  const opened = await openCatalog(records, session);
  const loaded = new Map<ImportedSource, readonly ResourceInput[]>();
  const report = await verifyCatalog(opened.catalog, {
    probes: sourceProbes(session, sources, (source, resources) => loaded.set(source, resources)),
    snippetLinters: await snippetLinters(records),
    principal: owner,
    timeoutMs: TIMEOUT_MS,
    signal,
    update: flags.update ? (resources) => opened.catalog.register(resources, session) : undefined,
    retire: flags.update ? (ids) => opened.catalog.remove(ids, session) : undefined,
  });
  if (report.updated.length > 0) {
    const now = sources.map((source) => ({
      ...source,
      resources: withComeAndGone(source.resources, loaded.get(source) ?? source.resources),
    }));
    await folder.write(content, { records: await opened.records(), sources: now }, session);
  }
  return {
    document: report,
    text: printableLines(renderVerifyReport(report)),
    exitCode: exitCodes[report.exitCode],
  };
}

/**
 * Only adds and removes resources. Existing ones keep their imported version, so that the next import sees their
 * changes.
 */
function withComeAndGone(
  imported: readonly ResourceInput[],
  loaded: readonly ResourceInput[],
): ResourceInput[] {
  const before = new Map(imported.map((resource) => [resource.id, resource]));
  return loaded.map((resource) => before.get(resource.id) ?? resource);
}

/** Returns the linters for snippets. Loads the one for query plans only if a snippet needs it. SQL has its own. */
async function snippetLinters(
  records: readonly ResourceRecord[],
): Promise<Record<string, SnippetLinter>> {
  const isPlan = ({ engine }: { engine: string }): boolean => engine.toLowerCase() === "ir";
  if (!records.some(({ usage }) => usage?.snippets?.some(isPlan))) return {};
  const { irSnippetLinter } = await import("@ccl/query");
  return { ir: irSnippetLinter(records) };
}

/**
 * Creates one probe per source, which reads it once for all its resources. Matches resources by id, since operations of
 * an API share addresses.
 */
function sourceProbes(
  session: Session,
  sources: readonly ImportedSource[],
  onLoad: (source: ImportedSource, resources: readonly ResourceInput[]) => void,
): ResourceProbe[] {
  return sources.map((source) => {
    const ids = new Set(source.resources.map(({ id }) => id));
    const knows = source.kind === "sql" ? (["nn", "pk", "fk"] as const) : (["nn"] as const);
    return {
      name: sourceKey(source),
      handles: ({ id }) => ids.has(id),
      begin() {
        const load = async (): Promise<Record<"siblings" | "added", readonly ResourceInput[]>> => {
          const siblings = await loadSource(session, draftOfKept(session, source));
          onLoad(source, siblings);
          // A resource that was imported and then removed from the catalog is not new.
          return { siblings, added: siblings.filter((resource) => !ids.has(resource.id)) };
        };
        let loading: ReturnType<typeof load> | undefined;
        return {
          async probe({ id }) {
            const loaded = await (loading ??= load());
            const found = loaded.siblings.find((resource) => resource.id === id);
            if (found === undefined) {
              const reason = `The source ${sourceKey(source)} no longer has it`;
              return { state: "missing", reason, ...loaded };
            }
            const { columns, shape } = found;
            return { state: "available", knows, ...loaded, columns, shape };
          },
        };
      },
    };
  });
}
