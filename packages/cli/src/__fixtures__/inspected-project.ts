import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { stripVTControlCharacters } from "node:util";

import { createScriptedModel } from "@ccl/core/testing";
import { compute, createRunEngine, defineProfile, guard, type OperationSpec, template } from "@ccl/operations";
import { openSqliteOperationStores } from "@ccl/operations/sqlite";
import { startTestServer } from "@ccl/providers/testing";

import { type CatalogProject, createCatalogProject } from "./catalog-project.ts";

/** Markup, a script, and characters that reverse the following text. */
export const hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202egnp.exe";

/** Amount of data in the project. */
export interface InspectedSizes {
  resources: number;
  requests: number;
  operations: number;
}

/**
 * Creates a project with a catalog, runs, plans and a gateway's folder, each with some hostile
 * content.
 */
export async function createInspectedProject(sizes: InspectedSizes): Promise<CatalogProject & { state: string }> {
  const project = await createCatalogProject();
  await writeSources(project.root);
  await importCatalog(project, sizes.resources);
  await applyPlans(project);
  await runOperations(project.root, sizes.operations);
  const state = join(project.root, "state");
  await sendRequests(project, { state, requests: sizes.requests });
  return { ...project, state };
}

async function succeed(project: CatalogProject, args: string[], stdin?: string): Promise<void> {
  const { code, stderr } = await project.ccl(args, stdin === undefined ? {} : { stdin });
  if (code !== 0) throw new Error(`ccl ${args.join(" ")}: ${stderr}`);
}

const areas = ["billing", "orders", "stock", "shipping", "refunds", "customers", "returns", "pricing"];
const nouns = ["invoice", "parcel", "ledger", "carrier", "label", "coupon", "address", "payment", "batch", "quote"];

async function writeSources(root: string): Promise<void> {
  for (const area of areas) {
    await mkdir(join(root, "src", area), { recursive: true });
    for (const noun of nouns)
      await writeFile(
        join(root, "src", area, `${noun}.ts`),
        `import { total } from "../orders/invoice.ts";\n\n/** The ${noun} of ${area}. */\nexport function ${noun}(id: string): number {\n  return total(id) + ${area.length};\n}\n\nexport const total = (id: string): number => id.length;\n`,
      );
  }
  await writeFile(join(root, "src", "hostile.ts"), `export const hostile = ${JSON.stringify(hostile)};\n`);
}

async function importCatalog(project: CatalogProject, resources: number): Promise<void> {
  const records = Array.from({ length: resources }, (_, at) => {
    const [area, noun] = [areas[at % areas.length], nouns[Math.floor(at / areas.length) % nouns.length]];
    const name = `${area}_${noun}_${at}`;
    const isBare = at % 7 === 3;
    return {
      id: `res:${name}`,
      kind: at % 5 === 0 ? "api" : "tabular",
      title: at === 1 ? hostile : name,
      uri: `ada://any/db/pg:shop/${name}`,
      tags: [area, ...(at % 11 === 0 ? ["deprecated"] : [])],
      updated_at: `2026-0${1 + (at % 9)}-10T08:00:00.000Z`,
      ...(isBare ? {} : { description: `Each ${noun} of ${area}, by day. ${at === 1 ? hostile : ""}`, owner: `team.${area}` }),
      columns: ["id", "amount", "created_at", "status"].map((column) => ({ name: column, type: "text" })),
      ...(at % 3 === 0 ? { usage: { snippets: [{ engine: "sql", code: `SELECT amount FROM ${name}\n` }] } } : {}),
      ...(at % 4 === 0 ? { quality: { freshness_sla_s: 86_400 } } : {}),
    };
  });
  await writeFile(join(project.root, "resources.jsonl"), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  await succeed(project, ["catalog", "import", "--jsonl", "resources.jsonl"]);
  await succeed(project, ["catalog", "import", "--sql", "sqlite:data.sqlite"]);
  for (const args of [["init", "-q"], ["add", ".ccl"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Catalog"]])
    await promisify(execFile)("git", args, { cwd: project.root });
  await project.sql("ALTER TABLE stocks ADD COLUMN volume INTEGER");
  await succeed(project, ["catalog", "import", "--sql", "sqlite:data.sqlite"]);
  // `verify` reports this change.
  await project.sql("ALTER TABLE stocks DROP COLUMN volume");
}

async function applyPlans(project: CatalogProject): Promise<void> {
  const create = (path: string, summary: string): string =>
    JSON.stringify({ actions: [{ kind: "CREATE_FILE", path, content: `export const ready = true; // ${summary}\n` }], summary });
  await succeed(project, ["plan", "apply"], create("src/first.ts", "A first file."));
  const check = `"${process.execPath}" -e "process.exit(fs.existsSync('src/second.ts') ? 1 : 0)"`;
  await project.ccl(["plan", "apply", "--check", check], { stdin: create("src/second.ts", "Fails its check.") });
  await mkdir(join(project.root, ".ccl/plans"), { recursive: true });
  await writeFile(join(project.root, ".ccl/plans/change.json"), create("src/third.ts", hostile));
}

async function runOperations(root: string, count: number): Promise<void> {
  const stores = await openSqliteOperationStores({ path: join(root, ".ccl/operations.db") });
  const operations: Record<string, OperationSpec> = {
    isCombat: guard({ ref: "art.mood", contains: "fight" }),
    mood: compute(({ answer }) => ({ mood: answer.length, said: answer, who: hostile }), { after: true }),
    battle: template("Swords are drawn.", { appendTo: "system", when: "isCombat" }),
    aftermath: template("The dust settles.", { appendTo: "system", dependsOn: ["battle"], required: false }),
    hostile: template(hostile, { appendTo: "user" }),
  };
  for (let at = Object.keys(operations).length; at < count; at += 1)
    operations[`lore${at}`] = template(`${nouns[at % nouns.length]} ${at}: what the party knows of it.`, {
      appendTo: at % 9 === 0 ? "system" : undefined,
      dependsOn: at % 4 === 1 && at > 8 ? [`lore${at - 1}`] : undefined,
    });
  const profile = defineProfile({ id: "story", operations });
  const answers = ["The inn is warm.", `You hear a ${hostile}.`, "Dawn breaks over the harbour."];
  const engine = createRunEngine({ ...stores, mainModel: createScriptedModel(answers), turn: { system: "You tell a story." } });
  for (const message of ["We enter the inn.", "We listen at the door.", "We sleep."])
    await (await engine.start({ chatId: "chat-1", message, profile })).result;
  await stores.close();
}

/** Sends one long session, and a short one whose last result is a line of 10 MB. */
async function sendRequests(
  project: CatalogProject,
  { state, requests }: { state: string; requests: number },
): Promise<void> {
  const upstream = await startTestServer();
  const stop = new AbortController();
  let listening: (url: string) => void = () => {};
  const url = new Promise<string>((resolve) => (listening = resolve));
  const proxy = project.ccl(
    ["proxy", "--upstream", upstream.baseUrl("openai"), "--port", "0", "--mode", "full", "--record", "--state", state],
    {
      interrupt: stop.signal,
      onError(text) {
        const [, address] = /listening on (\S+)/.exec(stripVTControlCharacters(text)) ?? [];
        if (address !== undefined) listening(address);
      },
    },
  );
  const address = await url;
  const send = async (messages: object[], tool: string, content: string): Promise<void> => {
    const id = `c${messages.length}`;
    const call = { id, type: "function", function: { name: tool, arguments: JSON.stringify({ at: messages.length }) } };
    messages.push({ role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: id, content });
    upstream.enqueue({ type: "answer", text: "Next." });
    const body = JSON.stringify({ model: "gpt-5", tools: [{ name: "shell" }], messages });
    await fetch(`${address}/chat/completions`, { method: "POST", body });
  };
  const tools = ["list_files", "grep", "run_tests", "git_log"];
  const long: object[] = [
    { role: "system", content: "You repair programs. ".repeat(60) },
    { role: "user", content: `Why does checkout fail? ${hostile}` },
  ];
  for (let at = 0; at < requests; at += 1) {
    const lines = Array.from(
      { length: at % 25 === 7 ? 500 : 8 + (at % 13) },
      (_, line) => `src/${areas[(at + line) % areas.length]}/${nouns[line % nouns.length]}.ts:${line * 7 + at}: total ${(at * 7919 + line * 31) % 10_007}`,
    );
    await send(long, tools[at % tools.length] ?? "", lines.join("\n"));
  }
  const short: object[] = [{ role: "user", content: "What is in the dump?" }];
  await send(short, "cat", "A".repeat(10 * 2 ** 20));
  stop.abort();
  await proxy;
  await upstream.close();
}
