import { pageLimit } from "@ccl/core/paging";
import { jsonIn, numberIn, requiredJsonIn, sortKeyOf, textIn } from "@ccl/sql";
import { OperationsError } from "../operations-error.ts";
import type { ProfilePage, ProfileStore } from "../ports/profile-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import type { Batch } from "./group-commit.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { keyOf, rowsOf, type Steps } from "./statement.ts";

interface Saving {
  profile: OperationProfile;
  expectedVersion: number | undefined;
}

/** Profiles in a database. */
export function createSqlProfileStore(database: SqlDatabase): ProfileStore {
  const save = database.writer("profiles", saveBatch);
  return {
    save: (profile, options) =>
      save({ profile, expectedVersion: options?.expectedVersion }, options),
    load: (profileId, call) => database.read(() => loadProfile(profileId), call),
    async list(options) {
      const limit = pageLimit(options?.limit, { byDefault: 100, max: 1_000 }, OperationsError);
      return database.read(() => listProfiles(options?.cursor, limit), options);
    },
  };
}

/** Each insert or update is the database's own comparison of versions; what it refuses is another writer's. */
const saveBatch: Batch<Saving, OperationProfile> = {
  keyOf: ({ profile }) => profile.profileId,
  *steps(requests) {
    const columns = ["asked_sort", "asked_id", "asked_profile", "asked_expected#"];
    const rows = requests.map(({ profile, expectedVersion }) => {
      return [
        sortKeyOf(profile.profileId),
        keyOf(profile.profileId),
        JSON.stringify(profile),
        expectedVersion ?? -1,
      ];
    });
    // A row of version 0 is inserted first, so that there is one to lock.
    yield* rowsOf(
      ({ asked }) => `INSERT INTO ccl_operation_profiles (sort_key, profile_id, version, profile)
        SELECT asked_sort, asked_id, 0, '' FROM ${asked} WHERE asked_expected <= 0 ON CONFLICT DO NOTHING RETURNING sort_key`,
      { columns, rows },
    );
    const saved = yield* rowsOf(
      ({
        asked,
      }) => `UPDATE ccl_operation_profiles SET version = version + 1, profile = asked_profile
        FROM ${asked} WHERE sort_key = asked_sort AND (asked_expected = -1 OR version = asked_expected)
        RETURNING sort_key, version`,
      { columns, rows },
    );
    const versions = new Map(
      saved.map((row) => [textIn(row, "sort_key"), numberIn(row, "version")]),
    );
    const stored = yield* versionsOf(
      requests.filter(({ profile }) => !versions.has(sortKeyOf(profile.profileId))),
    );
    return requests.map(({ profile, expectedVersion }) => {
      const key = sortKeyOf(profile.profileId);
      const version = versions.get(key);
      if (version === undefined)
        return conflict(profile.profileId, stored.get(key) ?? 0, expectedVersion);
      const copy: OperationProfile = JSON.parse(JSON.stringify({ ...profile, version }));
      return copy;
    });
  },
};

function* versionsOf(requests: readonly Saving[]): Steps<Map<string, number>> {
  const rows = yield* rowsOf(
    ({ asked }) =>
      `SELECT sort_key, version FROM ${asked} JOIN ccl_operation_profiles ON sort_key = asked_sort`,
    {
      columns: ["asked_sort"],
      rows: requests.map(({ profile }) => [sortKeyOf(profile.profileId)]),
    },
  );
  return new Map(rows.map((row) => [textIn(row, "sort_key"), numberIn(row, "version")]));
}

function conflict(
  profileId: string,
  stored: number,
  expected: number | undefined,
): OperationsError {
  const message = `Profile ${JSON.stringify(profileId)} has version ${stored}, not ${expected}; load it again and repeat the change.`;
  return new OperationsError("version_conflict", message, { details: { version: stored } });
}

function* loadProfile(profileId: string): Steps<OperationProfile | undefined> {
  const [row] = yield* rowsOf(
    ({ asked }) =>
      `SELECT version, profile FROM ${asked} JOIN ccl_operation_profiles ON sort_key = asked_sort`,
    { columns: ["asked_sort"], rows: [[sortKeyOf(profileId)]] },
  );
  if (row === undefined) return undefined;
  const profile = jsonIn<OperationProfile>(row, "profile");
  return profile && { ...profile, version: numberIn(row, "version") };
}

function* listProfiles(cursor: string | undefined, limit: number): Steps<ProfilePage> {
  const rows = yield* rowsOf(
    ({
      asked,
    }) => `SELECT profile_id FROM ${asked} JOIN ccl_operation_profiles ON sort_key > asked_after
      ORDER BY sort_key LIMIT ${limit + 1}`,
    { columns: ["asked_after"], rows: [[sortKeyOf(cursor ?? "")]] },
  );
  const profileIds = rows.slice(0, limit).map((row): string => requiredJsonIn(row, "profile_id"));
  const last = profileIds.at(-1);
  return rows.length > limit && last !== undefined ? { profileIds, cursor: last } : { profileIds };
}
