export { onAbort, throwIfAborted, untilAborted } from "./abort.ts";
export { createDeadline, type Deadline } from "./deadline.ts";
export { loadOnce } from "./load-once.ts";
export { mapConcurrent } from "./map-concurrent.ts";
export { retry } from "./retry.ts";
export { backoffDelay, parseRetryAfter } from "./retry-delay.ts";
export { sleep } from "./sleep.ts";
export { TurnQueue } from "./turn-queue.ts";
export { withTimeout } from "./with-timeout.ts";
