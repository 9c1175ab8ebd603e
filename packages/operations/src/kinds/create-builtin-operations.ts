import { withoutUndefined } from "@ccl/core/json";
import { z } from "zod";

import type { OperationDefinition } from "../operation/operation-definition.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import {
  type ComputeOperationOptions,
  computeParamsSchema,
  createComputeOperation,
} from "./create-compute-operation.ts";
import { createGuardOperation, guardParamsSchema } from "./create-guard-operation.ts";
import {
  createLegacyOperation,
  type LegacyFunction,
  legacyParamsSchema,
} from "./create-legacy-operation.ts";
import { createLlmOperation, type LlmOperationOptions } from "./create-llm-operation.ts";
import {
  createRagOperation,
  type RagOperationOptions,
  ragParamsSchema,
} from "./create-rag-operation.ts";
import { createTemplateOperation, templateParamsSchema } from "./create-template-operation.ts";
import {
  createToolOperation,
  type ToolOperationOptions,
  toolParamsSchema,
} from "./create-tool-operation.ts";
import {
  createTransformOperation,
  type TransformOperationOptions,
  transformParamsSchema,
} from "./create-transform-operation.ts";
import { createWaitOperation, waitParamsSchema } from "./create-wait-operation.ts";
import { llmParamsSchema } from "./llm-params.ts";
import { OperationsError } from "../operations-error.ts";

/** The kinds with a handler of ours. */
export type BuiltinKind =
  | "llm"
  | "template"
  | "rag"
  | "tool"
  | "compute"
  | "transform"
  | "guard"
  | "wait"
  | "legacy";

const paramsShapes: Readonly<Record<BuiltinKind, z.ZodType>> = {
  llm: llmParamsSchema,
  template: templateParamsSchema,
  rag: ragParamsSchema,
  tool: toolParamsSchema,
  compute: computeParamsSchema,
  transform: transformParamsSchema,
  guard: guardParamsSchema,
  wait: waitParamsSchema,
  legacy: legacyParamsSchema,
};

const paramsSchemas = new Map<BuiltinKind, object>();

/** JSON Schema of a kind's parameters: one object for each kind, built at the first call. */
export function paramsSchemaOf(kind: BuiltinKind): object {
  const schema = paramsSchemas.get(kind) ?? jsonSchemaOf(paramsShapes[kind]);
  paramsSchemas.set(kind, schema);
  return schema;
}

/** What the kinds need; a kind whose part is absent has no handler. `template`, `transform` and `guard` need nothing. */
export interface BuiltinOperationsOptions
  extends Omit<LlmOperationOptions, "sleep" | "models">, TransformOperationOptions {
  models?: LlmOperationOptions["models"] | undefined;
  retriever?: RagOperationOptions["retriever"] | undefined;
  tools?: ToolOperationOptions["tools"] | undefined;
  functions?: ComputeOperationOptions["functions"] | undefined;
  /** By operation id. */
  legacy?: Readonly<Record<string, LegacyFunction>> | undefined;
}

/** Where operations are registered. */
export interface OperationTarget {
  register(definition: OperationDefinition, handler?: OperationHandler): void;
}

/** The kinds of ours, ready to be registered. */
export interface BuiltinOperations {
  /** By kind; without those that lack what they need. */
  readonly handlers: Readonly<Partial<Record<BuiltinKind, OperationHandler>>>;
  /**
   * Registers operations by their kind alone: each gets the handler of its kind and the schema of its parameters.
   * @throws OperationsError `invalid_definition` for a kind that has no handler here
   */
  register(target: OperationTarget, definitions: readonly OperationDefinition[]): void;
}

/** Handlers of all kinds that the application has given what they need. */
export function createBuiltinOperations(options: BuiltinOperationsOptions = {}): BuiltinOperations {
  const { models, retriever, tools, functions, legacy = {}, liquid, counter } = options;
  const handlers: Partial<Record<BuiltinKind, OperationHandler>> = withoutUndefined({
    template: createTemplateOperation({ liquid }),
    transform: createTransformOperation(options),
    guard: createGuardOperation(),
    wait: createWaitOperation({ liquid }),
    llm: models && createLlmOperation({ ...options, models }),
    rag: retriever && createRagOperation({ retriever, liquid, counter }),
    tool: tools && createToolOperation({ tools, liquid }),
    compute: functions && createComputeOperation({ functions }),
  });
  return {
    handlers,
    register(target, definitions) {
      for (const definition of definitions) {
        const { kind, operationId } = definition;
        const own = Object.hasOwn(legacy, operationId) ? legacy[operationId] : undefined;
        const handler =
          kind === "legacy" && own !== undefined
            ? createLegacyOperation(own)
            : handlerOf(handlers, kind);
        if (handler === undefined || !isBuiltin(kind)) {
          const message = `Operation ${JSON.stringify(operationId)} has the kind ${JSON.stringify(kind)}, for which there is no handler; give what the kind needs, or register a handler of your own.`;
          throw new OperationsError("invalid_definition", message);
        }
        target.register({ paramsSchema: paramsSchemaOf(kind), ...definition }, handler);
      }
    },
  };
}

function handlerOf(
  handlers: Partial<Record<BuiltinKind, OperationHandler>>,
  kind: string,
): OperationHandler | undefined {
  return isBuiltin(kind) ? handlers[kind] : undefined;
}

/** True for a kind with a handler of ours. */
export function isBuiltin(kind: string): kind is BuiltinKind {
  return Object.hasOwn(paramsShapes, kind);
}

function jsonSchemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { io: "input" });
}
