/** One entry of `parentRefs` of a Gateway API route. Absent fields are those that the API server would fill in. */
export interface ParentRef {
  group?: string;
  kind?: string;
  namespace?: string;
  name: string;
  /** A listener of the Gateway; absent: all of them. */
  sectionName?: string;
  port?: number;
}
