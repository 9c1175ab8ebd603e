import type { FacetFilter } from "@ccl/catalog";
import { type Command, InvalidArgumentError, Option } from "commander";

import type { CatalogContextFlags } from "./commands/catalog-context.ts";
import type { CatalogDiffFlags } from "./commands/catalog-diff.ts";
import type { CatalogDocsFlags } from "./commands/catalog-docs.ts";
import type { CatalogEvalFlags } from "./commands/catalog-eval.ts";
import type { CatalogImportFlags } from "./commands/catalog-import.ts";
import type { CatalogSearchFlags } from "./commands/catalog-search.ts";
import type { CatalogVerifyFlags } from "./commands/catalog-verify.ts";
import type { CommandResult } from "./output/command-result.ts";
import type { Session } from "./session.ts";

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** Options that other commands have too. */
interface SharedOptions {
  budget: () => Option;
  encoding: () => Option;
}

/** `ccl catalog ...`: resources of a project, from databases, APIs, MCP servers and files. */
export function addCatalogCommands(program: Command, run: Run, shared: SharedOptions): void {
  const catalog = program
    .command("catalog")
    .description("tables, APIs, tools and files that a model may use");
  catalog
    .command("init")
    .description("an empty catalog in .ccl/catalog")
    .action(() =>
      run(async (session) => (await import("./commands/catalog-init.ts")).catalogInit(session)),
    );
  addImport(catalog, run);
  addReading(catalog, run, shared);
  addChecks(catalog, run, shared);
}

function addImport(catalog: Command, run: Run): void {
  catalog
    .command("import")
    .description("bring sources in, or read all again that were; says what changed")
    .option(
      "--sql <source>",
      "sqlite:<path> or postgres://...; repeatable, as the other sources are",
      collect,
    )
    .option("--openapi <file or url>", "OpenAPI 3 or Swagger 2, JSON or YAML", collect)
    .option("--mcp <command or url>", "a server that is started and asked for its tools", collect)
    .option("--files <glob>", "CSV, JSON, JSONL, Parquet", collect)
    .option("--jsonl <file>", "resources, one a line", collect)
    .option("--name <name>", "what the source is called in ids (default: from its address)")
    .option("--schema <name...>", "these schemas of a database only")
    .addOption(
      wholeOption(
        "--sample-rows <number>",
        "rows of each table to learn shares of nulls and missing types from",
      ),
    )
    .option(
      "--token-env <variable>",
      "the environment variable with the token that an address asks for",
    )
    .option("--dry-run", "say what would change, and write nothing")
    .addOption(failOnOption("write nothing and exit with 3"))
    .action((flags: CatalogImportFlags) =>
      run(async (session) =>
        (await import("./commands/catalog-import.ts")).catalogImport(session, flags),
      ),
    );
}

function addReading(catalog: Command, run: Run, shared: SharedOptions): void {
  catalog
    .command("search <text...>")
    .description("find resources by words")
    .addOption(wholeOption("--limit <number>", "most matches").default(20))
    .addOption(facetOption())
    .option("--explain", "what each score is made of")
    .action((words: string[], flags: CatalogSearchFlags) =>
      run(async (session) =>
        (await import("./commands/catalog-search.ts")).catalogSearch(session, words, flags),
      ),
    );
  catalog
    .command("show <id>")
    .description("the details card of a resource")
    .action((id: string) =>
      run(async (session) => (await import("./commands/catalog-show.ts")).catalogShow(session, id)),
    );
  catalog
    .command("context")
    .description("rows and cards for a prompt, within a budget")
    .requiredOption("--task <text>", "what the model is to do")
    .addOption(shared.budget().default(2000, "2000"))
    .addOption(shared.encoding())
    .addOption(facetOption())
    .action((flags: CatalogContextFlags) =>
      run(async (session) =>
        (await import("./commands/catalog-context.ts")).catalogContext(session, flags),
      ),
    );
  catalog
    .command("docs")
    .description("write resources.md, for people")
    .option("--out <file>", "another file; - for stdout (default: .ccl/catalog/resources.md)")
    .option("--title <text>", "its first heading")
    .action((flags: CatalogDocsFlags) =>
      run(async (session) =>
        (await import("./commands/catalog-docs.ts")).catalogDocs(session, flags),
      ),
    );
}

function addChecks(catalog: Command, run: Run, shared: SharedOptions): void {
  catalog
    .command("verify")
    .description(
      "hold the catalog against its sources; exit code 3 when it is not true, 8 when one does not answer",
    )
    .option("--update", "bring columns and keys up to date; what people wrote stays")
    .option("--markdown", "the report for a comment or a page")
    .action((flags: CatalogVerifyFlags) =>
      run(async (session) =>
        (await import("./commands/catalog-verify.ts")).catalogVerify(session, flags),
      ),
    );
  catalog
    .command("diff [revision]")
    .description("what changed since a commit (default: HEAD) or a snapshot, and whom it hurts")
    .option("--against <file or folder>", "a snapshot, or a copy of the catalog's folder")
    .option("--save <file>", "write a snapshot of the catalog as it is, and compare nothing")
    .addOption(failOnOption("exit with 3"))
    .action((revision: string | undefined, flags: CatalogDiffFlags) =>
      run(async (session) =>
        (await import("./commands/catalog-diff.ts")).catalogDiff(session, revision, flags),
      ),
    );
  catalog
    .command("eval")
    .description("measure search, and contexts within budgets, on labelled questions")
    .requiredOption("--queries <file>", 'JSONL of { "qid", "text" }')
    .requiredOption("--qrels <file>", 'JSONL of { "qid", "rid", "rel"? }')
    .addOption(new Option("--budgets <tokens>", "like 500,1000,2000").argParser(parseBudgets))
    .addOption(
      new Option("--min-recall <share>", "exit with 3 when R@10 is below").argParser(parseShare),
    )
    .addOption(shared.encoding())
    .action((flags: CatalogEvalFlags) =>
      run(async (session) =>
        (await import("./commands/catalog-eval.ts")).catalogEval(session, flags),
      ),
    );
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function failOnOption(what: string): Option {
  return new Option(
    "--fail-on <severity>",
    `${what} when something as bad as this changed`,
  ).choices(["breaking", "additive", "cosmetic"]);
}

function facetOption(): Option {
  return new Option("--facet <name=value>", "like kind=api or owner=sales; repeatable").argParser(
    (text: string, before: FacetFilter = {}): FacetFilter => {
      const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new InvalidArgumentError("Write it as kind=api.");
      const values = [before[name] ?? [], value].flat();
      return { ...before, [name]: values };
    },
  );
}

function wholeOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string): number => {
    if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError("Give a whole number from 1.");
    return Number(text);
  });
}

function parseBudgets(text: string): number[] {
  return text.split(",").map((part) => {
    if (!/^[1-9]\d{0,8}$/.test(part.trim()))
      throw new InvalidArgumentError("Give whole numbers such as 500,1000,2000.");
    return Number(part);
  });
}

function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() === "" || !(share >= 0 && share <= 1))
    throw new InvalidArgumentError("Give a share such as 0.9.");
  return share;
}
