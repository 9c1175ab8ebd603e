import { EXIT_CODES } from "../exit-code.ts";
import { printable } from "./text.ts";
import type { CommandResult } from "../session.ts";

/** One result of a check. */
export interface Finding {
  name: string;
  status: "ok" | "hint" | "problem";
  message: string;
}

/** Creates a finding. */
export function finding(name: string, status: Finding["status"], message: string): Finding {
  return { name, status, message };
}

/** Creates a result that prints all findings, one per line. Any problem fails the check. */
export function findingsResult(findings: readonly Finding[], more: object = {}): CommandResult {
  const isHealthy = findings.every(({ status }) => status !== "problem");
  return {
    document: { isHealthy, ...more, findings },
    text({ colours }) {
      const width = Math.max(8, ...findings.map(({ name }) => name.length));
      const colourOf = { ok: colours.green, hint: colours.yellow, problem: colours.red };
      return findings
        .map(({ name, status, message }) => {
          const shown = colourOf[status](status.padEnd(7));
          return `${shown}  ${name.padEnd(width)}  ${printable(message)}\n`;
        })
        .join("");
    },
    exitCode: isHealthy ? EXIT_CODES.ok : EXIT_CODES.checkFailed,
  };
}
