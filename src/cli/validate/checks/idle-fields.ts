import { type Finding, warning } from '../../../api/finding.ts';
import { factsOf, providerFields, providers } from '../../../api/providers.ts';
import { valueAt } from '../../../base/json.ts';
import { type CanaryItem, perCanary } from '../manifests.ts';

/** By field, the families of providers that read it: `gatewayapi` for all of its versions. */
const readBy = new Map(
  providerFields.map((field) => {
    const readers = providers.filter((provider) => factsOf(provider).reads.includes(field));
    return [field, [...new Set(readers.map((provider) => provider.split(':')[0]))]];
  }),
);

/** Fields that the traffic provider of a Canary does not read. */
export const idleFields = perCanary(function* (item) {
  yield* ofProvider(item);
  yield* ofStrategy(item);
});

function* ofProvider({ canary: { spec }, provider }: CanaryItem): Generator<Finding> {
  if (provider === undefined) return;
  const { reads } = factsOf(provider);
  for (const [field, families] of readBy) {
    if (reads.includes(field) || isEmpty(valueAt(spec, field.split('.')))) continue;
    const readers = families.join(', ');
    yield warning(`spec.${field}`, `has no effect with provider ${provider}, only with ${readers}: remove it, or change the provider`);
  }
}

/** Fields of the analysis that another one turns off. */
function* ofStrategy({ canary: { spec } }: CanaryItem): Generator<Finding> {
  const { analysis } = spec;
  const idle = (field: string, why: string) => warning(`spec.analysis.${field}`, `has no effect ${why}: remove it`);
  if (analysis.mirrorWeight !== undefined && !analysis.mirror) yield idle('mirrorWeight', 'without analysis.mirror');
  const isByIterations = analysis.iterations !== undefined && analysis.stepWeight === undefined && analysis.stepWeights === undefined;
  for (const field of ['maxWeight', 'stepWeightPromotion'] as const)
    if (isByIterations && analysis[field] !== undefined) yield idle(field, 'with iterations, which move no weight');
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
