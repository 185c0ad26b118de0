import type { NamedScenario } from '../scenarios/scenario.ts';
import type { Difference } from './compare.ts';
import type { Claim } from './judge.ts';

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const onlyFlagger = ({ flagger, serin }: Difference): boolean => flagger !== undefined && serin === undefined;
const onlySerin = ({ flagger, serin }: Difference): boolean => flagger === undefined && serin !== undefined;
const failsChecks = ({ checks, hook }: NamedScenario): boolean =>
  /-(fails|no-data|down|once)$/.test(checks) || /rollout-(4xx|5xx|slow)$/.test(hook);

/** Alerts of Flagger in the colours that Serin gives them (DF680). */
export const recoloured = (flagger: unknown): string[] =>
  texts(flagger).map((alert) =>
    alert.replace(/^good (?=NewRevision$)/, '#0076D7 ').replace(/^good (?=(?:GateClosed|Failed|PromotionFailed)$)/, 'warning '),
  );

/** A gate's alert once for each time that it closes. */
const onceEach = (alerts: readonly string[]): string[] =>
  alerts.filter((alert, index) => !alert.endsWith('GateClosed') || alert !== alerts[index - 1]);

export const alertClaims: readonly Claim[] = [
  { id: 'DF680', explains: ({ aspect, flagger, serin }) => aspect === 'alerts' && same(recoloured(flagger), texts(serin)) },
  {
    id: 'DF510',
    explains: ({ scenario, aspect, flagger, serin }) =>
      aspect === 'alerts' && scenario.target === 'DaemonSet' && same(withoutRepeated(recoloured(flagger)), texts(serin)),
  },
  { id: 'DF179', explains: ({ aspect, flagger, serin }) => aspect === 'alerts' && same(onceEach(recoloured(flagger)), texts(serin)) },
  {
    id: 'DF178',
    explains: ({ scenario, aspect, flagger, serin }) =>
      aspect === 'alerts' && scenario.deadline === 'short' && same([...onceEach(recoloured(flagger)), 'danger Failed'], texts(serin)),
  },
  {
    id: 'DF180',
    explains: ({ aspect, flagger, serin }) => {
      const [ends, others] = [
        recoloured(flagger).filter((alert) => alert.endsWith('Failed')),
        recoloured(flagger).filter((alert) => !alert.endsWith('Failed')),
      ];
      return (
        aspect === 'alerts' &&
        ends.length === 2 &&
        same(onceEach(others), texts(serin).slice(0, -1)) &&
        ends.includes(texts(serin).at(-1) ?? '')
      );
    },
  },
];

/** Removes a new revision that is reported again right after (DF510). */
export const withoutRepeated = (alerts: readonly string[]): string[] =>
  alerts.filter((alert, index) => !alert.endsWith('NewRevision') || alert !== alerts[index - 1]);

const LOST_RACE = /^event: Warning unknown: scaling up daemonset .* the object has been modified/;

/** Kinds of events that report an analysis interval in which nothing has changed yet. */
const OF_A_TICK = ['Normal AnalysisStarted', 'Normal RoutedToCanary', 'Normal RollbackNotAsked', 'Warning NotReady'];

export const eventClaims: readonly Claim[] = [
  { id: 'DF162', explains: (one) => one.aspect === 'event: Normal MetricsOnline' && onlyFlagger(one) },
  { id: 'DF501', explains: (one) => OF_A_TICK.some((kind) => one.aspect === `event: ${kind}`) && onlyFlagger(one) },
  { id: 'DF510', explains: (one) => LOST_RACE.test(one.aspect) && onlyFlagger(one) },
  {
    id: 'DF502',
    explains: (one) =>
      one.aspect === 'event: Warning CheckFailed' && onlyFlagger(one) && one.scenario.threshold === '1' && failsChecks(one.scenario),
  },
  {
    id: 'DF15',
    explains: (one) => /^event: \w+ Canary(Unavailable|Recovered)$/.test(one.aspect) && onlySerin(one) && one.scenario.pods === 'lost',
  },
];

/** Fields that Serin adds. */
const ADDED = ['revision', 'canaryWeight', 'primaryWeight'];

export const payloadClaims: readonly Claim[] = [
  { id: 'DF505', explains: (one) => ADDED.some((field) => /^payload of \w+: (\w+)$/.exec(one.aspect)?.[1] === field) && onlySerin(one) },
];

export const queryClaims: readonly Claim[] = [
  { id: 'DF154', explains: (one) => one.aspect.startsWith('query: ') && one.aspect.includes('APP-primary') && onlySerin(one) },
  { id: 'DF3', explains: (one) => one.aspect.startsWith('query: ') && one.aspect.includes(')unlesssum(') && onlySerin(one) },
  {
    id: 'DF506',
    explains: ({ scenario, aspect }) =>
      scenario.provider === 'linkerd' && scenario.target === 'DaemonSet' && /^query: .*(deployment|daemonset)=~"APP"/.test(aspect),
  },
  {
    id: 'DF511',
    explains: ({ scenario, aspect }) =>
      scenario.target === 'DaemonSet' &&
      /^query: .*pod(?:_name)?=~"APP(?:-primary)?-\[0-9a-zA-Z\]\+(?:\(-\[0-9a-zA-Z\]\+\))?"/.test(aspect),
  },
  {
    id: 'DF300',
    explains: (one) => one.aspect.startsWith('query: ') && onlySerin(one) && ['one-breaks', 'lost'].includes(one.scenario.pods),
  },
  {
    id: 'DF300',
    explains: ({ scenario, aspect, flagger, serin }) =>
      aspect === 'hook order' &&
      scenario.hook.startsWith('rollout') &&
      ['one-breaks', 'lost'].includes(scenario.pods) &&
      same([...texts(flagger), 'hook'], serin),
  },
  // Query for the number of requests behind the result of a built-in check.
  { id: 'DF826', explains: (one) => /^query: sum\(increase\(\w+\{[^{}]*\}\[WINDOW\]\)\)$/.test(one.aspect) && onlySerin(one) },
  // Query for the reason for which a built-in check found nothing.
  { id: 'DF871', explains: (one) => /^query: label_replace\(.*"serin_part"/.test(one.aspect) && onlySerin(one) },
  // One check of several fails: Flagger runs none of the following checks.
  { id: 'DF153', explains: (one) => one.aspect.startsWith('query: ') && onlySerin(one) && failsChecks(one.scenario) },
];
