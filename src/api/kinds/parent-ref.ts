import type { z } from 'zod';
import type { ParentReference } from '../service-spec.ts';

/**
 * One entry of `parentRefs` of a Gateway API route. Absent fields are those that the API server would fill in; without `sectionName`
 * all listeners of the Gateway are meant.
 */
export type ParentRef = z.infer<typeof ParentReference>;
