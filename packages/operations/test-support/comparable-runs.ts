import { isRecord } from "@ccl/core/json";

/** Tokens may have gaps, and each run may begin with any, so only their order within a run is compared. */
export function withoutTokens(outcomes: unknown[]): unknown[] {
  const tokens = new Map<unknown, number[]>();
  const text = JSON.stringify(outcomes, function (this: unknown, key, value: unknown) {
    if (key === "fencingToken" && isRecord(this))
      tokens.set(this["runId"], [...(tokens.get(this["runId"]) ?? [0]), Number(value)]);
    return value;
  });
  return JSON.parse(text, function (this: unknown, key, value: unknown) {
    if (key !== "fencingToken" || !isRecord(this)) return value;
    const sorted = (tokens.get(this["runId"]) ?? []).toSorted((one, other) => one - other);
    return [...new Set(sorted)].indexOf(Number(value));
  });
}

/** Outcomes of calls that race, in any order and whichever run won. */
export function withoutWinner(outcomes: unknown[]): string[] {
  const texts = withoutTokens(outcomes).map((outcome) => JSON.stringify(outcome));
  const created = texts.find((text) => text.includes('"created"')) ?? "";
  const [runId = "none"] = /"r\d"/.exec(created) ?? [];
  return texts.map((text) => text.replaceAll(runId, '"winner"')).sort();
}
