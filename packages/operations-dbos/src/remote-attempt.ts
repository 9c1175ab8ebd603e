import type { OperationOutcome } from "@ccl/operations";

/** An attempt that the engine has handed to the workflow of its operation. */
export interface RemoteAttempt {
  /** True once it was begun. */
  readonly hasBegun: boolean;
  /** True once its handler has come to an end. */
  readonly hasEnded: boolean;
  /** Calls the handler, the first time; gives the status that it came to. Never rejects. */
  begin(): Promise<string>;
}

/** Settles as `execute` does, wherever that is begun. */
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
