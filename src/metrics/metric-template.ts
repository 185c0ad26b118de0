import * as z from 'zod';
import { MetricTemplateSpec } from '../api/metric-template.ts';

/** The part of a MetricTemplate that a check uses. An unknown or missing type is Prometheus (05 T20). */
export const MetricTemplate = z.looseObject({
  spec: z.looseObject({
    provider: z.looseObject({
      type: z.string().optional(),
      address: z.string().optional(),
      headers: z.record(z.string(), z.array(z.string())).optional(),
      secretRef: z.looseObject({ name: z.string() }).optional(),
      region: z.string().optional(),
      queryLanguage: z.string().optional(),
      insecureSkipVerify: z.boolean().optional(),
      caSecretRef: z.looseObject({ name: z.string() }).optional(),
      proxy: z.string().optional(),
      timeout: z.string().optional(),
      retries: z.number().optional(),
    }),
    query: z.string(),
    reduce: MetricTemplateSpec.shape.reduce,
    sample: MetricTemplateSpec.shape.sample,
    window: z.string().optional(),
    strictNoData: z.boolean().optional(),
  }),
});
export type MetricTemplate = z.infer<typeof MetricTemplate>;
