import type { ResourceDetails } from "../record/resource-record.ts";
import type { ProbeAnswer, ResourceProbe } from "./resource-probe.ts";

/** The least of `fetch` that a probe uses. */
type ProbeFetch = (
  url: string,
  init: {
    method: string;
    redirect: "manual";
    signal: AbortSignal;
    headers: Record<string, string>;
  },
) => Promise<{ status: number; body?: { cancel(): Promise<void> } | null | undefined }>;

/** How addresses are asked. */
export interface HttpProbeOptions {
  /** The global `fetch` by default. */
  fetch?: ProbeFetch | undefined;
  /** Sent along, like a service's own token. None by default. */
  headers?: Record<string, string> | undefined;
  /** Addresses that may be asked; all of http and https by default. */
  allow?: ((url: URL) => boolean) | undefined;
}

/**
 * Asks `http` and `https` addresses with HEAD, or with GET where HEAD is not known; redirects are not followed and bodies
 * not read. Calls that change something are never made: of a method other than GET, and of a path with `{parameters}`,
 * only the server itself is asked, so that any answer but a failure counts. 401 and 403 say that something is there.
 */
export function httpProbe({
  fetch = globalThis.fetch,
  headers = {},
  allow,
}: HttpProbeOptions = {}): ResourceProbe {
  return {
    name: "http",
    handles: ({ uri }) => {
      const url =
        uri !== undefined && /^https?:\/\//i.test(uri) && URL.canParse(uri)
          ? new URL(uri)
          : undefined;
      return url !== undefined && (allow === undefined || allow(url));
    },
    begin: () => ({
      async probe(resource, { signal }): Promise<ProbeAnswer> {
        const isExact = isReadable(resource);
        const url = isExact ? (resource.uri ?? "") : new URL("/", resource.uri).href;
        const ask = async (method: string): Promise<number> => {
          const { status, body } = await fetch(url, {
            method,
            redirect: "manual",
            signal,
            headers,
          });
          // An unread body would keep the connection.
          await body?.cancel();
          return status;
        };
        const head = await ask("HEAD");
        const status = [400, 404, 405, 501].includes(head) && isExact ? await ask("GET") : head;
        return answerOf(status, isExact);
      },
    }),
  };
}

function isReadable({ uri = "", tags }: ResourceDetails & { tags?: unknown }): boolean {
  const methods = Array.isArray(tags)
    ? tags.filter((tag) => typeof tag === "string" && tag.startsWith("method:"))
    : [];
  return (
    !/[{}]|%7B/i.test(uri) && methods.every((tag) => tag === "method:get" || tag === "method:head")
  );
}

function answerOf(status: number, isExact: boolean): ProbeAnswer {
  if (status >= 500) return { state: "unreachable", reason: `It answers ${status}` };
  if (isExact && (status === 404 || status === 410))
    return { state: "missing", reason: `It answers ${status}` };
  return { state: "available" };
}
