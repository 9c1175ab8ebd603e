import type { OperationAttempt, OperationKey, OperationOutcome, RunEvent } from "@ccl/operations";

import { createRemoteAttempt, type RemoteAttempt } from "./remote-attempt.ts";
import { operationName } from "./operation-name.ts";

/** Where the workflow of one operation waits for what the engine decides. */
export interface AttemptSlot {
  /** The next attempt, or how the operation has ended. */
  next(): Promise<RemoteAttempt | string>;
  leave(): void;
}

/** A run that a workflow of this process executes. */
export interface RunAttempts {
  /** The operation's workflow waits here by now, or never will. */
  started(operation: OperationKey): void;
  close(): void;
}

/**
 * Hands attempts of the engine in this process to the workflows of its operations. The engine decides when an attempt begins;
 * where the operation's workflow waits here, the attempt is carried out by that, and otherwise at once.
 */
export interface AttemptQueue {
  /** Until the queue is closed or has said that it was started, an operation of these is waited for. */
  open(runId: string, operations: readonly OperationKey[]): RunAttempts;
  take(runId: string, operation: OperationKey): AttemptSlot;
  run(
    attempt: OperationAttempt,
    execute: () => Promise<OperationOutcome>,
  ): Promise<OperationOutcome>;
  /** Ends the slots of operations that have ended. */
  onEvent(event: RunEvent): void;
  /** Ends the slots that the function has an answer for. */
  end(runId: string, statusOf: (operation: OperationKey) => string | undefined): void;
  /** True if operation workflows are waiting for a run that no workflow of this process executes. */
  isOrphaned(runId: string): boolean;
  /** Drops everything that waits. */
  close(): void;
}

interface OpenSlot {
  operation: OperationKey;
  deliver(call: RemoteAttempt | string): void;
}

interface RunQueue {
  owners: number;
  /** The newest of an operation comes last. */
  slots: OpenSlot[];
  /** Statuses by name. */
  ends: Map<string, string>;
  /** By name: those whose workflows are about to be started. */
  expected: Map<string, Gate>;
}

/** An empty queue; `onOrphaned` is called with runs whose operations' workflows wait while no workflow here executes the run. */
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
    // A slot that is left late may be of a queue that is over.
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

/** The engine no longer waits for the operation's workflow. */
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

/** Calls in their order, those that came before somebody asked for them included. */
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
