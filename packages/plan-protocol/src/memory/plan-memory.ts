/** A user's preferences across all projects. */
interface UserMemory {
  preferred_style?: "brief" | "normal" | "verbose" | undefined;
  /** How many questions a model may ask before acting: 0, 1 or 2. */
  ask_budget?: number | undefined;
  risk_tolerance?: "low" | "medium" | "high" | undefined;
  default_language?: string | undefined;
  output_format?: "patch_first" | "plan_first" | undefined;
}

/** Facts about a project, stored in the project. */
interface ProjectMemory {
  default_test_command?: string | undefined;
  default_lint_command?: string | undefined;
  default_format_command?: string | undefined;
  package_manager?: string | undefined;
  build_command?: string | undefined;
  src_roots?: string[] | undefined;
  test_roots?: string[] | undefined;
  ci_notes?: string | undefined;
}

/** The two memory layers in a prompt. */
export interface PlanMemory {
  user: UserMemory;
  project: ProjectMemory;
}
