/** Kinds with a meaning of their own, and any of yours. */
export type ResourceKind = "tabular" | "kv" | "api" | "bus" | "file" | "skill" | (string & {});

/** How large a resource is. */
export interface ResourceShape {
  /** A number or its text, like `1e7`. */
  rows_est?: string | number;
  cols?: number;
}

/** What asking a resource costs. */
export interface CostHint {
  latency_ms_p50?: number;
  egress_mb?: number;
  [name: string]: unknown;
}

/** A task that a resource is good for, and the operations that it takes. */
export interface ResourceExample {
  task: string;
  ops?: string[];
}

/** A column, a parameter or a field. */
export interface ResourceColumn {
  name: string;
  type?: string;
  description?: string;
  /** Not null. */
  nn?: boolean;
  pk?: boolean;
  /** The column it points at, like `public.users.id`. */
  fk?: string;
  /** Kind of index, like `btree`. */
  index?: string;
  unit?: string;
  /** Like `pii`: hidden without a grant. */
  tags?: string[];
  [name: string]: unknown;
}

/** Ready code for a resource. */
export interface ResourceSnippet {
  /** `sql`, `ir`, `http`, `ts` and the like. */
  engine: string;
  code: string;
  title?: string;
}

/** How a resource is used, and how not. */
export interface ResourceUsage {
  snippets?: ResourceSnippet[];
  anti_patterns?: string[];
}

/** Who may see the details, and the secrets that a connector needs: references, never values. */
export interface ResourceAccess {
  /** Like `rbac:analyst-read`. */
  policy?: string;
  secrets?: string[];
}

/** What a source promises about its data. */
export interface ResourceQuality {
  freshness_sla_s?: number;
  /** Share of nulls by column, 0..1. */
  null_rate?: Record<string, number>;
  [name: string]: unknown;
}

/** What a source can do by itself. */
export interface ResourcePushdown {
  filter?: boolean;
  project?: boolean;
  aggregate?: boolean;
  window?: boolean;
  sort?: boolean;
  limit?: boolean;
  join?: boolean;
}

/** A resource as it is registered: three fields are needed, the rest is derived or left out. Unknown fields are kept. */
export interface ResourceInput {
  /** Like `res:db.pg.main.public.orders`. */
  id: string;
  kind: ResourceKind;
  title: string;
  /** `ada://any/db/pg:main/public.orders`, or a plain URL. */
  uri?: string;
  description?: string;
  /** `pii:none`, `fresh:realtime`, `lifecycle:stable` and your own. */
  tags?: string[];
  shape?: ResourceShape;
  /** At most 5 fields as `name:type`; derived from the columns where absent. */
  schema_digest?: string[];
  /** `scan`, `filter`, `project`, `aggregate`, `sort`, `limit`, `join` and the like. */
  cap?: string[];
  cost_hint?: CostHint;
  examples?: ResourceExample[];
  owner?: string;
  /** ISO 8601; the time of registration where absent. */
  updated_at?: string;
  columns?: ResourceColumn[];
  constraints?: Record<string, unknown>;
  pushdown?: ResourcePushdown;
  usage?: ResourceUsage;
  access?: ResourceAccess;
  quality?: ResourceQuality;
  [name: string]: unknown;
}

/** A resource as it is stored: checked, derived, hashed and counted. */
export interface ResourceRecord extends ResourceInput {
  tags: string[];
  schema_digest: string[];
  cap: string[];
  updated_at: string;
  /** First 16 hexadecimal digits of the SHA-256 of what a schema is. */
  schema_hash: string;
  cap_hash: string;
  /** From 1; counts up when a hash changes. */
  rev: number;
  /** Members that the catalog made, like `schema_digest`; made anew when the columns change. */
  derived?: string[];
}

/** What the overview shows of a resource: cheap, and free of secrets. */
export interface ResourceOverview {
  id: string;
  uri?: string;
  kind: ResourceKind;
  title: string;
  tags: string[];
  shape?: ResourceShape;
  schema_digest: string[];
  cap: string[];
  cost_hint?: CostHint;
  examples?: ResourceExample[];
  owner?: string;
  updated_at: string;
  rev: number;
  schema_hash: string;
  cap_hash: string;
}

/** What the details card shows of a resource to one principal. */
export interface ResourceDetails {
  id: string;
  uri?: string;
  kind: ResourceKind;
  title: string;
  description?: string;
  columns?: ResourceColumn[];
  constraints?: Record<string, unknown>;
  pushdown?: ResourcePushdown;
  cap?: string[];
  shape?: ResourceShape;
  usage?: ResourceUsage;
  access?: ResourceAccess;
  quality?: ResourceQuality;
  [name: string]: unknown;
}
