import { createMemoryRecords, type Records, RecordsError } from "@ccl/records";
import { isRecord } from "@ccl/core/json";

import { OperationsError } from "../operations-error.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import { translated } from "./stored-records.ts";
import type { ProfileStore } from "../ports/profile-store.ts";

const prefix = "profile/";

/**
 * Stores profiles in records that `openRecords` of @ccl/records returned. Does not close the records. By default
 * profiles are kept in memory and lost when the process ends.
 */
export function createProfileStore(records: Records = createMemoryRecords()): ProfileStore {
  return {
    save: (profile, { expectedVersion, signal } = {}) =>
      translated(async () => {
        // Stored as text to preserve key order: the property order of a JSON Schema determines that of an answer.
        const value = JSON.stringify(profile);
        const change = { put: prefix + profile.profileId, value, expectedVersion };
        const written = records.write([change], { signal });
        const [outcome] = await written.catch((error: unknown) => {
          throw conflictOf(error);
        });
        return profileIn(value, outcome?.after);
      }),
    load: (profileId, options) =>
      translated(async () => {
        const stored = await records.get(prefix + profileId, options);
        return stored && profileIn(stored.value, stored.version);
      }),
    list: ({ cursor, limit, signal } = {}) =>
      translated(async () => {
        const after = cursor === undefined ? undefined : prefix + cursor;
        const page = await records.list({ prefix, cursor: after, limit, signal });
        const profileIds = page.records.map(({ name }) => name.slice(prefix.length));
        return { profileIds, cursor: page.cursor?.slice(prefix.length) };
      }),
  };
}

/** Reads a profile. Its version is that of its record. */
function profileIn(json: unknown, version: number | undefined): OperationProfile {
  return { ...JSON.parse(String(json)), version };
}

function conflictOf(error: unknown): unknown {
  const details = RecordsError.isInstance(error) ? error.details : undefined;
  if (!isRecord(details) || details["actualVersion"] === undefined) return error;
  const { name, expectedVersion, actualVersion: version } = details;
  const id = JSON.stringify(String(name).slice(prefix.length));
  const message = `Profile ${id} has version ${version}, not ${expectedVersion}; load it again and repeat the change.`;
  return new OperationsError("conflict", message, { details: { version } });
}
