import type { OperationOutcome } from "@ccl/operations";

/** An attempt that the engine passed to the workflow of its operation. */
export interface RemoteAttempt {
  /** True once the attempt has begun. */
  readonly hasBegun: boolean;
  /** True once its handler has ended. */
  readonly hasEnded: boolean;
  /** Calls the handler, but only once. Resolves to the resulting status and never rejects. */
  begin(): Promise<string>;
}

/** Settles like `execute`, wherever it is begun. */
export function createRemoteAttempt(
  execute: () => Promise<OperationOutcome>,
  engine: { resolve(outcome: OperationOutcome): void; reject(error: unknown): void },
): RemoteAttempt {
  let begun: Promise<string> | undefined;
  let hasEnded = false;
  const run = async (): Promise<string> => {
    try {
      const outcome = await execute();
      engine.resolve(outcome);
      return outcome.status;
    } catch (error) {
      engine.reject(error);
      return "error";
    } finally {
      hasEnded = true;
    }
  };
  return {
    get hasBegun() {
      return begun !== undefined;
    },
    get hasEnded() {
      return hasEnded;
    },
    begin: async () => (begun ??= run()),
  };
}
