import { throwIfAborted } from "@ccl/core/async";
import type { Clock, Issue, Result } from "@ccl/core";
import { type Records, RecordsError } from "@ccl/records";

import { CatalogError } from "../catalog-error.ts";
import { checkResources } from "../record/check-resource.ts";
import { deriveRecord } from "../record/derive-record.ts";
import { diffResource } from "../record/diff-resource.ts";
import type { ResourceInput, ResourceRecord } from "../record/resource-record.ts";
import type { HistoryEntry } from "../store/history-entry.ts";
import { type ResourceWrite, writeResources } from "../store/write-resources.ts";
import type { RegisterReport } from "./catalog.ts";
import type { ResidentRecords } from "./resident-records.ts";

/** Parts of a catalog that `registerResources` needs. */
export interface RegisterContext {
  records: Records;
  resident: ResidentRecords;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** Maximum number of attempts. An attempt fails if another writer commits between its read and write. */
const maxTries = 100;

/** Checks, derives and writes a batch atomically. See `Catalog.register`. */
export async function registerResources(
  inputs: readonly unknown[],
  context: RegisterContext,
): Promise<Result<RegisterReport>> {
  const { resident, clock, signal } = context;
  throwIfAborted(signal, CatalogError);
  if (!Array.isArray(inputs))
    throw new CatalogError("invalid_options", "register takes a list of resources.");
  const checked = checkResources(inputs);
  if (!checked.ok) return { ok: false, issues: checked.issues };
  const { report } = await writeLatest(context, () =>
    writesOf(checked.value, resident, clock.now()),
  );
  const failure = await resident.fillVectors(signal);
  const warnings = [
    ...checked.warnings,
    ...(failure === undefined ? [] : [embeddingIssue(failure)]),
  ];
  return { ok: true, value: { ...report, warnings } };
}

/** Removes existing resources and returns their ids. */
export async function removeResources(
  ids: readonly string[],
  context: RegisterContext,
): Promise<string[]> {
  const { resident, clock, signal } = context;
  throwIfAborted(signal, CatalogError);
  const { writes } = await writeLatest(context, () => {
    const at = new Date(clock.now()).toISOString();
    const found = [...new Set(ids)].flatMap((id) => resident.get(id) ?? []);
    return {
      writes: found.map((record): ResourceWrite => {
        const entry = entryOf(record, { kind: "removed", at });
        return { id: record.id, record: undefined, entry };
      }),
    };
  });
  return writes.map(({ id }) => id);
}

/** Writes what `plan` derives from the current resources. Retries if another writer committed first. */
async function writeLatest<Plan extends { writes: ResourceWrite[] }>(
  { records, resident, signal }: RegisterContext,
  plan: () => Plan,
): Promise<Plan> {
  return resident.exclusively(async () => {
    for (let tries = 1; ; tries++) {
      await resident.followNow(signal);
      const planned = plan();
      try {
        if (planned.writes.length > 0)
          await writeResources(records, planned.writes, {
            expectedVersion: resident.version,
            signal,
          });
        await resident.followNow(signal);
        return planned;
      } catch (error) {
        if (!RecordsError.isInstance(error) || error.code !== "conflict" || tries === maxTries)
          throw error;
      }
    }
  });
}

function writesOf(
  inputs: readonly ResourceInput[],
  resident: ResidentRecords,
  now: number,
): { writes: ResourceWrite[]; report: Omit<RegisterReport, "warnings"> } {
  const at = new Date(now).toISOString();
  const writes: ResourceWrite[] = [];
  const report = {
    added: new Array<string>(),
    changed: new Array<string>(),
    unchanged: new Array<string>(),
  };
  for (const input of inputs) {
    const before = resident.get(input.id);
    const { record, isChanged } = deriveRecord(input, {
      now,
      before,
    });
    if (!isChanged) {
      report.unchanged.push(input.id);
      continue;
    }
    report[before === undefined ? "added" : "changed"].push(input.id);
    const changes = before === undefined ? [] : diffResource(before, record).changes;
    const entry = {
      ...entryOf(record, { kind: before === undefined ? "registered" : "changed", at }),
      changes,
    };
    writes.push({ id: input.id, record, entry });
  }
  return { writes, report };
}

function entryOf(
  record: ResourceRecord,
  { kind, at }: Pick<HistoryEntry, "kind" | "at">,
): HistoryEntry {
  const { id, rev, schema_hash, cap_hash } = record;
  return { id, kind, rev, at, schema_hash, cap_hash, changes: [] };
}

function embeddingIssue(failure: string): Issue {
  const message = `Some resources are found by words alone, because ${failure}; searching or registering later tries again.`;
  return { code: "embedding_failed", path: [], message, severity: "warning" };
}
