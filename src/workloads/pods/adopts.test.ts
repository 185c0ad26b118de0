import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { adoptsPods } from './adopts.ts';

const RESTARTED = 'kubectl.kubernetes.io/restartedAt';
const [earlier, later] = ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00+00:00'];
const spec = { containers: [{ name: 'web', image: 'podinfo:1' }] };
const template = (annotations?: Record<string, string>, image = 'podinfo:1') => ({
  metadata: { labels: { app: 'podinfo-primary' }, ...(annotations && { annotations }) },
  spec: { ...spec, containers: [{ name: 'web', image }] },
});
const primary = (annotations?: Record<string, string>): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'podinfo-primary' },
  spec: { template: template({ 'flagger-id': 'some-uuid', ...annotations }) },
});

describe('E104: the primary at a takeover, compared with the one rendered from the target', () => {
  it.each([
    { what: 'the primary was restarted by hand', on: { [RESTARTED]: later }, wanted: {}, equals: true },
    {
      what: 'the primary was restarted after the release of a restart',
      on: { [RESTARTED]: later },
      wanted: { [RESTARTED]: earlier },
      equals: true,
    },
    { what: 'a restart was promoted', on: { [RESTARTED]: earlier }, wanted: { [RESTARTED]: earlier }, equals: true },
    { what: 'the target was restarted, which Flagger releases', on: {}, wanted: { [RESTARTED]: later }, equals: false },
    { what: 'the target was restarted after the primary', on: { [RESTARTED]: earlier }, wanted: { [RESTARTED]: later }, equals: false },
    { what: 'Rancher redeployed the primary', on: { 'cattle.io/timestamp': later }, wanted: {}, equals: true },
    { what: 'another annotation was added by hand', on: { team: 'a' }, wanted: {}, equals: false },
  ])('$what: equal is $equals', ({ on, wanted, equals }) =>
    expect(adoptsPods(primary(on as Record<string, string>), { template: template(wanted as Record<string, string>) })).toBe(equals),
  );

  it('a restart hides no other difference', () =>
    expect(adoptsPods(primary({ [RESTARTED]: later }), { template: template({}, 'podinfo:2') })).toBe(false));
});
