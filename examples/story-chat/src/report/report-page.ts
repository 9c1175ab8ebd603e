import { diffArtifactVersions, type OperationArtifact } from "@ccl/operations";

import type { PromptPiece } from "../explain-prompt.ts";
import type { ToldRun } from "../told-run.ts";
import { markup, type Html } from "./html.ts";
import { style } from "./style.ts";
import { timeline } from "./timeline.ts";

const policy = "default-src 'none'; style-src 'unsafe-inline'";

/** Chats as one page that loads nothing and runs nothing. */
export function reportPage(chats: readonly (readonly ToldRun[])[]): string {
  const told = chats.flat();
  const artifacts = chats.flatMap((chat) => {
    const first = chat[0] === undefined ? 0 : told.indexOf(chat[0]);
    return chat.length === 0 ? [] : [historySection(chat, first + 1)];
  });
  const links = told.map(
    ({ title, result }, index) =>
      markup`<a href="#run-${index + 1}"><span class="dot ${result.status}"></span>${index + 1} ${title}</a>`,
  );
  const page = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>A story and its runs</title>
        <style>
          ${{ html: style }}
        </style>
      </head>
      <body>
        <main>
          <h1>A story and its runs</h1>
          <p class="soft">
            What each turn did before and after the main model: when, with which prompt, and what became of the world.
          </p>
          <nav>${links}</nav>
          ${told.map(runSection)} ${artifacts}
        </main>
      </body>
    </html> `;
  return page.html;
}

function runSection(run: ToldRun, index: number): Html {
  const { title, said, result, prompt } = run;
  const { status, finishReason, durationMs, mainLlm, operationRuns } = result;
  const trigger = operationRuns[0]?.trigger ?? "";
  const why = finishReason === undefined ? "" : `: ${finishReason.replaceAll("_", " ")}`;
  return markup`<section id="run-${index + 1}">
    <header class="run">
      <h2>${index + 1} ${title}</h2>
      <span class="chip status ${status}">${status}${why}</span><span class="chip">${trigger}</span
      ><span class="chip">${durationMs} ms</span>
    </header>
    <div class="turn"><span class="who">Player</span><span class="text">${said}</span></div>
    <div class="turn answer"><span class="who">Narrator${mainLlm.partial === true ? ", cut off" : ""}</span><span class="text">${mainLlm.text ?? "No answer."}</span></div>
    <h3>Timeline</h3>
    <figure>${timeline(run)}</figure>
    <h3>Prompt of the main model</h3>
    <ol class="prompt">
      ${prompt.map(pieceItem)}
    </ol>
  </section>`;
}

function pieceItem({ role, origin, text, isAdded }: PromptPiece): Html {
  return markup`<li class="${isAdded ? "added" : "base"}">
    <div><span class="role">${role}</span><span class="origin">${origin}</span></div>
    <div class="text">${text}</div>
  </li>`;
}

/** Every version that a chat has ever written, each beside the one that it was made from. */
function historySection(told: readonly ToldRun[], firstRun: number): Html {
  const byTag = new Map<string, Map<number, { artifact: OperationArtifact; run: number }>>();
  for (const [index, { artifacts }] of told.entries()) {
    for (const artifact of artifacts) {
      const versions =
        byTag.get(artifact.tag) ?? new Map<number, { artifact: OperationArtifact; run: number }>();
      byTag.set(artifact.tag, versions);
      if (!versions.has(artifact.version))
        versions.set(artifact.version, { artifact, run: firstRun + index });
    }
  }
  const tags = [...byTag].map(([tag, versions]) => {
    const cards = [...versions.values()].map(({ artifact, run }) => {
      const diff = diffArtifactVersions(artifact);
      if (!diff.ok) throw new Error(diff.issues[0]?.message);
      const { version, parentVersion } = artifact;
      const from = parentVersion === undefined ? "new" : `from ${parentVersion}`;
      const marks = { same: "  ", added: "+ ", removed: "- " };
      const body = diff.value.lines.map(
        ({ kind, text }) => markup`<span class="${kind}">${marks[kind]}${text}</span>`,
      );
      return markup`<div class="version">
        <header><span>Version ${version}</span><span class="soft">run ${run}, ${from}</span></header>
        <pre>${body}</pre>
      </div>`;
    });
    return markup`<h3 class="tag">art.${tag}</h3>
      <div class="versions">${cards}</div>`;
  });
  return markup`<section id="artifacts">
    <h2>What is kept between turns</h2>
    ${tags}
  </section>`;
}
