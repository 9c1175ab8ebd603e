import { isRecord, isSameJson, parseJson } from "@ccl/core/json";

import type { RiskMark } from "../../workspace/plan-workspace.ts";
import type { ResolvedAction } from "./resolve-plan.ts";

/** People tend to approve larger changes without reading them. */
const LARGE_CHANGE_LINES = 400;

const CI = [
  /^\.github\/(?:workflows|actions)\//i,
  /(?:^|\/)(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|Jenkinsfile|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|appveyor\.ya?ml)$/i,
  /^(?:\.circleci|\.buildkite|\.woodpecker|\.gitlab|\.forgejo\/workflows|\.gitea\/workflows|\.ci)\//i,
];
const HOOKS = [
  /^(?:\.husky|\.githooks|githooks|\.git-hooks|\.lefthook)\//i,
  /(?:^|\/)(?:\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.?lefthook-local\.ya?ml|\.lintstagedrc(?:\.\w+)?|\.overcommit\.yml)$/i,
];
const MANIFESTS =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.py|setup\.cfg|Cargo\.toml|build\.rs|Makefile|justfile|Gemfile|composer\.json|binding\.gyp|\.npmrc|\.yarnrc\.yml|\.pnpmfile\.cjs)$/i;
const DEPENDENCY_LISTS =
  /(?:^|\/)(?:requirements[\w.-]*\.txt|go\.mod|Pipfile|package\.json|package-lock\.json|pnpm-lock\.yaml|yarn\.lock)$/i;
const EXECUTED = /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|exe|com|scr|msi|vbs)$/i;

const PACKAGE_JSON = /(?:^|\/)package\.json$/i;
const DEPENDENCIES = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "overrides",
  "resolutions",
];

/** Returns what a person should check before applying a change. */
export function riskMarks(
  { action: { path, kind }, base }: ResolvedAction,
  { before, after, changedLines }: { before: string; after: string; changedLines: number },
): RiskMark[] {
  const isNamed = (pattern: RegExp): boolean => pattern.test(path);
  /** True if a list of names changes. In package.json only some fields hold such lists. */
  const changes = (members: readonly string[]): boolean =>
    !isNamed(PACKAGE_JSON) || !isSameJson(pick(before, members), pick(after, members));
  const isExecutable = base !== undefined && (base.status.mode & 0o111) !== 0;
  const marks: [RiskMark["kind"], boolean, message: string][] = [
    ["deletes", kind === "DELETE_FILE" || kind === "DELETE_DIR", `${path} is deleted.`],
    ["ci_workflow", CI.some(isNamed), `${path} defines what runs in continuous integration.`],
    ["git_hook", HOOKS.some(isNamed), `${path} defines what runs at commits and checkouts.`],
    [
      "package_script",
      isNamed(MANIFESTS) && before !== after && changes(["scripts"]),
      `${path} changes commands that a build or an install runs.`,
    ],
    [
      "new_dependency",
      isNamed(DEPENDENCY_LISTS) && kind !== "DELETE_FILE" && changes(DEPENDENCIES),
      `${path} changes what is installed.`,
    ],
    [
      "executable",
      isExecutable || isNamed(EXECUTED) || after.startsWith("#!"),
      `${path} can be run as a program.`,
    ],
    ["large_change", changedLines > LARGE_CHANGE_LINES, `${changedLines} lines of ${path} change.`],
  ];
  return marks.flatMap(([mark, isMarked, message]) => (isMarked ? [{ kind: mark, message }] : []));
}

/** Returns fields of a JSON object, or the whole text if it is not valid JSON. */
function pick(text: string, members: readonly string[]): unknown {
  const json = parseJson(text);
  if (json === undefined) return text;
  return isRecord(json) ? members.map((member) => json[member] ?? "") : [];
}
