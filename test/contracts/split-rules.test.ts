import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allToPrimary, type Routes, weight } from '../../src/api/routes.ts';
import type { JsonRecord } from '../../src/base/json.ts';
import { INTRODUCTION } from '../../src/routers/introduction.ts';
import { ifExpressible } from '../../src/routers/routing-error.ts';
import { aCanary, deepFreeze } from './routers-cases.ts';
import { contour } from './split-rules/contour.ts';
import { gatewayApi } from './split-rules/gateway-api.ts';
import { istio } from './split-rules/istio.ts';
import type { SplitCase } from './split-rules/split-case.ts';

const cases: Record<string, SplitCase> = { HTTPRoute: gatewayApi, VirtualService: istio, HTTPProxy: contour };

const canary = aCanary({ analysis: { sessionAffinity: { cookieName: 'c', primaryCookieName: 'p' } } });
const match = [{ headers: { 'x-user': { exact: 'insider' } } }];

function routesOf({ can }: SplitCase): fc.Arbitrary<Routes> {
  const share = fc.integer({ min: 0, max: 100 }).map(weight);
  const affinity = fc.constantFrom({ canary: 'c=abcdefghij' }, { canary: 'c=abcdefghij', primary: 'p=abcdefghij' });
  return fc.oneof(
    fc.constant(allToPrimary),
    share.map((part): Routes => ({ kind: 'weighted', canary: part })),
    ...(can.affinity
      ? [fc.tuple(share, affinity).map(([part, pairs]): Routes => ({ kind: 'weighted', canary: part, affinity: pairs }))]
      : []),
    ...(can.match ? [fc.constant<Routes>({ kind: 'matched', match })] : []),
    ...(can.mirror ? [fc.constantFrom(weight(30), weight(100)).map((part): Routes => ({ kind: 'mirrored', share: part }))] : []),
  );
}

describe.each(Object.entries(cases))('I17: an application split within a %s of the user’s', (_kind, one) => {
  const routes = routesOf(one);
  const each = (holds: (rules: JsonRecord[], asked: Routes, split: JsonRecord[]) => void): void =>
    fc.assert(
      fc.property(one.rules, routes, (rules, asked) => {
        const split = ifExpressible(() => one.split(canary, deepFreeze(one.route(rules)), asked));
        if (split) holds(rules, asked, split);
      }),
      { numRuns: 300 },
    );
  const isOfApplication = (rules: JsonRecord): boolean => one.answers(rules).some(({ service }) => /^prod\/shop:/.test(service));
  /** Both sides count as the application. */
  const merged = (rule: JsonRecord): Record<string, number> => {
    const answers = one.answers(rule);
    const sum = answers.reduce((all, each) => all + each.weight, 0);
    const shares: Record<string, number> = {};
    for (const { service, weight: part } of answers) {
      const name = service.replace(/^prod\/shop-(primary|canary):/, 'prod/shop:');
      shares[name] = (shares[name] ?? 0) + (sum === 0 ? 0 : part / sum);
    }
    return Object.fromEntries(Object.entries(shares).map(([name, part]) => [name, Math.round(part * 1e9) / 1e9]));
  };

  it('joined again it is what the user wrote', () => {
    each((rules, _asked, split) => expect(one.join(canary, one.route(split))).toEqual(rules));
  });

  it('a rule that introduces Services to proxies is not the user’s', () => {
    each((rules, _asked, split) => {
      const introduced = split.map((rule) => ({
        ...rule,
        [one.conditions]: [{ headers: [{ name: INTRODUCTION, value: canary.metadata.name }] }],
      }));
      expect(one.join(canary, one.route([...split, ...introduced]))).toEqual(rules);
    });
  });

  it('splitting what is split changes nothing, and other routes replace those from before', () => {
    fc.assert(
      fc.property(one.rules, routes, routes, (rules, before, after) => {
        const first = ifExpressible(() => one.split(canary, one.route(rules), before));
        const second = ifExpressible(() => one.split(canary, one.route(rules), after));
        if (!first || !second) return;
        expect(one.split(canary, one.route(first), before)).toEqual(first);
        expect(one.split(canary, one.route(first), after)).toEqual(second);
      }),
      { numRuns: 300 },
    );
  });

  it('two Canaries share a route, and a rule of it: each splits its own, and in whichever order they go the user’s is left', () => {
    const other = aCanary({ service: { name: 'static' } });
    const share = fc.integer({ min: 0, max: 100 }).map((part): Routes => ({ kind: 'weighted', canary: weight(part) }));
    fc.assert(
      fc.property(one.rules, fc.array(fc.tuple(fc.boolean(), share), { maxLength: 5 }), fc.boolean(), (rules, steps, isFirst) => {
        const leads = [canary, other].every((each) => ifExpressible(() => one.split(each, one.route(rules), allToPrimary)));
        if (!leads) return;
        let live = rules;
        for (const [isOther, routes] of [[false, allToPrimary] as const, [true, allToPrimary] as const, ...steps]) {
          const mine = isOther ? other : canary;
          const split = ifExpressible(() => one.split(mine, one.route(live), routes));
          if (!split) return;
          live = split;
          // A write for one Canary is not drift of the other.
          const theirs = isOther ? canary : other;
          const before = one.read(theirs, one.route(live));
          if (before !== undefined && !('unreadable' in before) && live !== rules)
            expect(one.split(theirs, one.route(live), before)).toEqual(live);
        }
        const [last, first] = isFirst ? [other, canary] : [canary, other];
        expect(one.join(last, one.route(one.join(first, one.route(live))))).toEqual(rules);
      }),
      { numRuns: 300 },
    );
  });

  it('rules that do not lead to the application stay unmodified, in their order', () => {
    each((rules, _asked, split) => {
      const others = rules.filter((rule) => !isOfApplication(rule));
      expect(split.filter((rule) => others.some((other) => JSON.stringify(other) === JSON.stringify(rule)))).toEqual(others);
    });
  });

  it('each rule leads to what it led to, in the same proportion, and copies have no name', () => {
    each((rules, _asked, split) => {
      const namesOf = (list: JsonRecord[]) => list.flatMap(({ name }) => name ?? []);
      const leadsOf = (list: JsonRecord[]) => new Set(list.map((rule) => JSON.stringify(merged(rule))));
      expect(namesOf(split)).toEqual(namesOf(rules));
      expect(leadsOf(split)).toEqual(leadsOf(rules));
    });
  });

  it('read returns the routes that split has written', () => {
    each((rules, asked, split) => {
      const counts = rules.some((rule) => one.answers(rule).some(({ service, weight: part }) => /^prod\/shop:/.test(service) && part > 0));
      if (counts) expect(one.read(canary, one.route(split))).toEqual(asked);
    });
  });

  it('before the first split nothing is read', () => {
    fc.assert(
      fc.property(one.rules, (rules) => {
        expect(one.read(canary, one.route(rules))).toBeUndefined();
      }),
    );
  });
});
