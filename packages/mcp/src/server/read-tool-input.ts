import { failure, type Result, success } from "@ccl/core";
import { isRecord, type JsonRecord, jsonText, parseJson, recordAt } from "@ccl/core/json";
import { parseStructured } from "@ccl/structured-output";

/** Alternative names that models use for a parameter. */
const otherNames: Readonly<Record<string, string>> = {
  alias: "aliases file name names path paths",
  budget: "maxtokens tokens",
  handle: "artifact artifactid id",
  ids: "id names resources",
  input: "args arguments parameters params",
  name: "tool toolname",
  names: "name tool tools",
  plan: "answer changes diff edits patch",
  query: "goal pattern q question search task text words",
  search: "pattern q query text words",
  sql: "query statement",
  task: "goal prompt query question",
};

/**
 * Converts a model's arguments to the shape of a tool's schema. Parses JSON text, accepts another name for a parameter
 * if it is unambiguous, and converts values to their type. The issue says what does not fit and what the tool accepts.
 */
export function readToolInput(
  { name, inputSchema }: { name: string; inputSchema: JsonRecord },
  given: unknown,
): Result<JsonRecord> {
  const value = (typeof given === "string" ? parseJson(given) : given) ?? {};
  const known = Object.keys(recordAt(inputSchema, "properties"));
  const refuse = (reason: string): Result<never> => {
    const message = `The arguments of ${name} are invalid: ${reason.slice(0, 600)}; it takes ${known.join(", ") || "an object"}`;
    return failure({ code: "invalid_input", path: [], message });
  };
  if (!isRecord(value)) return refuse("they are not an object");
  const members = Object.entries(value).map(([key, member]) => {
    const meant = known.filter((one) => !Object.hasOwn(value, one) && isNameOf(one, key));
    const [only = key] = known.includes(key) || meant.length !== 1 ? [] : meant;
    return [only, member] as const;
  });
  const problems = members.flatMap(([key], at) => {
    if (members.findIndex(([other]) => other === key) < at) return `${key} is given twice`;
    const isUnknown = known.length > 0 && !known.includes(key);
    return isUnknown ? `unknown parameter ${JSON.stringify(key)}` : [];
  });
  const read = parseStructured<unknown>(jsonText(Object.fromEntries(members)), {
    schema: inputSchema,
  });
  if (read.ok && problems.length === 0 && isRecord(read.value)) return success(read.value);
  const issues = read.ok ? [] : read.issues.slice(0, 5);
  const reasons = issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return refuse([...problems, ...reasons].join("; "));
}

function isNameOf(parameter: string, key: string): boolean {
  const plain = key.replaceAll(/[-_]/g, "").toLowerCase();
  return (
    plain === parameter.toLowerCase() ||
    (otherNames[parameter]?.split(" ").includes(plain) ?? false)
  );
}
