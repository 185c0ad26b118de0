import { type Finding, warning } from '../../../api/finding.ts';
import { factsOf, providerFields, providers } from '../../../api/providers.ts';
import { type CanaryItem, perCanary } from '../manifests.ts';

/** By field, the families of providers that read it: `gatewayapi` for all of its versions. */
const readBy = new Map(
  providerFields.map((field) => {
    const readers = providers.filter((provider) => factsOf(provider).reads.includes(field));
    return [field, [...new Set(readers.map((provider) => provider.split(':')[0]))]];
  }),
);

/** Fields that the traffic provider of a Canary does not read. */
export const idleFields = perCanary((item) => [...ofProvider(item), ...ofStrategy(item)]);

function ofProvider({ canary: { spec }, provider }: CanaryItem): Finding[] {
  if (provider === undefined) return [];
  const { reads } = factsOf(provider);
  return [...readBy].flatMap(([field, families]) => {
    if (reads.includes(field) || isEmpty(valueAt(spec, field))) return [];
    return [
      warning(
        `spec.${field}`,
        `has no effect with provider ${provider}, only with ${families.join(', ')}: remove it, or change the provider`,
      ),
    ];
  });
}

/** Fields of the analysis that another one turns off. */
function ofStrategy({ canary: { spec } }: CanaryItem): Finding[] {
  const { analysis } = spec;
  const found: Finding[] = [];
  const idle = (field: string, why: string) => found.push(warning(`spec.analysis.${field}`, `has no effect ${why}: remove it`));
  if (analysis.mirrorWeight !== undefined && !analysis.mirror) idle('mirrorWeight', 'without analysis.mirror');
  const isByIterations = analysis.iterations !== undefined && analysis.stepWeight === undefined && analysis.stepWeights === undefined;
  if (isByIterations && analysis.maxWeight !== undefined) idle('maxWeight', 'with iterations, which move no weight');
  if (isByIterations && analysis.stepWeightPromotion !== undefined) idle('stepWeightPromotion', 'with iterations, which move no weight');
  return found;
}

const valueAt = (spec: object, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), spec);

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
