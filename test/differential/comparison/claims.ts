import { alertClaims, eventClaims, payloadClaims, queryClaims, recoloured, withoutRepeated } from './claims-of-messages.ts';
import { routeClaims, withoutDips } from './claims-of-routes.ts';
import type { Difference } from './compare.ts';
import type { Claim } from './judge.ts';

const phaseOf = (aspect: string, counter: string): string | undefined => aspect.split(`${counter} in `)[1];
const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.map(Number) : []);
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The failure that reaches the threshold is counted by Flagger before it rolls back, and is the end itself here. */
function isLastFailure({ scenario, aspect, flagger, serin }: Difference): boolean {
  const [counted, counts] = [numbers(flagger), numbers(serin)];
  return aspect === 'failed checks in Progressing' && same(counted, [...counts, Number(scenario.threshold)]);
}

/** Ends of a release of which Flagger, whose Gateway API never shows the mirror, sees none. */
const ENDS = ['Promoting', 'WaitingPromotion', 'Finalising', 'Succeeded', 'Failed'];

/** Flagger begins the mirror step again at each tick, for ever: it has what comes before, and Serin goes on from there. */
function neverMirrors({ scenario, aspect, flagger, serin }: Difference): boolean {
  if (!scenario.provider.startsWith('gatewayapi') || scenario.strategy !== 'mirrorWeights') return false;
  const goesOn = (before: unknown): boolean => Array.isArray(before) && Array.isArray(serin) && same(before, serin.slice(0, before.length));
  switch (aspect) {
    case 'phases':
      return (flagger as string[]).at(-1) === 'Progressing' && goesOn(flagger);
    case 'pods in the end':
      return same(flagger, { canary: true, primary: true, primaryImage: 'web:1' });
    case 'answers in the end':
      return flagger === 'any';
    case 'hook order':
      return goesOn(flagger);
    case 'alerts':
      return goesOn([...new Set(recoloured(flagger))]) && (serin as string[]).length === new Set(flagger as string[]).size + 1;
    case 'readiness':
    case 'weights in Progressing':
    case 'failed checks in Progressing':
      return (flagger as unknown[]).length < 2 && goesOn(flagger);
    default: {
      const event = /^event: \w+ (\w+)$/.exec(aspect)?.[1] ?? '';
      if (event)
        return (
          flagger === undefined &&
          ['CheckFailed', 'WeightAdvanced', 'IterationAdvanced', 'TrafficShifted', 'HookPassed', 'HookFailed', ...ENDS].includes(event)
        );
      return aspect.startsWith('object HTTPRoute/') && (flagger as unknown[]).length === 1 && goesOn(flagger);
    }
  }
}

const isNothing = (value: unknown): boolean => value === undefined || same(value, []);

/** Flagger stays in Initializing for ever, and does nothing else. */
function neverInitializes({ scenario, aspect, flagger }: Difference): boolean {
  if (scenario.target !== 'Service') return false;
  if (aspect === 'phases') return same(flagger, ['Initializing']);
  if (aspect === 'answers in the end') return flagger === 'any';
  return isNothing(flagger) || /^event: Warning unknown: reconcileCanaryService failed: .* is invalid: spec\.clusterIPs/.test(aspect);
}

/** Serin refuses the Canary in one event, and leaves all objects unmodified; Flagger plays the whole release. */
function isRefused({ scenario, aspect, flagger, serin }: Difference): boolean {
  if (scenario.routing !== 'labels-beside-gateways') return false;
  switch (aspect) {
    case 'phases':
      return same(serin, ['Initializing']) && (flagger as string[]).at(-1) === 'Succeeded';
    case 'object Service/APP':
      return same(serin, (flagger as unknown[]).slice(0, 1));
    case 'event: Warning UnsupportedByProvider':
      return flagger === undefined;
    case 'answers in the end':
      return serin === 'any' && same(flagger, ['2']);
    case 'pods in the end':
      return same(serin, { canary: true, primary: false });
    default:
      return isNothing(serin);
  }
}

/** Flagger calls rollback hooks only while the canary is ready; alerts and events show the effects of an earlier answer. */
function asksRollbackEarly({ scenario, aspect, flagger, serin }: Difference): boolean {
  const { hook, pods, strategy } = scenario;
  if (!hook.startsWith('rollback-')) return false;
  const neverReady = ['unpullable', 'one-unready'].includes(pods) || strategy === 'skipAnalysis';
  if (!neverReady && pods !== 'one-breaks') return false;
  const withYes = (value: unknown, yes: string): boolean => hook !== 'rollback-no' && same([...(value as string[]), yes], serin);
  if (aspect === 'event: Warning HookPassed') return hook !== 'rollback-no' && flagger === undefined;
  if (aspect === 'alerts')
    return withYes(scenario.target === 'DaemonSet' ? withoutRepeated(recoloured(flagger)) : recoloured(flagger), 'warning Failed');
  // It became unready in the step after which the answer is yes.
  if (aspect === 'calls of hook') return pods === 'one-breaks' && withYes(flagger, 'Progressing → 200');
  const others = () => (serin as string[]).filter((each) => !each.startsWith('hook'));
  return neverReady && aspect === 'hook order' && same(others(), flagger);
}

/** The same release, with the phases, the readiness and the event of a promotion that is waited for. */
function waitsForPrimary({ aspect, flagger, serin }: Difference): boolean {
  const steps = ['Promoting', 'Finalising', 'promotion: all'];
  if (aspect === 'event: Normal TrafficShifted') return flagger === undefined;
  return (
    (aspect === 'phases' || aspect === 'readiness') &&
    same(
      (serin as string[]).filter((each) => !steps.includes(each)),
      flagger,
    )
  );
}

/** A release can end while its canary is down. */
const isDippedOnly = (flagger: readonly number[], serin: readonly number[]): boolean =>
  [flagger, [...flagger, 0]].some((expected) => same(withoutDips(serin), expected));

/** A canary that fails by itself fails checks here, and so ends sooner; what comes of a crash loop in Flagger is decided by when it looks. */
function failsByItself({ scenario, aspect, flagger, serin }: Difference): boolean {
  if (scenario.crashes === 'loop') return aspect !== 'phases' || (serin as string[]).at(-1) === 'Failed';
  if (scenario.pods !== 'one-breaks') return false;
  if (aspect === 'event: Warning CheckFailed') return flagger === undefined;
  return aspect === 'failed checks in Progressing' && same(flagger, [0]) && numbers(serin)[0] === 0;
}

/** Every difference that is meant, by the row of docs/differences.md that states it. The first that explains one has it. */
export const CLAIMS: readonly Claim[] = [
  { id: 'DF49', explains: neverInitializes },
  { id: 'DF634', explains: isRefused },
  { id: 'DF4', explains: isLastFailure },
  { id: 'DF690', explains: failsByItself },
  {
    id: 'DF15',
    explains: ({ scenario, aspect, flagger, serin }) =>
      scenario.pods === 'lost' && aspect === 'weights in Progressing' && isDippedOnly(numbers(flagger), numbers(serin)),
  },
  {
    id: 'DF17',
    explains: ({ scenario, aspect, serin }) =>
      scenario.strategy === 'skipAnalysis' &&
      ((aspect === 'emptied services' && same(serin, [])) || (aspect === 'least primary' && serin === 'some')),
  },
  // Serin waits for the primary, in phases that Flagger leaves out.
  { id: 'DF17', explains: (one) => one.scenario.strategy === 'skipAnalysis' && waitsForPrimary(one) },
  { id: 'DF301', explains: asksRollbackEarly },
  {
    id: 'DF26',
    explains: ({ aspect, flagger, serin }) =>
      ['WaitingPromotion', 'Promoting'].includes(phaseOf(aspect, 'weights') ?? '') && same(flagger, [0]) && numbers(serin).length > 0,
  },
  {
    id: 'DF503',
    explains: ({ aspect, flagger, serin }) =>
      ['WaitingPromotion', 'Promoting'].includes(phaseOf(aspect, 'iterations') ?? '') &&
      numbers(flagger).some((count) => count < Math.max(...numbers(serin))),
  },
  {
    id: 'DF68',
    explains: ({ scenario, aspect, flagger, serin }) =>
      scenario.scaler === 'hpa' && aspect === 'weights in Failed' && same(flagger, [0]) && numbers(serin).at(-1) === 0,
  },
  // Traffic is moved before its pods go.
  { id: 'DF16', explains: ({ aspect, serin }) => aspect === 'lost requests' && serin === false },
  ...alertClaims,
  ...eventClaims,
  ...payloadClaims,
  ...queryClaims,
  ...routeClaims,
  { id: 'DF140', explains: neverMirrors },
];
