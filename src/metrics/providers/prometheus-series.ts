import * as z from 'zod';
import { parseJson } from '../../base/json.ts';
import type { LabelledSeries } from './metric-provider.ts';
import { asNumber } from './prometheus-response.ts';

const Sample = z.tuple([z.number(), z.string()]);
const Labels = z.record(z.string(), z.string());
const ResponseBody = z.object({
  status: z.literal('success'),
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: Labels, value: Sample })) }),
    z.object({ resultType: z.literal('matrix'), result: z.array(z.object({ metric: Labels, values: z.array(Sample) })) }),
  ]),
});

/** All series in a body of `/api/v1/query`, or a reason: a part of them would be wrong counts. */
export function seriesOf(body: string): readonly LabelledSeries[] | { reason: string } {
  const parsed = ResponseBody.safeParse(parseJson(body));
  if (!parsed.success) return { reason: 'Prometheus gave an unexpected response (no series of numbers)' };
  const found: LabelledSeries[] = [];
  for (const series of parsed.data.data.result) {
    const points: [number, number][] = [];
    for (const [atSeconds, text] of 'values' in series ? series.values : [series.value]) {
      const value = asNumber(text);
      if (typeof value === 'object') return value;
      points.push([atSeconds, Number(value)]);
    }
    found.push({ labels: series.metric, points });
  }
  return found;
}
