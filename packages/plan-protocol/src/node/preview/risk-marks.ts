import { isRecord, parseJson } from "@ccl/core/json";

import type { RiskMark } from "../../workspace/plan-workspace.ts";
import type { ResolvedAction } from "../transaction/resolve-plan.ts";

/** A person easily approves a larger change without reading it. */
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
  /(?:^|\/)(?:requirements[\w.-]*\.txt|go\.mod|Pipfile|package-lock\.json|pnpm-lock\.yaml|yarn\.lock)$/i;
const EXECUTED = /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|exe|com|scr|msi|vbs)$/i;

/** What a person should check before a change is applied. */
export function riskMarks(resolved: ResolvedAction, changedLines: number): RiskMark[] {
  const { action, base, baseText = "", text = "" } = resolved;
  const { path, kind } = action;
  const marks: RiskMark[] = [];
  const add = (kind: RiskMark["kind"], message: string): void => void marks.push({ kind, message });
  if (kind === "DELETE_FILE" || kind === "DELETE_DIR") add("deletes", `${path} is deleted.`);
  if (CI.some((pattern) => pattern.test(path)))
    add("ci_workflow", `${path} says what runs in continuous integration.`);
  if (HOOKS.some((pattern) => pattern.test(path)))
    add("git_hook", `${path} says what runs at commits and checkouts.`);
  if (MANIFESTS.test(path) && partOf(baseText, "scripts", path) !== partOf(text, "scripts", path))
    add("package_script", `${path} changes commands that a build or an install runs.`);
  const hasNewDependency =
    DEPENDENCY_LISTS.test(path) ||
    (isPackageJson(path) && dependenciesOf(baseText) !== dependenciesOf(text));
  if (hasNewDependency && kind !== "DELETE_FILE")
    add("new_dependency", `${path} changes what is installed.`);
  const isExecutable = base !== undefined && (base.status.mode & 0o111) !== 0;
  if (isExecutable || EXECUTED.test(path) || text.startsWith("#!"))
    add("executable", `${path} can be run as a program.`);
  if (changedLines > LARGE_CHANGE_LINES)
    add("large_change", `${changedLines} lines of ${path} change.`);
  return marks;
}

function isPackageJson(path: string): boolean {
  return /(?:^|\/)package\.json$/i.test(path);
}

/** A member of a package.json as text. The whole text if it cannot be parsed. */
function partOf(text: string, key: string, path: string): string {
  if (!isPackageJson(path)) return text;
  const json = parseJson(text);
  if (json === undefined) return text;
  return JSON.stringify(isRecord(json) ? (json[key] ?? "") : "");
}

function dependenciesOf(text: string): string {
  const keys = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "overrides",
    "resolutions",
  ];
  return keys.map((key) => partOf(text, key, "package.json")).join("\n");
}
