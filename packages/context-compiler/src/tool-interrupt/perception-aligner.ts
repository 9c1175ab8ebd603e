import { failure, redactSecrets, success, type Part, type Result } from "@ccl/core";
import { redactEscaped } from "../session/redact-data.ts";
import type { SchemaRegistry } from "./schema-registry.ts";
import type { ToolOutput } from "./tool-bridge.ts";

/** A result that may be stored, logged and shown. */
interface AlignedOutput {
  content: string | Part[];
  mimeType?: string | undefined;
  /** Kinds and counts of masked secrets. Empty if there were none. */
  redactions: { kind: string; count: number }[];
}

/** Normalizes tool results. */
export interface PerceptionAligner {
  /**
   * Returns the checked and masked result. Failures are not checked against a schema. Issues `not_json` and
   * `schema_mismatch` if the result breaks the tool's schema.
   */
  normalize(tool: string, output: ToolOutput): Result<AlignedOutput>;
}

/** How an aligner checks and masks. */
export interface PerceptionAlignerOptions {
  schemas?: SchemaRegistry | undefined;
  /** Core's `redactSecrets` by default. */
  redact?: ((text: string) => { text: string; findings: readonly { kind: string }[] }) | undefined;
}

/**
 * Checks a result against the tool's schema, removes terminal escapes and control characters from its text, and masks
 * secrets in it. Images and files pass unchanged.
 */
export function createPerceptionAligner({
  schemas,
  redact = redactSecrets,
}: PerceptionAlignerOptions = {}): PerceptionAligner {
  return {
    normalize(tool, output) {
      const isHeld = output.isError !== true && schemas?.has(tool) === true;
      const checked = isHeld ? checkOutput(schemas, tool, output) : success(undefined);
      if (!checked.ok) return checked;
      const counts = new Map<string, number>();
      const clean = (text: string): string => {
        return redactEscaped(plainText(text), (piece) => {
          const { text: masked, findings } = redact(piece);
          for (const { kind } of findings) counts.set(kind, (counts.get(kind) ?? 0) + 1);
          return masked;
        });
      };
      const { content, mimeType } = output;
      const parts =
        typeof content === "string"
          ? clean(content)
          : content.map((part) => cleanPart(part, clean));
      const redactions = [...counts]
        .map(([kind, count]) => ({ kind, count }))
        .sort((a, b) => (a.kind < b.kind ? -1 : 1));
      return success({
        content: parts,
        mimeType,
        redactions,
      });
    },
  };
}

function checkOutput(
  schemas: SchemaRegistry,
  tool: string,
  { content, structured }: ToolOutput,
): Result<unknown> {
  if (structured !== undefined) return schemas.validate(tool, structured);
  const text =
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : "")).join("");
  try {
    return schemas.validate(tool, JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return failure({
      code: "not_json",
      path: [],
      message: "The answer is not JSON, which the tool's schema asks for.",
    });
  }
}

function cleanPart(part: Part, clean: (text: string) => string): Part {
  if (part.type === "text") return { ...part, text: clean(part.text) };
  return part;
}

// Control sequences and operating system commands of terminals (ECMA-48), and control characters other than tab and line ends.
const escapes =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\^_])|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

function plainText(text: string): string {
  return text.replace(escapes, "");
}
