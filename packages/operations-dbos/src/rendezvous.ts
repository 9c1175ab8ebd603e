import type { OperationAttempt, OperationKey, OperationOutcome, RunEvent } from "@ccl/operations";

import { handOver, type HandedAttempt } from "./handed-attempt.ts";
import { operationName } from "./operation-name.ts";

/** Where the workflow of one operation waits for what the engine decides. */
export interface Seat {
  /** The next attempt, or how the operation has ended. */
  next(): Promise<HandedAttempt | string>;
  leave(): void;
}

/** A run that a workflow of this process carries. */
export interface OpenMeeting {
  /** The operation's workflow waits here by now, or never will. */
  started(operation: OperationKey): void;
  close(): void;
}

/**
 * Where the engine of this process and the workflows of its operations meet. The engine decides when an attempt begins;
 * where the operation's workflow waits here, the attempt is carried out by that, and otherwise at once.
 */
export interface Rendezvous {
  /** Until the meeting is closed or has said that it was started, an operation of these is waited for. */
  open(runId: string, operations: readonly OperationKey[]): OpenMeeting;
  take(runId: string, operation: OperationKey): Seat;
  carry(
    attempt: OperationAttempt,
    execute: () => Promise<OperationOutcome>,
  ): Promise<OperationOutcome>;
  /** Ends the seats of operations that have ended. */
  hear(event: RunEvent): void;
  /** Ends the seats that the function has an answer for. */
  end(runId: string, statusOf: (operation: OperationKey) => string | undefined): void;
  /** True where workflows of operations wait, and none of this process carries their run. */
  isLeft(runId: string): boolean;
  /** Nobody is told of anything any more. */
  close(): void;
}

interface OpenSeat {
  operation: OperationKey;
  tell(call: HandedAttempt | string): void;
}

interface Meeting {
  carriers: number;
  /** The newest of an operation comes last. */
  seats: OpenSeat[];
  /** Statuses by name. */
  ends: Map<string, string>;
  /** By name: those whose workflows are about to be started. */
  expected: Map<string, Gate>;
}

/** A rendezvous; `onLeft` hears of runs whose operations' workflows wait while no workflow here carries the run. */
export function createRendezvous(onLeft: (runId: string) => void): Rendezvous {
  const meetings = new Map<string, Meeting>();
  let isClosed = false;
  const meetingOf = (runId: string): Meeting => {
    const meeting = meetings.get(runId) ?? {
      carriers: 0,
      seats: [],
      ends: new Map(),
      expected: new Map(),
    };
    if (!isClosed) meetings.set(runId, meeting);
    return meeting;
  };
  const tidy = (runId: string, meeting: Meeting): void => {
    const { carriers, seats } = meeting;
    // A seat that is left late may be of a meeting that is over.
    if (carriers > 0 || meetings.get(runId) !== meeting) return;
    if (seats.length > 0) onLeft(runId);
    else meetings.delete(runId);
  };
  const end = (runId: string, statusOf: (operation: OperationKey) => string | undefined): void => {
    const meeting = meetings.get(runId);
    if (meeting === undefined) return;
    endSeats(meeting, statusOf);
    tidy(runId, meeting);
  };
  return {
    open(runId, operations) {
      const meeting = meetingOf(runId);
      meeting.carriers += 1;
      for (const operation of operations)
        meeting.expected.set(operationName(operation), createGate());
      return {
        started: (operation) => admit(meeting, operation),
        close() {
          for (const operation of operations) admit(meeting, operation);
          meeting.carriers -= 1;
          tidy(runId, meeting);
        },
      };
    },
    take(runId, operation) {
      const meeting = meetingOf(runId);
      const { tell, next } = createCalls();
      const seat = { operation, tell };
      const status = meeting.ends.get(operationName(operation));
      if (status === undefined) meeting.seats.push(seat);
      else tell(status);
      tidy(runId, meeting);
      return {
        next,
        leave() {
          meeting.seats = meeting.seats.filter((other) => other !== seat);
          tidy(runId, meeting);
        },
      };
    },
    async carry(attempt, execute) {
      const name = operationName(attempt);
      await meetings.get(attempt.runId)?.expected.get(name)?.opened;
      const seat = meetings
        .get(attempt.runId)
        ?.seats.findLast(({ operation }) => operationName(operation) === name);
      if (seat === undefined) return execute();
      return new Promise((resolve, reject) => seat.tell(handOver(execute, { resolve, reject })));
    },
    hear(event) {
      if (event.type !== "operation.finished") return;
      const { runId, status } = event;
      const name = operationName(event);
      meetings.get(runId)?.ends.set(name, status);
      end(runId, (operation) => (operationName(operation) === name ? status : undefined));
    },
    end,
    isLeft(runId) {
      const meeting = meetings.get(runId);
      return meeting !== undefined && meeting.carriers === 0 && meeting.seats.length > 0;
    },
    close() {
      isClosed = true;
      for (const { expected } of meetings.values())
        for (const gate of expected.values()) gate.open();
      meetings.clear();
    },
  };
}

function endSeats(
  meeting: Meeting,
  statusOf: (operation: OperationKey) => string | undefined,
): void {
  const open: OpenSeat[] = [];
  for (const seat of meeting.seats) {
    const status = statusOf(seat.operation);
    if (status === undefined) open.push(seat);
    else seat.tell(status);
  }
  meeting.seats = open;
}

/** Nobody waits for its workflow any longer. */
function admit({ expected }: Meeting, operation: OperationKey): void {
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
function createCalls(): { tell: OpenSeat["tell"]; next: Seat["next"] } {
  const waiting: (HandedAttempt | string)[] = [];
  let wake: (() => void) | undefined;
  return {
    tell(call) {
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
