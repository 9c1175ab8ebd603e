/** How the pages of an answer are requested. A page is the last one if it is empty or names no next page. */
export type HttpPaging =
  /** The whole answer comes at once. */
  | { by: "none" }
  /** A page number, counted from `first` (1 by default). */
  | { by: "page"; parameter: string; first?: number | undefined }
  /** The number of rows to skip. */
  | { by: "offset"; parameter: string }
  /**
   * Each answer has the next cursor at `cursorAt`, keys joined by dots. A missing, null or empty
   * cursor ends the pages.
   */
  | { by: "cursor"; parameter: string; cursorAt: string }
  /** Each answer has a Link header (RFC 8288) with `rel="next"`. */
  | { by: "link" };

/** Settings of a resource that its catalog card does not have. */
export interface HttpResource {
  /** The path below the base, with `{name}` for arguments. By default the card's `http.path` or the rest of its uri. */
  path?: string | undefined;
  /**
   * Keys from the answer to its list of rows, joined by dots. Empty if the answer is the list. By
   * default, derived from the column names.
   */
  rowsAt?: string | undefined;
  /** Follows Link headers if absent. Required if the card has a parameter such as `page`. */
  paging?: HttpPaging | undefined;
  /** Query parameters of every request, such as a page size. */
  query?: Readonly<Record<string, string>> | undefined;
}

/** The part of `fetch` that the connector uses. */
type HttpFetch = (
  url: string,
  init: { method: "GET"; headers: Record<string, string>; redirect: "manual"; signal: AbortSignal },
) => Promise<Response>;

/** How an API is read. */
export interface HttpConnectorOptions {
  /** All requests stay below this address, even if a server links elsewhere. */
  baseUrl: string;
  /** The platform's `fetch` by default. */
  fetch?: HttpFetch | undefined;
  /**
   * Returns the headers of a request. Called for each request. Messages never contain the headers.
   */
  auth?:
    | ((request: {
        resource: string;
        signal: AbortSignal;
      }) => Record<string, string> | Promise<Record<string, string>>)
    | undefined;
  /** By resource id. */
  resources?: Readonly<Record<string, HttpResource>> | undefined;
  /** Used in messages. The host by default. */
  name?: string | undefined;
  /** Maximum pages of one call, 1,000 by default. A query that needs more fails. */
  maxPages?: number | undefined;
  /** Maximum decoded bytes of all answers of one call. 64 MiB by default. */
  maxBytes?: number | undefined;
}
