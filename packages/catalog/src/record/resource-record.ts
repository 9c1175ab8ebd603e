/** A kind that the catalog knows, or your own. */
export type ResourceKind = "tabular" | "kv" | "api" | "bus" | "file" | "skill" | (string & {});

/** The size of a resource. */
export interface ResourceShape {
  /** A number, or a string such as `1e7`. */
  rows_est?: string | number | undefined;
  cols?: number | undefined;
}

/** The cost of querying a resource. */
export interface CostHint {
  latency_ms_p50?: number | undefined;
  egress_mb?: number | undefined;
  [name: string]: unknown;
}

/** A task that a resource is suited for, with the operations it needs. */
export interface ResourceExample {
  task: string;
  ops?: string[] | undefined;
}

/** A column, a parameter or a field. */
export interface ResourceColumn {
  name: string;
  type?: string | undefined;
  description?: string | undefined;
  /** Not null. */
  nn?: boolean | undefined;
  pk?: boolean | undefined;
  /** The referenced column, e.g. `public.users.id`. */
  fk?: string | undefined;
  /** Index type, e.g. `btree`. */
  index?: string | undefined;
  unit?: string | undefined;
  /** Tags such as `pii`, which hides the column unless access is granted. */
  tags?: string[] | undefined;
  [name: string]: unknown;
}

/** Example code for a resource. */
export interface ResourceSnippet {
  /** `sql`, `ir`, `http`, `ts` and the like. */
  engine: string;
  code: string;
  title?: string | undefined;
}

/** Examples of how to use a resource, and warnings about misuse. */
export interface ResourceUsage {
  snippets?: ResourceSnippet[] | undefined;
  anti_patterns?: string[] | undefined;
}

/** Determines who may see the details and which secrets a connector needs (references, never values). */
interface ResourceAccess {
  /** For example, `rbac:analyst-read`. */
  policy?: string | undefined;
  secrets?: string[] | undefined;
}

/** Guarantees of a source about its data. */
interface ResourceQuality {
  freshness_sla_s?: number | undefined;
  /** Share of nulls by column, 0..1. */
  null_rate?: Record<string, number> | undefined;
  [name: string]: unknown;
}

/** Operations that a source can execute itself. */
interface ResourcePushdown {
  filter?: boolean | undefined;
  project?: boolean | undefined;
  aggregate?: boolean | undefined;
  window?: boolean | undefined;
  sort?: boolean | undefined;
  limit?: boolean | undefined;
  join?: boolean | undefined;
}

/**
 * A resource as registered. Only three fields are required. The catalog derives some of the others and keeps
 * unknown fields.
 */
export interface ResourceInput {
  /** For example, `res:db.pg.main.public.orders`. */
  id: string;
  kind: ResourceKind;
  title: string;
  /** `ada://any/db/pg:main/public.orders`, or a plain URL. */
  uri?: string | undefined;
  description?: string | undefined;
  /** `pii:none`, `fresh:realtime`, `lifecycle:stable` and your own. */
  tags?: string[] | undefined;
  shape?: ResourceShape | undefined;
  /** Up to 5 fields as `name:type`. Derived from the columns by default. */
  schema_digest?: string[] | undefined;
  /** `scan`, `filter`, `project`, `aggregate`, `sort`, `limit`, `join` and the like. */
  cap?: string[] | undefined;
  cost_hint?: CostHint | undefined;
  examples?: ResourceExample[] | undefined;
  owner?: string | undefined;
  /** ISO 8601. Defaults to the time of registration. */
  updated_at?: string | undefined;
  columns?: ResourceColumn[] | undefined;
  constraints?: Record<string, unknown> | undefined;
  pushdown?: ResourcePushdown | undefined;
  usage?: ResourceUsage | undefined;
  access?: ResourceAccess | undefined;
  quality?: ResourceQuality | undefined;
  [name: string]: unknown;
}

/** A resource as stored: checked, with derived fields, hashes and a revision. */
export interface ResourceRecord extends ResourceInput {
  tags: string[];
  schema_digest: string[];
  cap: string[];
  updated_at: string;
  /** First 16 hexadecimal digits of the SHA-256 of the schema. */
  schema_hash: string;
  cap_hash: string;
  /** Starts at 1 and is incremented when a hash changes. */
  rev: number;
  /** Fields that the catalog derived, such as `schema_digest`. They are derived again when the columns change. */
  derived?: string[] | undefined;
}

/** The fields of a resource shown in the overview. Cheap to read and free of secrets. */
export interface ResourceOverview {
  id: string;
  uri?: string | undefined;
  kind: ResourceKind;
  title: string;
  tags: string[];
  shape?: ResourceShape | undefined;
  schema_digest: string[];
  cap: string[];
  cost_hint?: CostHint | undefined;
  examples?: ResourceExample[] | undefined;
  owner?: string | undefined;
  updated_at: string;
  rev: number;
  schema_hash: string;
  cap_hash: string;
}

/** The fields of a resource that its details card shows to one principal. */
export interface ResourceDetails {
  id: string;
  uri?: string | undefined;
  kind: ResourceKind;
  title: string;
  description?: string | undefined;
  columns?: ResourceColumn[] | undefined;
  constraints?: Record<string, unknown> | undefined;
  pushdown?: ResourcePushdown | undefined;
  cap?: string[] | undefined;
  shape?: ResourceShape | undefined;
  usage?: ResourceUsage | undefined;
  access?: ResourceAccess | undefined;
  quality?: ResourceQuality | undefined;
  [name: string]: unknown;
}
