import { withoutUndefined } from "@ccl/core/json";

import type { BuiltinKind, OperationDefinition } from "../operation/operation-definition.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import { OperationsError } from "../operations-error.ts";
import type { ComputeOperationOptions } from "./create-compute-operation.ts";
import type { LlmOperationOptions } from "./create-llm-operation.ts";
import type { RagOperationOptions } from "./create-rag-operation.ts";
import type { ToolOperationOptions } from "./create-tool-operation.ts";
import type { TransformOperationOptions } from "./create-transform-operation.ts";
import { lazyHandler } from "./lazy-handler.ts";

/** What the kinds need; a kind whose part is absent has no handler. `template`, `transform` and `guard` need nothing. */
export interface BuiltinOperationsOptions
  extends Omit<LlmOperationOptions, "sleep" | "models">, TransformOperationOptions {
  models?: LlmOperationOptions["models"] | undefined;
  retriever?: RagOperationOptions["retriever"] | undefined;
  tools?: ToolOperationOptions["tools"] | undefined;
  functions?: ComputeOperationOptions["functions"] | undefined;
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
  const { models, retriever, tools, functions, liquid, counter } = options;
  const handlers: Partial<Record<BuiltinKind, OperationHandler>> = withoutUndefined({
    template: lazyHandler((kinds) => kinds.createTemplateOperation({ liquid })),
    transform: lazyHandler((kinds) => kinds.createTransformOperation(options)),
    guard: lazyHandler((kinds) => kinds.createGuardOperation()),
    wait: lazyHandler((kinds) => kinds.createWaitOperation({ liquid })),
    llm: models && lazyHandler((kinds) => kinds.createLlmOperation({ ...options, models })),
    rag:
      retriever && lazyHandler((kinds) => kinds.createRagOperation({ retriever, liquid, counter })),
    tool: tools && lazyHandler((kinds) => kinds.createToolOperation({ tools, liquid })),
    compute: functions && lazyHandler((kinds) => kinds.createComputeOperation({ functions })),
  });
  const byKind = new Map(Object.entries(handlers));
  return {
    handlers,
    register(target, definitions) {
      for (const definition of definitions) {
        const { kind, operationId } = definition;
        const handler = byKind.get(kind);
        if (handler === undefined) {
          const message = `Operation ${JSON.stringify(operationId)} has the kind ${JSON.stringify(kind)}, for which there is no handler; give what the kind needs, or register a handler of your own.`;
          throw new OperationsError("invalid_definition", message);
        }
        target.register({ paramsSchema: "kind", ...definition }, handler);
      }
    },
  };
}
