// Five independent packages build one prompt and apply one checked change to files. Each piece is one line below.
// Replace a line, and the other pieces do not change.
import { fileURLToPath } from "node:url";
import { buildPack, openAliasRegistry } from "@ccl/aliases";
import { createKeyValueArtifactStore } from "@ccl/artifact-store";
import { createCatalog } from "@ccl/catalog";
import { createContextCompiler, createSession } from "@ccl/context-compiler";
import { LanguageModelError } from "@ccl/core";
import { createPlanSession, editFormatFor } from "@ccl/plan-protocol";
import { openWorkspace } from "@ccl/plan-protocol/node";
import { explainModelFailure } from "@ccl/providers/environment";
import { openModel } from "./open-model.mjs";
import { overMap } from "./over-map.mjs";
import { askedOrders, tables } from "./shop.mjs";

process.on("uncaughtException", (error) => {
  console.error(explainModelFailure(error) ?? error);
  process.exit(1);
});

const task = "Show the customer's city in each line of the order report.";
const root = fileURLToPath(new URL("../sample", import.meta.url));

const model = await openModel();
const store = createKeyValueArtifactStore(overMap());
const workspace = await openWorkspace({ root });
const registry = await openAliasRegistry({ root, persist: false });
const catalog = createCatalog();
const compiler = createContextCompiler();

await registry.scan();
const pack = await buildPack({ registry, task, budget: 1_000 });
await catalog.register(tables);
const cards = await catalog.budgetedContext({ task, budget: 300 });

const session = createSession({ artifactStore: store });
await session.record("user_input", { content: task });
for (const [kind, data] of askedOrders) await session.record(kind, data);
const context = await compiler.compile(session, { budget: 1_000, systemPrompt: cards.text });

const background = [pack.text, ...context.toMessages().map(({ content }) => content)].join("\n\n");
const shownFiles = pack.entries.map(({ path }) => path);
const editFormat = editFormatFor(model.modelId);
const plans = createPlanSession({ model, workspace, editFormat, root });
const proposal = await plans.apply(task, { background, shownFiles, files: shownFiles });
if (!proposal.ok) {
  const issues = proposal.issues.map(({ message }) => message).join(" ");
  throw new LanguageModelError("provider_error", `Its answer can't be used: ${issues}`);
}
const [stored] = context.artifactRefs;
console.log(`pack ${pack.tokens} tokens, tables ${cards.tokens}, history ${context.tokenCount}`);
console.log(`stored: ${stored?.sizeBytes ?? 0} bytes\n`);
console.log(
  proposal.value.preview?.changes.map(({ diff }) => diff).join("") ?? proposal.value.plan.summary,
);
await Promise.all([workspace.close(), registry.close()]);
