import { idPattern, type OperationDefinition } from "../operation/operation-definition.ts";
import { tagPattern } from "../artifact/operation-artifact.ts";
import { OperationsError } from "../operations-error.ts";
import {
  operationsOf,
  type OperationRegistry,
  type RegisteredOperation,
} from "./registered-operation.ts";

/** Creates an empty registry. */
export function createOperationRegistry(): OperationRegistry {
  const operations = new Map<string, RegisteredOperation>();
  const defined = new Set<string>();
  const add = (operation: RegisteredOperation, replaces: boolean): void => {
    const { definition, handler } = operation;
    checkDefinition(definition);
    checkHandler(definition, handler);
    const { operationId } = definition;
    if (operations.has(operationId) && !replaces) {
      const message = `Operation ${JSON.stringify(operationId)} is registered already; give the other one its own id.`;
      throw new OperationsError("duplicate_operation", message);
    }
    operations.set(operationId, operation);
  };
  return {
    register(definition, handler) {
      add({ definition: Object.freeze({ ...definition }), handler }, false);
    },
    define(profile) {
      for (const operation of operationsOf(profile)) {
        const { operationId } = operation.definition;
        add(operation, defined.has(operationId));
        defined.add(operationId);
      }
    },
    find: (operationId) => operations.get(operationId),
  };
}

function checkHandler({ operationId }: OperationDefinition, handler: unknown): void {
  if (handler === undefined || typeof handler === "function") return;
  const message = `The handler of ${JSON.stringify(operationId)} is not a function; leave it out for that of the kind.`;
  throw new OperationsError("invalid_definition", message);
}

function checkDefinition({ operationId, kind, name, writesTag }: OperationDefinition): void {
  for (const [field, value] of Object.entries({ operationId, kind, name })) {
    if (typeof value === "string" && idPattern.test(value)) continue;
    const message = `The ${field} ${JSON.stringify(value)} must be 1 to 200 characters, none of them a control character.`;
    throw new OperationsError("invalid_definition", message);
  }
  if (writesTag !== undefined && !tagPattern.test(writesTag)) {
    const message = `Operation ${JSON.stringify(operationId)} can't write the tag ${JSON.stringify(writesTag)}: a tag is a letter or _, then letters, digits, _ or -.`;
    throw new OperationsError("invalid_definition", message);
  }
}
