import { loadOnce } from "@ccl/core/async";

import type { BuiltinKind, OperationHandler } from "../operation/operation-definition.ts";
import type { BuiltinOperationsOptions } from "./kind-options.ts";

/** The built-in kinds, for `OperationRegistry.register`. */
export interface BuiltinOperations {
  /** Handlers by kind. Omits kinds that lack a required option. */
  readonly handlers: Readonly<Record<string, OperationHandler>>;
}

/** Each kind, and the option that it requires. */
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

/**
 * Creates a handler of a built-in kind. Its first call loads the code of the kinds, including schemas and templates.
 */
export function kindHandler(
  kind: BuiltinKind,
  options: BuiltinOperationsOptions,
): OperationHandler {
  const load = loadOnce(async () => (await loadKinds()).kinds[kind].createHandler(options));
  return async (context) => (await load())(context);
}

/** Creates the handlers of all kinds whose required options are supplied. */
export function createBuiltinOperations(options: BuiltinOperationsOptions = {}): BuiltinOperations {
  const given = needs.filter(([, need]) => need === undefined || options[need] !== undefined);
  return {
    handlers: Object.fromEntries(given.map(([kind]) => [kind, kindHandler(kind, options)])),
  };
}
