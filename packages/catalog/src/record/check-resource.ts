import type { Issue, Result } from "@ccl/core";
import { isRecord, valueAt } from "@ccl/core/json";
import * as z from "zod";

import { cleanValue } from "./clean-value.ts";
import type { ResourceInput, ResourceRecord } from "./resource-record.ts";

const longestId = 512;
const longestTitle = 1_000;
/** Maximum length of a record's JSON, in characters. */
const longestRecord = 4_000_000;
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const line = z.string().min(1).max(longestTitle);
const names = z.array(z.string().max(longestTitle)).max(10_000);
const id = z
  .string()
  .min(1)
  .max(longestId)
  .refine((text) => !unseen.test(text) && text.trim() === text, {
    error: "has control characters, line breaks, or space at an end",
  });
const time = z.string().refine((text) => isoTime.test(text) && !Number.isNaN(Date.parse(text)), {
  error: "is not an ISO 8601 time such as 2025-10-29T08:30:00Z",
});
const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

const column = z.looseObject({
  name: line,
  type: z.string().exactOptional(),
  description: z.string().exactOptional(),
  nn: z.boolean().exactOptional(),
  pk: z.boolean().exactOptional(),
  fk: z.string().exactOptional(),
  index: z.string().exactOptional(),
  unit: z.string().exactOptional(),
  tags: names.exactOptional(),
});
const snippet = z.looseObject({
  engine: line,
  code: z.string(),
  title: z.string().exactOptional(),
});
const able = z.boolean().exactOptional();

/** Schema of a resource. Unknown fields are kept. */
const resourceSchema = z.looseObject({
  id,
  kind: line,
  title: line,
  uri: z.string().max(4_096).exactOptional(),
  description: z.string().exactOptional(),
  tags: names.exactOptional(),
  shape: z
    .looseObject({
      rows_est: z.union([z.string(), z.number()]).exactOptional(),
      cols: z.number().int().nonnegative().exactOptional(),
    })
    .exactOptional(),
  schema_digest: names.exactOptional(),
  cap: names.exactOptional(),
  cost_hint: z
    .looseObject({
      latency_ms_p50: z.number().nonnegative().exactOptional(),
      egress_mb: z.number().nonnegative().exactOptional(),
    })
    .exactOptional(),
  examples: z
    .array(z.looseObject({ task: z.string(), ops: names.exactOptional() }))
    .exactOptional(),
  owner: z.string().exactOptional(),
  updated_at: time.exactOptional(),
  columns: z.array(column).max(100_000).exactOptional(),
  constraints: z.record(z.string(), z.unknown()).exactOptional(),
  pushdown: z
    .looseObject({
      filter: able,
      project: able,
      aggregate: able,
      window: able,
      sort: able,
      limit: able,
      join: able,
    })
    .exactOptional(),
  usage: z
    .looseObject({
      snippets: z.array(snippet).exactOptional(),
      anti_patterns: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  access: z
    .looseObject({
      policy: z.string().exactOptional(),
      secrets: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  quality: z
    .looseObject({
      freshness_sla_s: z.number().nonnegative().exactOptional(),
      null_rate: z.record(z.string(), z.number().min(0).max(1)).exactOptional(),
    })
    .exactOptional(),
});

const hash = z.string().regex(/^[0-9a-f]{16}$/, { error: "is not 16 hexadecimal digits" });

/** Schema of a stored record, including fields that the catalog derives. */
const recordSchema = resourceSchema.extend({
  tags: names.default([]),
  schema_digest: names.default([]),
  cap: names.default([]),
  updated_at: time,
  rev: z.number().int().min(1),
  schema_hash: hash,
  cap_hash: hash,
  derived: names.exactOptional(),
});

type Checked<Value> = Result<Value[]> & { warnings: Issue[] };

/**
 * Validates resources from any source. Reports all issues at once. Paths start with the index of the resource.
 * Returns copies with well-formed Unicode and masked secrets. `warnings` lists each masked secret. Codes:
 * `invalid_resource`, `duplicate_id`, `not_json`, `resource_too_large`, and the warning `secret_masked`.
 */
export function checkResources(inputs: readonly unknown[]): Checked<ResourceInput> {
  return checkAll<ResourceInput>(inputs, resourceSchema);
}

/** Validates stored records in the same way. */
export function checkRecords(inputs: readonly unknown[]): Checked<ResourceRecord> {
  return checkAll<ResourceRecord>(inputs, recordSchema);
}

function checkAll<Value extends ResourceInput>(
  inputs: readonly unknown[],
  schema: z.ZodType<Value>,
): Checked<Value> {
  const issues: Issue[] = [];
  const warnings: Issue[] = [];
  const read: Value[] = [];
  const seen = new Map<string, number>();
  for (const [index, input] of inputs.entries()) {
    const resource = checkOne(input, schema, { index, issues, warnings });
    if (resource === undefined) continue;
    const first = seen.get(resource.id);
    if (first !== undefined) {
      const message = `The id ${quoted(resource.id)} is that of resource ${first} already; give each one its own.`;
      issues.push({ code: "duplicate_id", path: [index, "id"], message });
    }
    seen.set(resource.id, first ?? index);
    read.push(resource);
  }
  return issues.length > 0 ? { ok: false, issues, warnings } : { ok: true, value: read, warnings };
}

interface Findings {
  index: number;
  issues: Issue[];
  warnings: Issue[];
}

function checkOne<Value>(
  input: unknown,
  schema: z.ZodType<Value>,
  { index, issues, warnings }: Findings,
): Value | undefined {
  const cleaned = cleanValue(input);
  for (const { path, reason } of cleaned.refused.slice(0, 20)) {
    issues.push({
      code: "not_json",
      path: [index, ...path],
      message: `A resource is JSON, and this ${reason}.`,
    });
  }
  if (cleaned.refused.length > 0) return undefined;
  if (JSON.stringify(cleaned.value ?? null).length > longestRecord) {
    const message = `A resource has at most ${longestRecord} characters as JSON; leave out what is not needed.`;
    issues.push({ code: "resource_too_large", path: [index], message });
    return undefined;
  }
  const parsed = schema.safeParse(cleaned.value);
  if (!parsed.success) {
    for (const issue of parsed.error.issues.slice(0, 50)) {
      const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
      const message = `${path.join(".") || "The resource"}: ${issue.message} (found ${found(cleaned.value, path)}).`;
      issues.push({ code: "invalid_resource", path: [index, ...path], message });
    }
    return undefined;
  }
  for (const path of cleaned.masked.slice(0, 20)) {
    const message = "A secret was masked; name secrets by reference in access.secrets.";
    warnings.push({ code: "secret_masked", path: [index, ...path], message, severity: "warning" });
  }
  return parsed.data;
}

function found(value: unknown, path: readonly (string | number)[]): string {
  const at = valueAt(value, path);
  if (at === undefined) return "nothing";
  if (Array.isArray(at)) return "a list";
  return isRecord(at) ? "an object" : quoted(at);
}

function quoted(value: unknown): string {
  return JSON.stringify(typeof value === "string" ? value.slice(0, 80) : value);
}
