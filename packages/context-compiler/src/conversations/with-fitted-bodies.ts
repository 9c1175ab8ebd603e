import { isRecord, type JsonRecord } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";

/** What the official clients of OpenAI and Anthropic share. */
export interface ApiClient<Client> {
  post(path: string, options?: object): unknown;
  withOptions(options: object): Client;
}

/** A body within its budget, and what takes the `usage` of the answer. */
interface FittedBody {
  body: JsonRecord;
  report(usage: unknown): Promise<void>;
}

/** Fits the body of a request; undefined where there is nothing to fit. */
export type FitBody = (body: JsonRecord) => Promise<FittedBody | undefined>;

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
      if (fit === undefined) return post(path, options);
      const fitting = fitOptions(options, fit);
      const sent = fitting.then(({ options: fitted }) => fitted);
      return withReports(post(path, sent), async (usage) => (await fitting).report?.(usage));
    },
    withOptions: (options: object) => withFittedBodies(client.withOptions(options), paths),
  });
}

async function fitOptions(
  given: object | undefined,
  fit: FitBody,
): Promise<Partial<FittedBody> & { options: object | undefined }> {
  const options = await given;
  if (options === undefined || !("body" in options) || !isRecord(options.body)) return { options };
  const fitted = await fit(options.body);
  if (fitted === undefined) return { options };
  return { ...fitted, options: { ...options, body: fitted.body } };
}

/** The promise of an answer, which still gives the raw response and the answer itself; streams report as they are read. */
function withReports(promise: unknown, report: FittedBody["report"]): unknown {
  if (!isApiPromise(promise)) return promise;
  return promise._thenUnwrap(async (answer) => {
    if (!isStream(answer)) await report(usageIn(answer));
    else {
      const iterate = answer.iterator.bind(answer);
      answer.iterator = () => {
        const events = iterate();
        const next = events.next.bind(events);
        events.next = async (...given) => {
          const event = await next(...given);
          await report(usageIn(event.value));
          return event;
        };
        return events;
      };
    }
    return answer;
  });
}

/** True for a list of messages, items or blocks. */
export function isObjects(value: unknown): value is object[] {
  return Array.isArray(value) && value.every(isRecord);
}

/** The usage of an answer; of an event that has one itself, or in the answer that it opens or ends. */
function usageIn(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  return value["usage"] ?? usageIn(value["message"] ?? value["response"]);
}

/** What both clients build their own answers with. */
function isApiPromise(
  value: unknown,
): value is { _thenUnwrap(transform: (answer: unknown) => unknown): unknown } {
  return value instanceof Promise && "_thenUnwrap" in value;
}

function isStream(value: unknown): value is { iterator: () => AsyncIterator<unknown> } {
  return isRecord(value) && typeof value["iterator"] === "function";
}
