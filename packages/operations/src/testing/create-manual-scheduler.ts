import type {
  OperationContext,
  OperationHandler,
  OperationOutcome,
} from "../operation/operation-definition.ts";
import { settlePromises } from "./create-virtual-clock.ts";

/** A handler call that has begun and not ended. */
interface PendingCall {
  context: OperationContext;
  /** Ends the call with the handler's result. */
  end(): void;
}

/** Decides when handlers end, one at a time, so that a test can try every order. */
export interface ManualScheduler {
  /** Wraps a handler, which ends only when the scheduler lets it. */
  hold(handler: OperationHandler): OperationHandler;
  /** In the order in which they began. */
  readonly pending: readonly PendingCall[];
  /** The largest number of calls that were pending at the same time. */
  readonly maxConcurrent: number;
  /** Every call so far, as `hook/operationId/attempt`, in the order in which they began. */
  readonly begun: readonly string[];
  /**
   * Until the promise has settled, ends calls one by one. `choose` returns an index below the number of pending calls.
   */
  runUntil<T>(promise: Promise<T>, choose: (count: number) => number): Promise<T>;
}

/** Creates a scheduler without calls. */
export function createManualScheduler(): ManualScheduler {
  const pending: PendingCall[] = [];
  const begun: string[] = [];
  let maxConcurrent = 0;
  const hold =
    (handler: OperationHandler): OperationHandler =>
    (context) =>
      new Promise<OperationOutcome>((resolve, reject) => {
        const call: PendingCall = {
          context,
          end() {
            const at = pending.indexOf(call);
            if (at >= 0) pending.splice(at, 1);
            handler(context).then(resolve, reject);
          },
        };
        pending.push(call);
        begun.push(`${context.hook}/${context.definition.operationId}/${context.attempt}`);
        maxConcurrent = Math.max(maxConcurrent, pending.length);
      });
  return {
    hold,
    pending,
    begun,
    get maxConcurrent() {
      return maxConcurrent;
    },
    async runUntil(promise, choose) {
      const outcome: { isSettled: boolean } = { isSettled: false };
      const settled = promise.finally(() => (outcome.isSettled = true));
      settled.catch(() => {});
      for (let idle = 0; !outcome.isSettled; idle += 1) {
        if (idle >= 50) throw new Error("Nothing is left to end, and the promise has not settled.");
        await settlePromises();
        const call = pending.length === 0 ? undefined : pending[choose(pending.length)];
        if (call === undefined) continue;
        idle = 0;
        call.end();
      }
      return settled;
    },
  };
}
