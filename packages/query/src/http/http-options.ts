/** How to request the pages of an answer. A page is the last one if it is empty or has no next page. */
export type HttpPaging =
  /** The whole answer is returned at once. */
  | { by: "none" }
  /** A page number, counted from `first` (1 by default). */
  | { by: "page"; parameter: string; first?: number | undefined }
  /** The number of rows to skip. */
  | { by: "offset"; parameter: string }
  /**
   * Each answer has the next cursor at `cursorAt` (keys joined by dots). A missing, null or empty cursor ends
   * paging.
   */
  | { by: "cursor"; parameter: string; cursorAt: string }
  /** Each answer has a Link header (RFC 8288) with `rel="next"`. */
  | { by: "link" };

/** Settings of a resource that are not in its catalog card. */
export interface HttpResource {
  /** Path below the base, with `{name}` for arguments. Defaults to the card's `http.path` or the rest of its uri. */
  path?: string | undefined;
  /**
   * Keys from the answer to its list of rows, joined by dots. Empty if the answer is the list. Derived from the
   * column names by default.
   */
  rowsAt?: string | undefined;
  /** If absent, Link headers are followed. Required if the card has a parameter such as `page`. */
  paging?: HttpPaging | undefined;
  /** Query parameters to send with every request, such as a page size. */
  query?: Readonly<Record<string, string>> | undefined;
}

/** The part of `fetch` that the connector uses. */
type HttpFetch = (
  url: string,
  init: { method: "GET"; headers: Record<string, string>; redirect: "manual"; signal: AbortSignal },
) => Promise<Response>;

/** Options for reading an API. */
export interface HttpConnectorOptions {
  /** All requests stay below this address, even if a server links elsewhere. */
  baseUrl: string;
  /** The platform's `fetch` by default. */
  fetch?: HttpFetch | undefined;
  /** Returns headers for a request. Called for each request. The headers never appear in messages. */
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
  /** Maximum number of pages in one call. 1,000 by default. A query that needs more fails. */
  maxPages?: number | undefined;
  /** Maximum number of decoded bytes in all answers to one call. 64 MiB by default. */
  maxBytes?: number | undefined;
}
