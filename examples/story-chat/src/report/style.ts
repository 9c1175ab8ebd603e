/** The look of the report; nothing is loaded. */
export const style = `
:root { color-scheme: light dark; --ink: #1d2129; --soft: #667085; --line: #e4e7ec; --paper: #ffffff; --ground: #f6f7f9;
  --done: #2f9e6e; --main: #3b6fd4; --skipped: #98a2b3; --error: #d64545; --aborted: #d9822b; --add: #e7f6ee; --del: #fdecec;
  --added-ink: #17663f; --removed-ink: #a12c2c; --tint: #eef3fc; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #2c333f; --paper: #171b22; --ground: #0f1217;
  --done: #45b884; --main: #6d9bf0; --error: #ef7070; --aborted: #eba25a; --add: #143425; --del: #3d1c1e; --added-ink: #8fdcb5;
  --removed-ink: #f0a3a3; --tint: #1a2436; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 40px 20px 80px; }
h1 { font-size: 28px; margin: 0 0 4px; letter-spacing: -0.02em; }
h2 { font-size: 19px; margin: 0; letter-spacing: -0.01em; }
h3 { font-size: 12px; margin: 28px 0 10px; text-transform: uppercase; letter-spacing: 0.08em; color: var(--soft); font-weight: 600; }
h3.tag { text-transform: none; letter-spacing: 0; font: 600 13px ui-monospace, Menlo, Consolas, monospace; }
p { margin: 0; } .soft { color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: 8px; margin: 20px 0 28px; }
nav a { display: flex; gap: 8px; align-items: center; padding: 6px 12px; border: 1px solid var(--line); border-radius: 999px;
  background: var(--paper); color: inherit; text-decoration: none; font-size: 13px; }
nav a:hover { border-color: var(--soft); }
.dot { width: 8px; height: 8px; border-radius: 50%; background: var(--soft); }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 14px; padding: 24px 28px 28px; margin-bottom: 22px; }
header.run { display: flex; flex-wrap: wrap; align-items: center; gap: 10px; }
.chip { font-size: 12px; padding: 2px 9px; border-radius: 999px; border: 1px solid var(--line); color: var(--soft); white-space: nowrap; }
.chip.status { color: #fff; border-color: transparent; font-weight: 600; }
.dot.done, .chip.status.done { background: var(--done); } .dot.failed, .chip.status.failed { background: var(--error); }
.dot.aborted, .chip.status.aborted { background: var(--aborted); }
.turn { margin-top: 16px; border-left: 3px solid var(--line); padding-left: 14px; }
.turn.answer { border-color: var(--main); } .turn + .turn { margin-top: 10px; } .who { color: var(--soft); font-size: 12px; display: block; }
figure { margin: 0; overflow-x: auto; }
svg { width: 100%; min-width: 620px; height: auto; display: block; font: 12px system-ui, sans-serif; }
svg .band { fill: var(--ground); } svg .band.b1 { fill: var(--tint); } svg .grid { stroke: var(--line); stroke-width: 1; }
svg text { fill: var(--ink); } svg .tick, svg .note, svg .phase { fill: var(--soft); font-size: 11px; } svg .tick { text-anchor: middle; }
svg .note.end { text-anchor: end; } svg .name { font-size: 13px; }
svg .bar { fill: var(--skipped); } svg .bar.done { fill: var(--done); } svg .bar.main { fill: var(--main); }
svg .bar.error { fill: var(--error); } svg .bar.aborted { fill: var(--aborted); }
svg .hollow { fill: var(--paper); stroke: var(--skipped); stroke-width: 2; } svg .hollow.aborted { stroke: var(--aborted); }
ol.prompt { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
ol.prompt li { display: grid; grid-template-columns: 190px 1fr; gap: 16px; padding: 10px 14px; border-top: 1px solid var(--line); }
ol.prompt li:first-child { border-top: 0; } ol.prompt li.added { background: var(--tint); box-shadow: inset 3px 0 0 var(--main); }
.role { font-weight: 600; font-size: 13px; } .origin { font-size: 12px; color: var(--soft); display: block; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 14px; }
.versions { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 16px; }
.version { border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.version header { display: flex; justify-content: space-between; gap: 8px; padding: 8px 12px; border-bottom: 1px solid var(--line); font-size: 13px; font-weight: 600; }
pre { margin: 0; padding: 10px 0; font: 12.5px/1.6 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-x: auto; }
pre span { display: block; padding: 0 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
pre .added { background: var(--add); color: var(--added-ink); } pre .removed { background: var(--del); color: var(--removed-ink); }
@media (max-width: 640px) { ol.prompt li { grid-template-columns: 1fr; gap: 2px; } section { padding: 18px; } }
`;
