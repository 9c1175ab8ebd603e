import { isRecord, type JsonRecord } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";

/** What the official clients of OpenAI and Anthropic share. */
export interface ApiClient<Client> {
  post(path: string, options?: object): unknown;
  withOptions(options: object): Client;
}

/** Fits the body of a request; gives it back where there is nothing to fit. */
export type FitBody = (body: JsonRecord) => Promise<JsonRecord>;

/** A copy of a client that fits the bodies of the requests to some paths before it sends them. */
export function withFittedBodies<Client extends ApiClient<Client>>(
  client: Client,
  paths: Readonly<Record<string, FitBody>>,
): Client {
  if (typeof client?.post !== "function" || typeof client.withOptions !== "function") {
    const message =
      "withContext takes a client of the official package, with post and withOptions.";
    throw new ContextCompilerError("invalid_options", message);
  }
  const copy = client.withOptions({});
  const post = copy.post.bind(copy);
  return Object.assign(copy, {
    post: (path: string, options?: object) => {
      const fit = Object.hasOwn(paths, path) ? paths[path] : undefined;
      return post(path, fit === undefined ? options : fittedOptions(options, fit));
    },
    withOptions: (options: object) => withFittedBodies(client.withOptions(options), paths),
  });
}

async function fittedOptions(given: object | undefined, fit: FitBody): Promise<object | undefined> {
  const options = await given;
  if (options === undefined || !("body" in options) || !isRecord(options.body)) return options;
  return { ...options, body: await fit(options.body) };
}
