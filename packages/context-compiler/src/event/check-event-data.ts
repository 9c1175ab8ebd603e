import type { Issue } from "@ccl/core";
import { isRecord } from "@ccl/core/json";
import { type EventBody, sessionEventKinds, type SessionEventKind } from "./session-event.ts";

/** Returns one line per issue of a value. Empty if it is valid. */
type Check = (value: unknown, path: Issue["path"]) => Issue[];
/** Checks by member name. A name that ends with `?` is optional. */
interface Fields {
  [name: string]: Check;
}

const issue = (path: Issue["path"], expected: string): Issue => ({
  code: "invalid_event",
  path,
  message: `${path.length === 0 ? "The data" : path.join(".")} has to be ${expected}.`,
});
const test =
  (expected: string, isRight: (value: unknown) => boolean): Check =>
  (value, path) =>
    isRight(value) ? [] : [issue(path, expected)];

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

const text = test("a string", isText);
const name = test("a string that is not empty", (value) => isText(value) && value !== "");
const count = test("a number from 0", isCount);
const number = test("a number", (value) => typeof value === "number");
const flag = test("true or false", (value) => typeof value === "boolean");
const artifactId = test("64 lower-case hex digits", (value) =>
  isText(value) && /^[0-9a-f]{64}$/.test(value));
const base64 = test("base64 with padding", (value) => isText(value) && isBase64(value));
const anyJson: Check = () => [];
const record = test("an object", isRecord);
const oneOf = (...values: string[]): Check =>
  test(`one of ${values.join(", ")}`, (value) => isText(value) && values.includes(value));

/** Allows only these members, and checks each one. */
const fields = (members: Fields): Check => {
  const checks = new Map(
    Object.entries(members).map(([key, check]) => {
      const isOptional = key.endsWith("?");
      return [isOptional ? key.slice(0, -1) : key, { check, isOptional }] as const;
    }),
  );
  return (value, path) => {
    if (!isRecord(value)) return [issue(path, "an object")];
    const known = [...checks].flatMap(([key, { check, isOptional }]) => {
      const member = value[key];
      if (member === undefined) return isOptional ? [] : [issue([...path, key], "there")];
      return check(member, [...path, key]);
    });
    const unknown = Object.keys(value).filter((key) => !checks.has(key));
    return [
      ...known,
      ...unknown.map((key) => issue([...path, key], "left out: no such member is known")),
    ];
  };
};
const listOf =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => check(item, [...path, index]))
      : [issue(path, "a list")];

/** Linear on any text, unlike a regular expression over groups of four. */
function isBase64(value: string): boolean {
  return value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

const artifact: Fields = {
  artifactId,
  "handleId?": name,
  summary: text,
  sizeBytes: count,
  mimeType: text,
};
const providerFields: Fields = { "providerMetadata?": record };
const media = fields({
  ...providerFields,
  type: text,
  mimeType: text,
  "dataBase64?": base64,
  "url?": text,
  "filename?": text,
});
const partChecks: ReadonlyMap<unknown, Check> = new Map([
  ["text", fields({ ...providerFields, type: text, text })],
  [
    "reasoning",
    fields({
      ...providerFields,
      type: text,
      text,
      "signature?": text,
    }),
  ],
  ["image", media],
  ["file", media],
  [
    "provider",
    fields({
      type: text,
      provider: name,
      raw: anyJson,
      "pairId?": text,
    }),
  ],
  ["artifact", fields({ type: text, ...artifact })],
]);
const part: Check = (value, path) => {
  const check = isRecord(value) ? partChecks.get(value["type"]) : undefined;
  return check === undefined
    ? [issue([...path, "type"], "text, reasoning, image, file, provider or artifact")]
    : check(value, path);
};
const content: Check = (value, path) => (isText(value) ? [] : listOf(part)(value, path));

const message: Fields = { ...providerFields, "id?": text, "source?": text };
const outcome: Fields = {
  ...message,
  callId: name,
  "name?": text,
  content,
  "durationMs?": count,
  "isLate?": flag,
  "isArtifactRead?": flag,
  "externalizeFailure?": text,
};
const summary = fields({
  text,
  fromEventId: name,
  toEventId: name,
  "modelId?": text,
});
const toolCall = fields({
  ...providerFields,
  id: name,
  name: text,
  arguments: text,
});

const dataChecks: { [Kind in SessionEventKind]: Check } = {
  user_input: fields({
    ...message,
    content,
    "role?": oneOf("user", "system", "developer"),
  }),
  memory_hit: fields({
    memoryId: name,
    text,
    "score?": number,
    "query?": text,
    "source?": text,
  }),
  tool_call: fields({ callId: name, name: text, arguments: text }),
  tool_success: fields(outcome),
  tool_error: fields(outcome),
  tool_timeout: fields({ ...outcome, "content?": content, timeoutMs: count }),
  guard_decision: fields({
    guard: name,
    decision: oneOf("allow", "block", "modify"),
    "reason?": text,
    "callId?": name,
    "details?": anyJson,
  }),
  phase_result: fields({
    phase: name,
    "status?": oneOf("succeeded", "failed"),
    "output?": anyJson,
    "summary?": summary,
  }),
  artifact_stored: fields({ ...artifact, source: text, "callId?": name }),
  assistant_message: fields({
    ...message,
    content,
    "toolCalls?": listOf(toolCall),
  }),
};

/** True for the name of an event kind. */
export function isEventKind(kind: unknown): kind is SessionEventKind {
  return sessionEventKinds.some((known) => known === kind);
}

/** True if the data fits the kind. Otherwise each issue is added to `issues`. */
export function isEventBody(
  body: { kind: SessionEventKind; data: unknown },
  issues: Issue[],
): body is EventBody {
  const found = dataChecks[body.kind](body.data, []);
  issues.push(...found.slice(0, 50));
  return found.length === 0;
}
