import type { Issue } from "@ccl/core";

import type { JsonSchema } from "../../json-schema/json-schema.ts";

/** A node of a wire schema under construction. */
export type WireNode = Record<string, unknown>;

/**
 * The domain value of a wire value. Lenient: what does not have the wire's shape stays as it is, so that the domain schema
 * decides, and a model that answered in the domain's shape is understood as well.
 */
export type Decode = (wire: unknown) => unknown;

/** For values that are the same on both sides. */
export const asItIs: Decode = (wire) => wire;

/** A part of the domain schema, converted. */
export interface Converted {
  schema: WireNode;
  decode: Decode;
}

/** Where in the domain schema a node stands, and how deep its wire form is nested. */
export interface Position {
  path: (string | number)[];
  depth: number;
}

/** What the wire cannot say, or says in another form. */
type WireNoteCode =
  /** A constraint that only local validation checks. */
  | "wire_constraint_dropped"
  /** A value that travels as JSON text. */
  | "wire_json_text"
  /** The root travels in a property, because it is no object. */
  | "wire_root_wrapped"
  /** Properties that the schema tolerates and a model is not asked for. */
  | "wire_extra_properties";

/** What converting one schema shares. */
export interface WireContext {
  readonly root: JsonSchema;
  readonly maxDepth: number;
  readonly notes: Issue[];
  /** Values that the enums of the whole schema may still have. */
  enumValuesLeft: number;
  /** Run in order once everything is converted: decisions that depend on definitions still under way. */
  readonly settle: (() => void)[];
  /** Unions whose form isn't decided yet. */
  readonly unsettled: Set<WireNode>;
  convert(node: unknown, position: Position): Converted;
  /** The node of the wire that a wire reference leads to. */
  wireTarget(reference: unknown): WireNode | undefined;
  note(code: WireNoteCode, position: Position, message: string): void;
  /** The value as JSON text, with the reason in the notes. */
  jsonText(node: unknown, position: Position, reason: string): Converted;
}
