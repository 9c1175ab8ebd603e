import { describe, expect, it } from "vitest";

import type { ResourceRecord } from "../record/resource-record.ts";
import { capabilitiesIn, capabilityOf, costOf, recencyOf } from "./score-terms.ts";

const now = Date.parse("2026-03-01T00:00:00Z");
const recordOf = (fields: Partial<ResourceRecord>): ResourceRecord => ({
  id: "res:a",
  kind: "tabular",
  title: "a",
  tags: [],
  schema_digest: [],
  cap: [],
  updated_at: "2026-03-01T00:00:00Z",
  schema_hash: "",
  cap_hash: "",
  rev: 1,
  ...fields,
});

describe("recencyOf", () => {
  it.each([
    ["2026-03-01T00:00:00Z", 1],
    ["2026-01-30T00:00:00Z", 0.5],
    ["2025-12-31T00:00:00Z", 0.25],
    ["2027-01-01T00:00:00Z", 1],
    ["1970-01-01T00:00:00Z", 0],
    ["yesterday", 0],
  ])("scores %s as %d", (updated_at, expected) => {
    expect(recencyOf(recordOf({ updated_at }), now, 30)).toBe(expected);
  });

  it("treats fresh:realtime as updated now", () => {
    expect(
      recencyOf(
        recordOf({ updated_at: "2001-01-01T00:00:00Z", tags: ["fresh:realtime"] }),
        now,
        30,
      ),
    ).toBe(1);
  });

  it("scores records registered seconds apart the same", () => {
    const values = ["2026-02-10T10:00:00.000Z", "2026-02-10T10:00:03.500Z"].map((updated_at) =>
      recencyOf(recordOf({ updated_at }), now, 30),
    );
    expect(values[0]).toBe(values[1]);
  });
});

describe("capabilityOf", () => {
  it.each([
    [["aggregate", "sort"], ["aggregate"], 0.5],
    [["aggregate"], ["scan", "aggregate"], 1],
    [["aggregate"], [], 0],
    [[], ["scan"], undefined],
  ])("for the request %j and the record's %j is %j", (asked, cap, expected) => {
    expect(capabilityOf(recordOf({ cap }), asked)).toBe(expected);
  });
});

describe("costOf", () => {
  it.each([
    [{}, undefined],
    [{ latency_ms_p50: 0 }, 0],
    [{ latency_ms_p50: 1000 }, 0.5],
    [{ latency_ms_p50: 10, egress_mb: 30 }, 0.75],
    [{ latency_ms_p50: Infinity }, 1],
    [{ latency_ms_p50: -5 }, 0],
  ])("scores %j as %j", (cost_hint, expected) => {
    expect(costOf(recordOf({ cost_hint }))).toBe(expected);
  });
});

describe("capabilitiesIn", () => {
  it.each([
    ["average revenue by day, sorted", ["aggregate", "sort"]],
    ["средний чек, сортировать по дате", ["aggregate", "sort"]],
    ["running total per week", ["aggregate", "window"]],
    ["orders of a customer", []],
    ["", []],
  ])("reads %j as a request for %j", (text, expected) => {
    expect(capabilitiesIn(text)).toEqual(expected);
  });
});
