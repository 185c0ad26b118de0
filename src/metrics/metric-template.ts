import * as z from 'zod';
import { Address, LongText, ShortText } from '../api/limits.ts';
import { MetricTemplateSpec } from '../api/metric-template.ts';

/** The part of a MetricTemplate that a check uses. An unknown or missing type is Prometheus (05-T20). */
export const QueryTemplate = z.looseObject({
  spec: z.looseObject({
    provider: z.looseObject({
      type: ShortText.optional(),
      address: Address.optional(),
      headers: MetricTemplateSpec.shape.provider.shape.headers.unwrap().optional(),
      secretRef: z.looseObject({ name: ShortText }).optional(),
      region: ShortText.optional(),
      queryLanguage: ShortText.optional(),
      insecureSkipVerify: z.boolean().optional(),
      caSecretRef: z.looseObject({ name: ShortText }).optional(),
      proxy: Address.optional(),
      timeout: ShortText.optional(),
      retries: z.number().optional(),
    }),
    query: LongText,
    reduce: MetricTemplateSpec.shape.reduce,
    sample: MetricTemplateSpec.shape.sample,
    window: ShortText.optional(),
    strictNoData: z.boolean().optional(),
  }),
});
export type QueryTemplate = z.infer<typeof QueryTemplate>;
