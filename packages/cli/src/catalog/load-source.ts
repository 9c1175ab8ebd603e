import type { ResourceInput } from "@ccl/catalog";
import { sourceKey } from "@ccl/catalog/node";
import { CclError, type Issue, redactSecrets, type Result } from "@ccl/core";

import { CliError, inputError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { safelyDecoded, type SourceDraft } from "./source-draft.ts";

/** What a source has now, as its importer gives it. @throws CliError `source_failed` where it does not answer */
export async function loadSource(
  session: Session,
  draft: SourceDraft,
): Promise<readonly ResourceInput[]> {
  const key = sourceKey(draft.source);
  try {
    return await load(session, draft);
  } catch (error) {
    session.signal.throwIfAborted();
    if (CliError.isInstance(error)) throw error;
    throw new CliError(
      "source_failed",
      `${key} could not be read: ${reasonOf(error, draft.address)}`,
    );
  }
}

async function load(session: Session, draft: SourceDraft): Promise<readonly ResourceInput[]> {
  switch (draft.source.kind) {
    case "sql":
      return await (await import("./load-sql.ts")).loadSql(session, draft);
    case "mcp":
      return await (await import("./load-mcp.ts")).loadMcp(session, draft);
    case "openapi": {
      const { readDocument } = await import("./read-document.ts");
      const { fromOpenApi } = await import("@ccl/catalog");
      return valueOf(
        draft,
        fromOpenApi(await readDocument(session, draft), { name: draft.source.name }),
      );
    }
    case "files":
      return valueOf(draft, await (await import("./load-files.ts")).loadFiles(session, draft));
    case "jsonl": {
      const { readDocument } = await import("./read-document.ts");
      const { fromJsonl } = await import("@ccl/catalog");
      return valueOf(draft, fromJsonl(await readDocument(session, draft)));
    }
  }
}

/** What a source holds is refused with every issue; that it does not answer is another failure. */
function valueOf({ source }: SourceDraft, result: Result<ResourceInput[]>): ResourceInput[] {
  if (result.ok) return result.value;
  const [first, ...rest] = result.issues.map((issue): Issue => {
    return { ...issue, message: `${sourceKey(source)}: ${issue.message}` };
  });
  throw inputError(first === undefined ? [] : [first, ...rest]);
}

/** What went wrong, without the address: a driver may quote the connection string that it was given. */
function reasonOf(error: unknown, address: string): string {
  const isWrapped = CclError.isInstance(error) && error.code !== "no_driver";
  const cause = isWrapped && error.cause instanceof Error ? error.cause : error;
  const inner = cause instanceof AggregateError && cause.message === "" ? cause.errors[0] : cause;
  let text = inner instanceof Error ? inner.message : String(inner);
  for (const secret of secretsOf(address)) text = text.replaceAll(secret, "[redacted]");
  return redactSecrets(text).text.slice(0, 500);
}

function secretsOf(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { password, search, searchParams } = new URL(address);
  const found = [address, password, safelyDecoded(password), search, ...searchParams.values()];
  return found.filter((text) => text.length >= 3).sort((left, right) => right.length - left.length);
}
