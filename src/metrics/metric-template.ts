import * as z from 'zod';
import { ShortText } from '../api/limits.ts';
import { MetricTemplateSpec } from '../api/metric-template.ts';

const { provider, query, ...choices } = MetricTemplateSpec.shape;

/** The part of a MetricTemplate that a check uses. An unknown or missing type is Prometheus. */
export const QueryTemplate = z.looseObject({
  spec: z.looseObject({
    provider: z.looseObject({
      ...provider.shape,
      type: ShortText.optional(),
      queryLanguage: ShortText.optional(),
      retries: z.number().optional(),
    }),
    query,
    ...choices,
  }),
});
export type QueryTemplate = z.infer<typeof QueryTemplate>;
