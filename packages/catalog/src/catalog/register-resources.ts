import { throwIfAborted } from "@ccl/core/async";
import type { Clock, Issue, Result } from "@ccl/core";

import { CatalogError } from "../catalog-error.ts";
import { checkResources } from "../record/check-resource.ts";
import { deriveRecord } from "../record/derive-record.ts";
import { diffResource } from "../record/diff-resource.ts";
import type { ResourceInput, ResourceRecord } from "../record/resource-record.ts";
import type { CatalogStore, HistoryEntry, ResourceWrite } from "../store/catalog-store.ts";
import type { RegisterReport } from "./catalog.ts";
import type { ResidentRecords } from "./resident-records.ts";

/** Where resources are registered. */
export interface RegisterContext {
  store: CatalogStore;
  resident: ResidentRecords;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** Another writer may come between reading and writing so many times. */
const maxTries = 5;

/** Checks, derives and writes a batch as one; see `Catalog.register`. */
export async function registerResources(
  inputs: readonly unknown[],
  { store, resident, clock, signal }: RegisterContext,
): Promise<Result<RegisterReport>> {
  throwIfAborted(signal, CatalogError);
  if (!Array.isArray(inputs))
    throw new CatalogError("invalid_options", "register takes a list of resources.");
  const checked = checkResources(inputs);
  if (!checked.ok) return { ok: false, issues: checked.issues };
  const report = await resident.exclusively(async () => {
    for (let tries = 1; ; tries++) {
      await resident.followNow(signal);
      const { writes, report } = writesOf(checked.value, resident, clock.now());
      try {
        if (writes.length > 0) await store.write(writes, { signal });
        await resident.followNow(signal);
        return report;
      } catch (error) {
        if (!CatalogError.isInstance(error) || error.code !== "conflict" || tries === maxTries)
          throw error;
      }
    }
  });
  const failure = await resident.fillVectors(signal);
  const warnings = [
    ...checked.warnings,
    ...(failure === undefined ? [] : [embeddingIssue(failure)]),
  ];
  return { ok: true, value: { ...report, warnings } };
}

/** Removes what is there, and gives which that was. */
export async function removeResources(
  ids: readonly string[],
  { store, resident, clock, signal }: RegisterContext,
): Promise<string[]> {
  throwIfAborted(signal, CatalogError);
  return resident.exclusively(async () => {
    for (let tries = 1; ; tries++) {
      await resident.followNow(signal);
      const records = [...new Set(ids)].flatMap((id) => resident.get(id) ?? []);
      const at = new Date(clock.now()).toISOString();
      const writes = records.map((record): ResourceWrite => {
        const entry = entryOf(record, { kind: "removed", at });
        return {
          id: record.id,
          record: undefined,
          expectedVersion: resident.versionOf(record.id),
          entry,
        };
      });
      try {
        if (writes.length > 0) await store.write(writes, { signal });
        await resident.followNow(signal);
        return records.map(({ id }) => id);
      } catch (error) {
        if (!CatalogError.isInstance(error) || error.code !== "conflict" || tries === maxTries)
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
    writes.push({ id: input.id, record, expectedVersion: resident.versionOf(input.id), entry });
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
