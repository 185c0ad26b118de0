/** Kinds of which a primary gets companions, as the chart and `--companions` name them. */
export const companionNames = ['podDisruptionBudgets', 'networkPolicies', 'verticalPodAutoscalers'] as const;
export type CompanionName = (typeof companionNames)[number];
