import {
  checkResources,
  diffResource,
  type ResourceInput,
  type ResourceRecord,
} from "@ccl/catalog";
import {
  type CatalogFolderState,
  type CatalogSource,
  type ImportedSource,
  sourceKey,
} from "@ccl/catalog/node";
import type { Issue } from "@ccl/core";

import { CliError, inputError, requireValid, usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { isSameSource, type SourceDraft } from "./source-draft.ts";
import { loadSource } from "./load-source.ts";
import { mergeImported } from "./merge-imported.ts";
import { openCatalog } from "./open-catalog.ts";

/** The result of reading one source. */
interface SourceOutcome extends CatalogSource {
  resources: number;
}

/** A catalog after an import, with what each source contributed. */
interface ImportOutcome {
  records: ResourceRecord[];
  sources: ImportedSource[];
  outcomes: SourceOutcome[];
  /** Secrets that were masked. */
  warnings: Issue[];
}

/**
 * Reads the sources and merges them into the catalog in memory, without writing. Removes resources that a source no
 * longer has.
 */
export async function importSources(
  session: Session,
  before: CatalogFolderState,
  { drafts, isMoveAllowed }: { drafts: readonly SourceDraft[]; isMoveAllowed: boolean },
): Promise<ImportOutcome> {
  const warnings: Issue[] = [];
  const outcomes: SourceOutcome[] = [];
  let sources = [...before.sources];
  const opened = await openCatalog(before.records, session);
  for (const draft of drafts) {
    const known = sources.find((source) => isSameSource(source, draft.source));
    if (known !== undefined && !isMoveAllowed) refuseMove(known, draft.source);
    const checked = checkResources(await loadSource(session, draft));
    if (!checked.ok) throw inputError(checked.issues);
    warnings.push(...checked.warnings);
    const others = sources.filter((source) => source !== known);
    refuseTaken(draft.source, checked.value, others);
    const incoming = merged(checked.value, known, await opened.records());
    requireValid(await opened.catalog.register(incoming, session));
    await opened.catalog.remove(goneFrom(known, checked.value), session);
    sources = [...others, { ...draft.source, resources: checked.value }];
    outcomes.push({ ...draft.source, resources: checked.value.length });
  }
  return { records: await opened.records(), sources, outcomes, warnings };
}

/** Merges the source's resources with what people edited in the catalog. */
function merged(
  incoming: readonly ResourceInput[],
  known: ImportedSource | undefined,
  records: readonly ResourceRecord[],
): ResourceInput[] {
  const bases = new Map(known?.resources.map((resource) => [resource.id, resource]));
  const current = new Map(records.map((record) => [record.id, record]));
  return incoming.map((resource) => {
    const base = bases.get(resource.id);
    const record = current.get(resource.id);
    if (base === undefined || record === undefined) return resource;
    const result = mergeImported({ base, current: record, incoming: resource });
    // A new modification time alone does not count as a change.
    const isTimeGiven = record.derived?.includes("updated_at") !== true;
    const isTouched =
      isTimeGiven &&
      result.updated_at !== record.updated_at &&
      diffResource(record, withDerived(result, record)).severity === "none";
    return isTouched ? { ...result, updated_at: record.updated_at } : result;
  });
}

/** Adds the fields that the catalog fills in, so that they do not count as differences. */
function withDerived(input: ResourceInput, record: ResourceRecord): ResourceInput {
  const { tags, cap, schema_digest, shape } = record;
  return {
    tags,
    cap,
    schema_digest,
    ...input,
    ...(shape === undefined ? {} : { shape: { ...shape, ...input.shape } }),
  };
}

function goneFrom(known: ImportedSource | undefined, incoming: readonly ResourceInput[]): string[] {
  const now = new Set(incoming.map(({ id }) => id));
  return (known?.resources ?? []).map(({ id }) => id).filter((id) => !now.has(id));
}

/** Rejects a second database with the same name, since each would remove the other's tables. */
function refuseMove(known: CatalogSource, source: CatalogSource): void {
  if (known.location === source.location) return;
  const message = `${sourceKey(known)} already refers to ${known.location}. Pass another --name for ${source.location}, or --name ${known.name} if it has moved.`;
  throw usageError(message);
}

function refuseTaken(
  source: CatalogSource,
  incoming: readonly ResourceInput[],
  others: readonly ImportedSource[],
): void {
  const owners = new Map(
    others.flatMap((other) => other.resources.map(({ id }) => [id, sourceKey(other)])),
  );
  const conflicting = incoming.find(({ id }) => owners.has(id));
  if (conflicting === undefined) return;
  const message = `${sourceKey(source)} and ${owners.get(conflicting.id)} both have ${conflicting.id}; import one of them, or pass another --name.`;
  throw new CliError("input_invalid", message);
}
