import { pageLimit } from "@ccl/core/paging";
import { throwIfAborted } from "@ccl/core/async";

import type { OperationProfile } from "../profile/operation-profile.ts";
import { OperationsError } from "../operations-error.ts";
import type { ProfileStore } from "./profile-store.ts";

/** Profiles in memory, gone with the process. */
export function createMemoryProfileStore(): ProfileStore {
  // As JSON, so that later changes of an object do not reach what is stored.
  const profiles = new Map<string, { version: number; json: string }>();
  const parsed = (json: string): OperationProfile => JSON.parse(json);
  return {
    async save(profile, options) {
      throwIfAborted(options?.signal, OperationsError);
      const stored = profiles.get(profile.profileId)?.version ?? 0;
      const expected = options?.expectedVersion ?? stored;
      if (expected !== stored) {
        const message = `Profile "${profile.profileId}" has version ${stored}, not ${expected}; load it again and repeat the change.`;
        throw new OperationsError("version_conflict", message, { details: { version: stored } });
      }
      const json = JSON.stringify({ ...profile, version: stored + 1 });
      profiles.set(profile.profileId, { version: stored + 1, json });
      return parsed(json);
    },
    async load(profileId, options) {
      throwIfAborted(options?.signal, OperationsError);
      const stored = profiles.get(profileId);
      return stored === undefined ? undefined : parsed(stored.json);
    },
    async list(options) {
      throwIfAborted(options?.signal, OperationsError);
      const limit = pageLimit(options?.limit, { byDefault: 100, max: 1_000 }, OperationsError);
      const after = options?.cursor;
      const ids = [...profiles.keys()].filter((id) => after === undefined || id > after).sort();
      const profileIds = ids.slice(0, limit);
      const last = profileIds.at(-1);
      return ids.length > limit && last !== undefined
        ? { profileIds, cursor: last }
        : { profileIds };
    },
  };
}
