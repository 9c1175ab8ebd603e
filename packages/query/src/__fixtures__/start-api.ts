import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A server on loopback and the requests that it got. */
export interface TestApi {
  baseUrl: string;
  /** Paths with their queries, in order of arrival. */
  requests: string[];
  headers: IncomingMessage["headers"][];
  close(): Promise<void>;
}

/**
 * Starts a server that answers with a function. If the function throws, the connection is closed.
 */
export async function startApi(answer: (url: URL, response: ServerResponse, count: number) => void): Promise<TestApi> {
  const requests: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    headers.push(request.headers);
    answer(new URL(request.url ?? "", "http://localhost"), response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Sends a JSON answer. */
export function sendJson(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}
