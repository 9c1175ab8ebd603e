import type { OperationAttempt, OperationKey, OperationOutcome, RunEvent } from "@ccl/operations";

import { createRemoteAttempt, type RemoteAttempt } from "./remote-attempt.ts";
import { operationName } from "./operation-name.ts";

/** Where the workflow of one operation waits for the engine's decisions. */
export interface AttemptSlot {
  /** The next attempt, or the status with which the operation ended. */
  next(): Promise<RemoteAttempt | string>;
  leave(): void;
}

/** A run that a workflow of this process executes. */
export interface RunAttempts {
  /** Called once the operation's workflow waits here, or when it never will. */
  started(operation: OperationKey): void;
  close(): void;
}

/**
 * Passes attempts of the engine in this process to the workflows of its operations. The engine decides when an attempt
 * begins. If the operation's workflow waits here, the workflow executes the attempt. Otherwise it is executed
 * immediately.
 */
export interface AttemptQueue {
  /** The engine waits for the workflows of these operations until the queue is closed or reports that they started. */
  open(runId: string, operations: readonly OperationKey[]): RunAttempts;
  take(runId: string, operation: OperationKey): AttemptSlot;
  run(
    attempt: OperationAttempt,
    execute: () => Promise<OperationOutcome>,
  ): Promise<OperationOutcome>;
  /** Ends the slots of operations that have ended. */
  onEvent(event: RunEvent): void;
  /** Ends the slots for which the function returns a status. */
  end(runId: string, statusOf: (operation: OperationKey) => string | undefined): void;
  /** True if operation workflows wait for a run that no workflow of this process executes. */
  isOrphaned(runId: string): boolean;
  /** Drops every waiting attempt and slot. */
  close(): void;
}

interface OpenSlot {
  operation: OperationKey;
  deliver(call: RemoteAttempt | string): void;
}

interface RunQueue {
  owners: number;
  /** The newest slot of an operation comes last. */
  slots: OpenSlot[];
  /** Statuses by name. */
  ends: Map<string, string>;
  /** Operations by name whose workflows are about to start. */
  expected: Map<string, Gate>;
}

/**
 * Creates an empty queue. `onOrphaned` is called with runs whose operation workflows wait although no workflow here
 * executes the run.
 */
export function createAttemptQueue(onOrphaned: (runId: string) => void): AttemptQueue {
  const queues = new Map<string, RunQueue>();
  let isClosed = false;
  const queueOf = (runId: string): RunQueue => {
    const queue = queues.get(runId) ?? {
      owners: 0,
      slots: [],
      ends: new Map(),
      expected: new Map(),
    };
    if (!isClosed) queues.set(runId, queue);
    return queue;
  };
  const tidy = (runId: string, queue: RunQueue): void => {
    const { owners, slots } = queue;
    // A slot that is released late may belong to a closed queue.
    if (owners > 0 || queues.get(runId) !== queue) return;
    if (slots.length > 0) onOrphaned(runId);
    else queues.delete(runId);
  };
  const end = (runId: string, statusOf: (operation: OperationKey) => string | undefined): void => {
    const queue = queues.get(runId);
    if (queue === undefined) return;
    endSlots(queue, statusOf);
    tidy(runId, queue);
  };
  return {
    open(runId, operations) {
      const queue = queueOf(runId);
      queue.owners += 1;
      for (const operation of operations)
        queue.expected.set(operationName(operation), createGate());
      return {
        started: (operation) => admit(queue, operation),
        close() {
          for (const operation of operations) admit(queue, operation);
          queue.owners -= 1;
          tidy(runId, queue);
        },
      };
    },
    take(runId, operation) {
      const queue = queueOf(runId);
      const { deliver, next } = createCalls();
      const slot = { operation, deliver };
      const status = queue.ends.get(operationName(operation));
      if (status === undefined) queue.slots.push(slot);
      else deliver(status);
      tidy(runId, queue);
      return {
        next,
        leave() {
          queue.slots = queue.slots.filter((other) => other !== slot);
          tidy(runId, queue);
        },
      };
    },
    async run(attempt, execute) {
      const name = operationName(attempt);
      await queues.get(attempt.runId)?.expected.get(name)?.opened;
      const slot = queues
        .get(attempt.runId)
        ?.slots.findLast(({ operation }) => operationName(operation) === name);
      if (slot === undefined) return execute();
      return new Promise((resolve, reject) =>
        slot.deliver(createRemoteAttempt(execute, { resolve, reject })),
      );
    },
    onEvent(event) {
      if (event.type !== "operation.finished") return;
      const { runId, status } = event;
      const name = operationName(event);
      queues.get(runId)?.ends.set(name, status);
      end(runId, (operation) => (operationName(operation) === name ? status : undefined));
    },
    end,
    isOrphaned(runId) {
      const queue = queues.get(runId);
      return queue !== undefined && queue.owners === 0 && queue.slots.length > 0;
    },
    close() {
      isClosed = true;
      for (const { expected } of queues.values()) for (const gate of expected.values()) gate.open();
      queues.clear();
    },
  };
}

function endSlots(
  queue: RunQueue,
  statusOf: (operation: OperationKey) => string | undefined,
): void {
  const open: OpenSlot[] = [];
  for (const slot of queue.slots) {
    const status = statusOf(slot.operation);
    if (status === undefined) open.push(slot);
    else slot.deliver(status);
  }
  queue.slots = open;
}

/** From now on the engine does not wait for the operation's workflow. */
function admit({ expected }: RunQueue, operation: OperationKey): void {
  const name = operationName(operation);
  expected.get(name)?.open();
  expected.delete(name);
}

interface Gate {
  opened: Promise<void>;
  open(): void;
}

function createGate(): Gate {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Delivers calls in their order, including those that arrived before anybody asked. */
function createCalls(): { deliver: OpenSlot["deliver"]; next: AttemptSlot["next"] } {
  const waiting: (RemoteAttempt | string)[] = [];
  let wake: (() => void) | undefined;
  return {
    deliver(call) {
      waiting.push(call);
      wake?.();
    },
    async next() {
      for (;;) {
        const call = waiting.shift();
        if (call !== undefined) return call;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
