/** An entry of `status.conditions` of any kind. */
export interface Condition {
  type: string;
  status?: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  [field: string]: unknown;
}
