import type { S3Operation, S3ServerRequest } from "./s3-request.ts";

/** Which requests a fault meets; all fields that are given must fit. */
interface S3FaultMatch {
  operation?: S3Operation | readonly S3Operation[] | undefined;
  /** A part of the key. */
  key?: string | undefined;
}

/**
 * What happens to such a request. `error`: that answer instead of the operation. `cut`: the connection ends after that
 * many bytes of the request body were read, or, with `when: "answer"`, of the answer's body were sent (the length that was
 * promised stays whole). `lose-answer`: the operation happens, the connection ends without an answer. `hang`: nothing, ever.
 * `wait`: the operation begins when the promise has resolved. `damage`: one bit of the answer's body is turned.
 */
export type S3FaultAction =
  | { kind: "error"; status: number; code: string }
  | { kind: "cut"; when: "request" | "answer"; afterBytes: number }
  | { kind: "lose-answer" }
  | { kind: "hang" }
  | { kind: "wait"; until: Promise<unknown> }
  | { kind: "damage" };

/** A fault, and how often it strikes. */
export interface S3Fault extends S3FaultMatch {
  action: S3FaultAction;
  /** Matching requests that are let through first; 0 by default. */
  skip?: number | undefined;
  /** 1 by default; `Infinity` for good. */
  times?: number | undefined;
}

/** Faults in the order in which they were set; the first that fits strikes. */
export class FaultList {
  #faults: { fault: S3Fault; skip: number; times: number }[] = [];

  add(fault: S3Fault): () => void {
    const entry = { fault, skip: fault.skip ?? 0, times: fault.times ?? 1 };
    this.#faults.push(entry);
    return () => {
      this.#faults = this.#faults.filter((each) => each !== entry);
    };
  }

  strike(request: S3ServerRequest): S3FaultAction | undefined {
    for (const entry of this.#faults) {
      if (entry.times <= 0 || !isMatch(entry.fault, request)) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.times -= 1;
      return entry.fault.action;
    }
    return undefined;
  }
}

function isMatch({ operation, key }: S3FaultMatch, request: S3ServerRequest): boolean {
  const operations =
    operation === undefined || typeof operation === "string" ? [operation] : operation;
  const isOperation = operations.some((each) => each === undefined || each === request.operation);
  return isOperation && (key === undefined || request.key.includes(key));
}
