import type { OperationDefinition } from "../operation/operation-definition.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import { OperationsError } from "../operations-error.ts";

/** An operation that can be run. */
export interface RegisteredOperation {
  /** Frozen. */
  definition: OperationDefinition;
  /** Absent: the engine's own handler for the kind. */
  handler?: OperationHandler | undefined;
}

/** The operations that profiles may name. */
export interface OperationRegistry {
  /**
   * Adds an operation. Without a handler the engine uses its own for the kind.
   * @throws OperationsError `duplicate_operation`, `invalid_definition`
   */
  register(definition: OperationDefinition, handler?: OperationHandler): void;
  /** In the order of their ids' code units. */
  definitions(): OperationDefinition[];
  find(operationId: string): RegisteredOperation | undefined;
}

/** An empty registry. */
export function createOperationRegistry(): OperationRegistry {
  const operations = new Map<string, RegisteredOperation>();
  return {
    register(definition, handler) {
      checkDefinition(definition);
      checkHandler(definition, handler);
      const { operationId } = definition;
      if (operations.has(operationId)) {
        const message = `Operation ${JSON.stringify(operationId)} is registered already; give the other one an id of its own.`;
        throw new OperationsError("duplicate_operation", message);
      }
      const frozen = Object.freeze({ ...definition });
      operations.set(operationId, { definition: frozen, handler });
    },
    definitions: () =>
      [...operations.keys()].sort().flatMap((id) => operations.get(id)?.definition ?? []),
    find: (operationId) => operations.get(operationId),
  };
}

function checkHandler({ operationId }: OperationDefinition, handler: unknown): void {
  if (handler === undefined || typeof handler === "function") return;
  const message = `The handler of ${JSON.stringify(operationId)} is no function; leave it out for that of the kind.`;
  throw new OperationsError("invalid_definition", message);
}

/** What a tag may look like: it stands in templates as `art.<tag>`, and is a key of plain objects. */
export const tagPattern: RegExp = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_-]{0,99}$/;

// Ids stand in events, step keys and messages.
const idPattern = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

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
