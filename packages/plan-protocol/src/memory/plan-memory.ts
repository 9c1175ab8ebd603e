/** What one person prefers, in all projects. */
export interface UserMemory {
  preferred_style?: "brief" | "normal" | "verbose";
  /** How many questions a model may ask before it acts: 0, 1 or 2. */
  ask_budget?: number;
  risk_tolerance?: "low" | "medium" | "high";
  default_language?: string;
  output_format?: "patch_first" | "plan_first";
}

/** What is known of a project; kept with it. */
export interface ProjectMemory {
  default_test_command?: string;
  default_lint_command?: string;
  default_format_command?: string;
  package_manager?: string;
  build_command?: string;
  src_roots?: string[];
  test_roots?: string[];
  ci_notes?: string;
}

/** The two layers that stand in a prompt. */
export interface PlanMemory {
  user: UserMemory;
  project: ProjectMemory;
}
