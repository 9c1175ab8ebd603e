import { numberIn, requiredJsonIn, rowsOf, type SqlSteps, textIn } from "@ccl/sql";

import { moveRecords } from "./move-log.ts";

/** Migrates operations profiles to one record each, keeping their versions. */
export function* moveProfiles(): SqlSteps<void> {
  const rows = yield* rowsOf("SELECT profile_id, version, profile FROM ccl_operation_profiles");
  yield* moveRecords(
    rows.map((row) => ({
      name: `profile/${requiredJsonIn<string>(row, "profile_id")}`,
      version: numberIn(row, "version"),
      json: JSON.stringify(textIn(row, "profile")),
      isWhole: true,
    })),
  );
}
