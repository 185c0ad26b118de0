import { describe, expect, it } from 'vitest';
import { type Provider, providers } from '../../src/api/canary.ts';
import { renderQuery } from '../../src/metrics/query-template.ts';
import { observerFor } from '../../src/routers/index.ts';
import { routerCases } from './routers/index.ts';
import { queryNames } from './routers/queries.ts';

const variables = { ...queryNames, interval: '2m', variables: {} };
const asked = (template: string): string => {
  const rendered = renderQuery(template, variables);
  return 'query' in rendered ? rendered.query.replace(/\s+/g, '') : rendered.error;
};

const table = Object.entries(routerCases).map(([provider, { queries }]) => ({
  ...{ provider: provider as Provider, ...queries },
}));

describe('the built-in queries', () => {
  it.each(table)("of $provider are Flagger's", ({ provider, metric, selector, and, succeeded, duration, unit }) => {
    const all = and === undefined ? selector : `${selector}, ${and}`;
    const rate = `sum(rate(${metric}{${all}, ${succeeded}}[2m])) / sum(rate(${metric}{${all}}[2m])) * 100`;
    const observer = observerFor(provider, 'Deployment');
    expect(asked(observer.requestSuccessRate)).toBe(rate.replace(/\s+/g, ''));
    expect(asked(observer.requestDuration)).toBe(duration.replace(/\s+/g, ''));
    expect(observer.durationUnit).toBe(unit);
  });

  it('every provider has a row', () => {
    expect(table.map(({ provider }) => provider).toSorted()).toEqual([...providers].toSorted());
  });

  it.each([
    { pod: 'web-6c9f-x2x4z', kind: 'Deployment', isMeasured: true },
    { pod: 'web-primary-6c9f-x2x4z', kind: 'Deployment', isMeasured: false },
    { pod: 'web-x2x4z', kind: 'Deployment', isMeasured: false },
    { pod: 'web-x2x4z', kind: 'DaemonSet', isMeasured: true },
    { pod: 'web-primary-x2x4z', kind: 'DaemonSet', isMeasured: false },
  ] as const)('pod $pod of a $kind is measured: $isMeasured', ({ pod, kind, isMeasured }) => {
    for (const provider of ['appmesh', 'kubernetes', 'gatewayapi:v1'] as const) {
      const pattern = /kubernetes_pod_name=~"([^"]+)"/.exec(asked(observerFor(provider, kind).requestSuccessRate))?.[1];
      expect(new RegExp(`^(?:${pattern})$`).test(pod), provider).toBe(isMeasured);
    }
  });

  it('pods of a DaemonSet are found by the labels that they have', () => {
    expect(asked(observerFor('linkerd', 'DaemonSet').requestSuccessRate)).toContain('daemonset=~"web"');
    expect(asked(observerFor('osm', 'DaemonSet').requestSuccessRate)).toContain('destination_kind="DaemonSet"');
  });
});
