export {
  abortedError,
  onAbort,
  throwIfAborted,
  untilAborted,
  type AbortErrorClass,
} from "./abort.ts";
export { mapConcurrent } from "./map-concurrent.ts";
export { backoffDelay, parseRetryAfter, type BackoffOptions } from "./retry-delay.ts";
export { sleep } from "./sleep.ts";
export { withTimeout, type TimeoutOptions } from "./with-timeout.ts";
