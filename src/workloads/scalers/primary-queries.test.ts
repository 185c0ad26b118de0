import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import type { Canary } from '../../api/canary.ts';
import { primaryQuery, primaryTriggers } from './primary-queries.ts';

const aCanary = (primaryScalerQueries?: Record<string, string>): Canary =>
  parsedCanary(
    {
      autoscalerRef: {
        apiVersion: 'keda.sh/v1alpha1',
        kind: 'ScaledObject',
        name: 'so',
        ...(primaryScalerQueries && { primaryScalerQueries }),
      },
    },
    { name: 'checkout', namespace: 'shop' },
  );
const prometheus = (query: string, name?: string) => ({ type: 'prometheus', ...(name && { name }), metadata: { query, threshold: '5' } });

describe('primaryQuery', () => {
  it.each([
    // Forms on which users rely.
    { is: 'the target', query: 'sum(rate(rq{app="checkout"}[1m]))', becomes: 'sum(rate(rq{app="checkout-primary"}[1m]))' },
    { is: 'its canary Service', query: 'rq{svc="checkout-canary"}', becomes: 'rq{svc="checkout-primary"}' },
    { is: 'both', query: 'a{x="checkout"}+b{y="checkout-canary"}', becomes: 'a{x="checkout-primary"}+b{y="checkout-primary"}' },
    { is: 'a pattern of its pods', query: 'rq{pod=~"checkout-.*"}', becomes: 'rq{pod=~"checkout-primary-.*"}' },
    { is: 'a class of its pods', query: 'rq{pod=~"checkout-[0-9a-z]+"}', becomes: 'rq{pod=~"checkout-primary-[0-9a-z]+"}' },
    { is: 'an optional ending', query: 'rq{pod=~"checkout(-.*)?"}', becomes: 'rq{pod=~"checkout-primary(-.*)?"}' },
    { is: 'an alternative', query: "rq{app=~'cart|checkout'}", becomes: "rq{app=~'cart|checkout-primary'}" },
    { is: 'a domain name', query: 'rq{host="checkout.shop.svc"}', becomes: 'rq{host="checkout-primary.shop.svc"}' },
    {
      is: 'SQL',
      type: 'postgresql',
      query: "SELECT n FROM checkout WHERE app LIKE 'checkout-%'",
      becomes: "SELECT n FROM checkout WHERE app LIKE 'checkout-primary-%'",
    },
    {
      is: 'names in quotes, and nothing beside them',
      type: 'datadog',
      query: 'checkout"checkout-canary"',
      becomes: 'checkout"checkout-primary"',
    },
    { is: 'a language without quotes', type: 'datadog', query: 'avg:rq{service:checkout}', becomes: 'avg:rq{service:checkout-primary}' },
    {
      is: 'a path',
      type: 'graphite',
      query: 'summarize(stats.checkout.rq, "1min")',
      becomes: 'summarize(stats.checkout-primary.rq, "1min")',
    },
  ])('rewrites $is', ({ query, becomes, type = 'prometheus' }) => expect(primaryQuery(query, 'checkout', type)).toBe(becomes));

  it.each([
    { is: 'the primary', query: 'rq{app="checkout-primary"}' },
    { is: 'pods of the primary', query: 'rq{pod=~"checkout-primary-.*"}' },
    { is: 'a longer name', query: 'rq{app="checkout2"}' },
    { is: 'a name with an ending', query: 'rq{app="checkout-api"}' },
    { is: 'a name with a beginning', query: 'rq{app="pre-checkout"}' },
    { is: 'another canary', query: 'rq{app="checkout-canary2"}' },
    { is: 'a metric', query: 'checkout{code="200"}' },
    { is: 'part of a metric', query: 'checkout_total' },
    { is: 'a function', type: 'datadog', target: 'sum', query: 'sum(last_5m):avg:rq{service:cart}' },
  ])('does not change $is', ({ query, type = 'prometheus', target = 'checkout' }) => expect(primaryQuery(query, target, type)).toBe(query));

  it('a target of one letter, which is in every word, is found as a whole word', () => {
    const query = 'avg(rate(a_total{app="a", canary="a-canary", all=~"a|b", aa="aa"}[1m]))';
    expect(primaryQuery(query, 'a', 'prometheus')).toBe(
      'avg(rate(a_total{app="a-primary", canary="a-primary", all=~"a-primary|b", aa="aa"}[1m]))',
    );
  });

  it('a name that is itself a pattern is taken literally', () => {
    expect(primaryQuery('rq{app=~"a.b|axb"}', 'a.b', 'prometheus')).toBe('rq{app=~"a.b-primary|axb"}');
  });

  it('a rewritten query is not rewritten again', () => {
    const word = fc.constantFrom(
      'checkout',
      'checkout-canary',
      'checkout-primary',
      'checkout2',
      'x',
      '-.*',
      '|',
      '"',
      '{',
      '}',
      ' ',
      '_',
      '$&',
      '$1',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.constantFrom('prometheus', 'datadog'), (words, type) => {
        const once = primaryQuery(words.join(''), 'checkout', type);
        expect(primaryQuery(once, 'checkout', type)).toBe(once);
      }),
    );
  });
});

describe('primaryTriggers', () => {
  it('rewrites the query of each trigger and no other field', () => {
    const cron = { type: 'cron', metadata: { start: '0 8 * * *', desiredReplicas: '4' }, invented: { deep: [null] } };
    const { triggers, warnings } = primaryTriggers(aCanary(), [{ ...prometheus('rq{app="checkout"}'), useCachedMetrics: true }, cron]);
    expect(triggers).toEqual([{ ...prometheus('rq{app="checkout-primary"}'), useCachedMetrics: true }, cron]);
    expect(warnings).toEqual([]);
  });

  it('warns when a query does not name the target', () => {
    const { triggers, warnings } = primaryTriggers(aCanary(), [prometheus('rq{app="cart"}', 'load')]);
    expect(triggers).toEqual([prometheus('rq{app="cart"}', 'load')]);
    expect(warnings).toEqual([
      'the query of trigger load does not name checkout, so the primary scales by the same numbers: set spec.autoscalerRef.primaryScalerQueries',
    ]);
  });

  it('warns when a query also names the primary, which can cancel out', () => {
    const { warnings } = primaryTriggers(aCanary(), [prometheus('rq{pod=~"checkout-.*", pod!~"checkout-primary-.*"}')]);
    expect(warnings).toEqual(['the query of trigger 0 names checkout-primary already: set spec.autoscalerRef.primaryScalerQueries']);
  });

  it('a given query goes to the trigger of that name, and no other query is rewritten', () => {
    const own = [prometheus('rq{app="checkout"}', 'load'), prometheus('errors{app="checkout"}', 'errors')];
    const { triggers, warnings } = primaryTriggers(aCanary({ load: 'mine' }), own);
    expect(triggers).toEqual([prometheus('mine', 'load'), own[1]]);
    expect(warnings).toEqual([]);
  });

  it('an empty map of queries rewrites nothing, without a warning', () => {
    const own = [prometheus('rq{app="checkout"}')];
    expect(primaryTriggers(aCanary({}), own)).toEqual({ triggers: own, warnings: [] });
  });

  it('metadata.name is used if no trigger has the name, with a warning', () => {
    const own = { type: 'prometheus', metadata: { name: 'load', query: 'rq{app="checkout"}' } };
    const { triggers, warnings } = primaryTriggers(aCanary({ load: 'mine' }), [own]);
    expect(triggers).toEqual([{ type: 'prometheus', metadata: { name: 'load', query: 'mine' } }]);
    expect(warnings).toEqual([
      'spec.autoscalerRef.primaryScalerQueries.load is found by metadata.name only: set the name of the trigger itself',
    ]);
  });

  it('the name of a trigger comes before metadata.name', () => {
    const other = { type: 'prometheus', metadata: { name: 'load', query: 'other' } };
    const { triggers } = primaryTriggers(aCanary({ load: 'mine' }), [other, prometheus('own', 'load')]);
    expect(triggers).toEqual([other, prometheus('mine', 'load')]);
  });

  it('warns when a given query finds no trigger', () => {
    const { warnings } = primaryTriggers(aCanary({ lost: 'mine' }), [prometheus('own', 'load')]);
    expect(warnings).toEqual(['spec.autoscalerRef.primaryScalerQueries.lost names no trigger: give one of them this name']);
  });

  it('a ScaledObject without triggers, or with an entry that is not a trigger, is not changed', () => {
    expect(primaryTriggers(aCanary(), undefined)).toEqual({ warnings: [] });
    expect(primaryTriggers(aCanary(), ['odd', null])).toEqual({ triggers: ['odd', null], warnings: [] });
  });
});
