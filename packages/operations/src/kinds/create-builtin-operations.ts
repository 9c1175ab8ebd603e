import { loadOnce } from "@ccl/core/async";

import type { OperationHandler } from "../operation/operation-context.ts";
import type { BuiltinKind, OperationDefinition } from "../operation/operation-definition.ts";
import { OperationsError } from "../operations-error.ts";
import type { BuiltinOperationsOptions } from "./kind-options.ts";

/** Where operations are registered. */
export interface OperationTarget {
  register(definition: OperationDefinition, handler?: OperationHandler): void;
}

/** The built-in kinds, ready to be registered. */
export interface BuiltinOperations {
  /** Handlers by kind. Kinds that lack an option they need are left out. */
  readonly handlers: Readonly<Record<string, OperationHandler>>;
  /**
   * Registers operations by kind alone: each gets the handler of its kind and the schema of its parameters.
   * @throws OperationsError `invalid_definition` for a kind that has no handler here
   */
  register(target: OperationTarget, definitions: readonly OperationDefinition[]): void;
}

/** Each kind, and the option that it needs. */
const needs: readonly (readonly [BuiltinKind, (keyof BuiltinOperationsOptions)?])[] = [
  ["template"],
  ["transform"],
  ["guard"],
  ["wait"],
  ["llm", "models"],
  ["rag", "retriever"],
  ["tool", "tools"],
  ["compute", "functions"],
];

const loadKinds = loadOnce(() => import("./kinds.ts"));

/** A handler of a built-in kind. Its first call loads the code of the kinds, with their schemas and templates. */
export function kindHandler(
  kind: BuiltinKind,
  options: BuiltinOperationsOptions,
): OperationHandler {
  const load = loadOnce(async () => (await loadKinds()).kinds[kind].createHandler(options));
  return async (context) => (await load())(context);
}

/** Creates the handlers of all kinds whose options the application has supplied. */
export function createBuiltinOperations(options: BuiltinOperationsOptions = {}): BuiltinOperations {
  const given = needs.filter(([, need]) => need === undefined || options[need] !== undefined);
  const handlers: Record<string, OperationHandler> = Object.fromEntries(
    given.map(([kind]) => [kind, kindHandler(kind, options)]),
  );
  return {
    handlers,
    register(target, definitions) {
      for (const definition of definitions) {
        const { kind, operationId } = definition;
        const handler = Object.hasOwn(handlers, kind) ? handlers[kind] : undefined;
        if (handler === undefined) {
          const message = `Operation ${JSON.stringify(operationId)} has the kind ${JSON.stringify(kind)}, for which there is no handler; give what the kind needs, or register a handler of your own.`;
          throw new OperationsError("invalid_definition", message);
        }
        target.register({ paramsSchema: "kind", ...definition }, handler);
      }
    },
  };
}
