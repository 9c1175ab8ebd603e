import type { S3Operation, S3ServerRequest } from "./s3-request.ts";

/** Which requests a fault applies to. All given fields must match. */
interface S3FaultMatch {
  operation?: S3Operation | readonly S3Operation[] | undefined;
  /** A part of the key. */
  key?: string | undefined;
}

/**
 * What happens to a matching request. `error`: the server answers this instead of running the operation. `cut`: the
 * connection ends after that many bytes of the request body were read or, with `when: "answer"`, of the answer's body
 * were sent (its declared length stays the same). `lose-answer`: the operation runs, but the connection ends without an
 * answer. `hang`: no answer ever. `wait`: the operation starts when the promise has resolved. `damage`: one bit of the
 * answer's body is inverted.
 */
export type S3FaultAction =
  | { kind: "error"; status: number; code: string }
  | { kind: "cut"; when: "request" | "answer"; afterBytes: number }
  | { kind: "lose-answer" }
  | { kind: "hang" }
  | { kind: "wait"; until: Promise<unknown> }
  | { kind: "damage" };

/** A fault, and how often it applies. */
export interface S3Fault extends S3FaultMatch {
  action: S3FaultAction;
  /** How many matching requests pass first. 0 by default. */
  skip?: number | undefined;
  /** 1 by default. `Infinity` for every request. */
  times?: number | undefined;
}

/** Faults in the order in which they were set. The first match applies. */
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
