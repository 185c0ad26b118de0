import type { z } from 'zod';
import type { ParentReference } from '../service-spec.ts';

/**
 * One entry of `parentRefs` of a Gateway API route. The API server would fill in absent fields; without `sectionName` it means all listeners of the Gateway.
 */
export type ParentRef = z.infer<typeof ParentReference>;
