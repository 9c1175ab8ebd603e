import type { ConditionOperator } from "../connector/simple-condition.ts";

/** How the pages of an answer are asked for. A page is the last one where it is empty, or where nothing leads on. */
export type HttpPaging =
  /** The whole answer comes at once. */
  | { by: "none" }
  /** Pages are counted, from `first` (1 by default). */
  | { by: "page"; parameter: string; first?: number | undefined }
  /** Rows are counted. */
  | { by: "offset"; parameter: string }
  /** Each answer names the next cursor at `cursorAt`, keys joined by dots; none, null or an empty one ends. */
  | { by: "cursor"; parameter: string; cursorAt: string }
  /** Each answer has a Link header (RFC 8288) with `rel="next"`. */
  | { by: "link" };

/** What the card of a resource does not say. */
export interface HttpResource {
  /** Below the base address, with `{name}` for arguments. By default the card's `http.path`, or the rest of its uri. */
  path?: string | undefined;
  /** Keys from the answer to the list of rows, joined by dots; empty for the answer itself. By default as the column names tell. */
  rowsAt?: string | undefined;
  /** Follows Link headers where absent; a card with a parameter such as `page` has to say how it is paged. */
  paging?: HttpPaging | undefined;
  /** Query parameters for further conditions, like `{ since: { column: "day", operator: "ge" } }`. */
  parameters?:
    | Readonly<Record<string, { column: string; operator: Exclude<ConditionOperator, "in"> }>>
    | undefined;
  /** Sent with every request, like the size of a page. */
  query?: Readonly<Record<string, string>> | undefined;
}

/** The part of `fetch` that is used. */
export type HttpFetch = (
  url: string,
  init: { method: "GET"; headers: Record<string, string>; redirect: "manual"; signal: AbortSignal },
) => Promise<Response>;

/** How an API is read. */
export interface HttpConnectorOptions {
  /** Nothing outside of it is ever asked, whatever a server says. */
  baseUrl: string;
  /** The platform's by default. */
  fetch?: HttpFetch | undefined;
  /** Headers of a request, asked for each time; they appear in no message. */
  auth?:
    | ((request: {
        resource: string;
        signal: AbortSignal;
      }) => Record<string, string> | Promise<Record<string, string>>)
    | undefined;
  /** By the id of the resource. */
  resources?: Readonly<Record<string, HttpResource>> | undefined;
  /** For messages; the host by default. */
  name?: string | undefined;
  /** Most attempts to repeat a request that failed in a way that may pass; 3 by default. */
  maxRetries?: number | undefined;
  /** Pages of one call; 1,000 by default. More fail, and are never left out. */
  maxPages?: number | undefined;
  /** Of all answers of one call, as they come decoded; 64 MiB by default. */
  maxBytes?: number | undefined;
  /** Calls of one scan with different arguments; 100 by default. */
  maxCalls?: number | undefined;
  /** A timer that ends early, with a rejection, when the signal aborts. The platform's by default. */
  wait?: ((durationMs: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** 0 to below 1, for the jitter of waits. */
  random?: (() => number) | undefined;
  /** Milliseconds since the epoch, for dates of Retry-After. */
  now?: (() => number) | undefined;
}
