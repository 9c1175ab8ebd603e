/** How the pages of an answer are requested. A page is the last one if it is empty or names no next page. */
export type HttpPaging =
  /** The whole answer comes at once. */
  | { by: "none" }
  /** A page number, counted from `first` (1 by default). */
  | { by: "page"; parameter: string; first?: number | undefined }
  /** The number of rows to skip. */
  | { by: "offset"; parameter: string }
  /** Each answer has the next cursor at `cursorAt`, keys joined by dots. A missing, null or empty cursor ends it. */
  | { by: "cursor"; parameter: string; cursorAt: string }
  /** Each answer has a Link header (RFC 8288) with `rel="next"`. */
  | { by: "link" };

/** What the card of a resource does not say. */
export interface HttpResource {
  /** The path below the base, with `{name}` for arguments. By default the card's `http.path` or the rest of its uri. */
  path?: string | undefined;
  /** Keys from the answer to its list of rows, joined by dots. Empty: the answer. By default from the column names. */
  rowsAt?: string | undefined;
  /** Follows Link headers if absent. Required if the card has a parameter such as `page`. */
  paging?: HttpPaging | undefined;
  /** Sent with every request, such as a page size. */
  query?: Readonly<Record<string, string>> | undefined;
}

/** The part of `fetch` that the connector uses. */
type HttpFetch = (
  url: string,
  init: { method: "GET"; headers: Record<string, string>; redirect: "manual"; signal: AbortSignal },
) => Promise<Response>;

/** How an API is read. */
export interface HttpConnectorOptions {
  /** No request leaves this address, whatever a server says. */
  baseUrl: string;
  /** The platform's `fetch` by default. */
  fetch?: HttpFetch | undefined;
  /** Returns the headers of a request, called each time. They appear in no message. */
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
  /** Maximum pages of one call, 1,000 by default. More pages fail the query and are never dropped silently. */
  maxPages?: number | undefined;
  /** Maximum decoded bytes of all answers of one call. 64 MiB by default. */
  maxBytes?: number | undefined;
}
