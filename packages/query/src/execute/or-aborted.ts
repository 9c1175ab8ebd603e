import { QueryError } from "../query-error.ts";

/** What comes first: the end of the work, or of the time for it. The work may go on. */
export async function orAborted<T>(
  action: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return await action;
  action.catch(() => undefined);
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new QueryError("aborted", "The query was aborted."));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([action, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
