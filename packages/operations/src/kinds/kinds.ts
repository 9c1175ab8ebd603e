import { z } from "zod";

import type { BuiltinKind } from "../operation/operation-definition.ts";
import { computeKind } from "./compute-kind.ts";
import { guardKind } from "./guard-kind.ts";
import type { Kind } from "./kind.ts";
import { llmKind } from "./llm-kind.ts";
import { ragKind } from "./rag-kind.ts";
import { templateKind } from "./template-kind.ts";
import { toolKind } from "./tool-kind.ts";
import { transformKind } from "./transform-kind.ts";
import { waitKind } from "./wait-kind.ts";

/** All built-in kinds. */
export const kinds: Readonly<Record<BuiltinKind, Kind>> = {
  llm: llmKind,
  template: templateKind,
  rag: ragKind,
  tool: toolKind,
  compute: computeKind,
  transform: transformKind,
  guard: guardKind,
  wait: waitKind,
};

const schemas = new Map<string, object>();

/** Returns the JSON Schema of a built-in kind's parameters. Built on the first call and cached. */
export function paramsSchemaOf(kind: string): object | undefined {
  if (!isBuiltin(kind)) return undefined;
  const schema = schemas.get(kind) ?? z.toJSONSchema(kinds[kind].params, { io: "input" });
  schemas.set(kind, schema);
  return schema;
}

function isBuiltin(kind: string): kind is BuiltinKind {
  return Object.hasOwn(kinds, kind);
}
