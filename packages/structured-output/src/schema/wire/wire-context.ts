import type { Issue } from "@ccl/core";

import type { JsonSchema } from "../../json-schema/json-schema.ts";

/** A node of a wire schema under construction. */
export type WireNode = Record<string, unknown>;

/**
 * Decodes a wire value to a domain value. Anything without the wire's shape stays unchanged, so that the domain schema
 * decides. This also accepts a model that answered in the domain's shape.
 */
export type Decode = (wire: unknown) => unknown;

/** Decodes values that are the same on both sides. */
export const asItIs: Decode = (wire) => wire;

/** A converted part of the domain schema. */
export interface Converted {
  schema: WireNode;
  decode: Decode;
}

/** A node's path in the domain schema, and the depth of its wire form. */
export interface Position {
  path: (string | number)[];
  depth: number;
}

/** What the wire schema cannot express, or expresses differently. */
type WireNoteCode =
  /** A constraint that only local validation checks. */
  | "wire_constraint_dropped"
  /** A value that is sent as JSON text. */
  | "wire_json_text"
  /** The root is wrapped in a property because it is not an object. */
  | "wire_root_wrapped"
  /** Properties that the schema allows but the model is not asked for. */
  | "wire_extra_properties";

/** State shared by the conversion of one schema. */
export interface WireContext {
  readonly root: JsonSchema;
  readonly maxDepth: number;
  readonly notes: Issue[];
  /** How many more enum values the whole schema may have. */
  enumValuesLeft: number;
  /** Decisions that depend on unfinished definitions. They run in order after the conversion. */
  readonly settle: (() => void)[];
  /** Unions that may still become tagged. */
  readonly unsettled: Set<WireNode>;
  convert(node: unknown, position: Position): Converted;
  /** The target node of a wire reference. */
  wireTarget(reference: unknown): WireNode | undefined;
  note(code: WireNoteCode, position: Position, message: string): void;
  /** Sends the value as JSON text and records the reason as a warning. */
  jsonText(node: unknown, position: Position, reason: string): Converted;
}
