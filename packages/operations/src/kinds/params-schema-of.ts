import { z } from "zod";

import type { BuiltinKind } from "../operation/operation-definition.ts";
import { computeParamsSchema } from "./create-compute-operation.ts";
import { guardParamsSchema } from "./create-guard-operation.ts";
import { ragParamsSchema } from "./create-rag-operation.ts";
import { templateParamsSchema } from "./create-template-operation.ts";
import { toolParamsSchema } from "./create-tool-operation.ts";
import { transformParamsSchema } from "./create-transform-operation.ts";
import { waitParamsSchema } from "./create-wait-operation.ts";
import { llmParamsSchema } from "./llm-params.ts";

const paramsShapes: Readonly<Record<BuiltinKind, z.ZodType>> = {
  llm: llmParamsSchema,
  template: templateParamsSchema,
  rag: ragParamsSchema,
  tool: toolParamsSchema,
  compute: computeParamsSchema,
  transform: transformParamsSchema,
  guard: guardParamsSchema,
  wait: waitParamsSchema,
};

const paramsSchemas = new Map<string, object>();

/** JSON Schema of the parameters of a kind of ours: one object for each, built at the first call. */
export function paramsSchemaOf(kind: string): object | undefined {
  const shape = isBuiltin(kind) ? paramsShapes[kind] : undefined;
  const schema = paramsSchemas.get(kind) ?? (shape && z.toJSONSchema(shape, { io: "input" }));
  if (schema !== undefined) paramsSchemas.set(kind, schema);
  return schema;
}

function isBuiltin(kind: string): kind is BuiltinKind {
  return Object.hasOwn(paramsShapes, kind);
}
