import type { Issue } from "@ccl/core";
import { isRecord } from "@ccl/core/json";
import {
  sessionEventKinds,
  type SessionEventData,
  type SessionEventKind,
} from "./session-event.ts";

/** What is wrong with a value, one line an issue; none when it is right. */
type Check = (value: unknown, path: Issue["path"]) => Issue[];
interface Fields {
  [name: string]: { check: Check; isOptional: boolean };
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

const required = (check: Check): Fields[string] => ({ check, isOptional: false });
const optional = (check: Check): Fields[string] => ({ check, isOptional: true });

/** Only these members, each as its check wants it. */
const fields =
  (members: Fields): Check =>
  (value, path) => {
    if (!isRecord(value)) return [issue(path, "an object")];
    const known = Object.entries(members).flatMap(([key, { check, isOptional }]) => {
      const member = value[key];
      if (member === undefined) return isOptional ? [] : [issue([...path, key], "there")];
      return check(member, [...path, key]);
    });
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(members, key));
    return [
      ...known,
      ...unknown.map((key) => issue([...path, key], "left out: no such member is known")),
    ];
  };
const listOf =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => check(item, [...path, index]))
      : [issue(path, "a list")];

/** Linear on any text, unlike a pattern over groups of four. */
function isBase64(value: string): boolean {
  return value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

const artifact: Fields = {
  artifactId: required(artifactId),
  handleId: optional(name),
  summary: required(text),
  sizeBytes: required(count),
  mimeType: required(text),
};
const providerFields: Fields = { providerMetadata: optional(record) };
const media = fields({
  ...providerFields,
  type: required(text),
  mimeType: required(text),
  dataBase64: optional(base64),
  url: optional(text),
  filename: optional(text),
});
const partChecks: ReadonlyMap<unknown, Check> = new Map([
  ["text", fields({ ...providerFields, type: required(text), text: required(text) })],
  [
    "reasoning",
    fields({
      ...providerFields,
      type: required(text),
      text: required(text),
      signature: optional(text),
    }),
  ],
  ["image", media],
  ["file", media],
  [
    "provider",
    fields({
      type: required(text),
      provider: required(name),
      raw: required(anyJson),
      pairId: optional(text),
    }),
  ],
  ["artifact", fields({ type: required(text), ...artifact })],
]);
const part: Check = (value, path) => {
  const check = isRecord(value) ? partChecks.get(value["type"]) : undefined;
  return check === undefined
    ? [issue([...path, "type"], "text, reasoning, image, file, provider or artifact")]
    : check(value, path);
};
const content: Check = (value, path) => (isText(value) ? [] : listOf(part)(value, path));

const message: Fields = { ...providerFields, id: optional(text), source: optional(text) };
const outcome: Fields = {
  ...message,
  callId: required(name),
  name: optional(text),
  content: required(content),
  durationMs: optional(count),
  isLate: optional(flag),
  isArtifactRead: optional(flag),
  externalizeFailure: optional(text),
};
const summary = fields({
  text: required(text),
  fromEventId: required(name),
  toEventId: required(name),
  modelId: optional(text),
});
const toolCall = fields({
  ...providerFields,
  id: required(name),
  name: required(text),
  arguments: required(text),
});

const dataChecks: { [Kind in SessionEventKind]: Check } = {
  user_input: fields({
    ...message,
    content: required(content),
    role: optional(oneOf("user", "system", "developer")),
  }),
  memory_hit: fields({
    memoryId: required(name),
    text: required(text),
    score: optional(number),
    query: optional(text),
    source: optional(text),
  }),
  tool_call: fields({ callId: required(name), name: required(text), arguments: required(text) }),
  tool_success: fields(outcome),
  tool_error: fields(outcome),
  tool_timeout: fields({ ...outcome, content: optional(content), timeoutMs: required(count) }),
  guard_decision: fields({
    guard: required(name),
    decision: required(oneOf("allow", "block", "modify")),
    reason: optional(text),
    callId: optional(name),
    details: optional(anyJson),
  }),
  phase_result: fields({
    phase: required(name),
    status: optional(oneOf("succeeded", "failed")),
    output: optional(anyJson),
    summary: optional(summary),
  }),
  artifact_stored: fields({ ...artifact, source: required(text), callId: optional(name) }),
  assistant_message: fields({
    ...message,
    content: required(content),
    toolCalls: optional(listOf(toolCall)),
  }),
};

/** True for the name of a kind of event. */
export function isEventKind(kind: unknown): kind is SessionEventKind {
  return sessionEventKinds.some((known) => known === kind);
}

/** True when the data fits the kind; else each issue is added to `issues`. */
export function isEventData<Kind extends SessionEventKind>(
  kind: Kind,
  data: unknown,
  issues: Issue[],
): data is SessionEventData[Kind] {
  const found = dataChecks[kind](data, []);
  issues.push(...found.slice(0, 50));
  return found.length === 0;
}
