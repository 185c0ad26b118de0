import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { originalConfig } from '../original-spec.ts';
import { smi } from './smi.ts';

const router = smi('v1alpha4');
const object = (kind: 'TrafficSplit' | 'HTTPRouteGroup', spec: object, version = 'v1alpha4'): KubeObject => ({
  apiVersion: `${kind === 'TrafficSplit' ? 'split' : 'specs'}.smi-spec.io/${version}`,
  kind,
  metadata: { name: 'shop', namespace: 'prod' },
  spec,
});
const matched: Routes = { kind: 'matched', match: [{ headers: { 'x-user': { exact: 'insider' } } }] };

describe('what was there before', () => {
  const theirSplit = object('TrafficSplit', { service: 'shop', backends: [{ service: 'shop-blue', weight: 1 }] });
  const theirGroup = object('HTTPRouteGroup', { matches: [{ name: 'reads', methods: ['GET'] }] });

  it('R-D2: a TrafficSplit found in place keeps its own spec aside, through every step, and has it back in the end', () => {
    const [first] = router.render(aCanary(), anApex, allToPrimary, [theirSplit]).write;
    expect(JSON.parse(first?.metadata.annotations?.[originalConfig] ?? '')).toEqual(theirSplit.spec);
    const [second] = router.render(aCanary(), anApex, { kind: 'weighted', canary: weight(10) }, first ? [first] : []).write;
    expect(second?.metadata.annotations).toEqual(first?.metadata.annotations);
    const given = router.finalize(aCanary(), second ? [second] : []);
    expect(given).toEqual({ write: [theirSplit], remove: [] });
    expect(router.finalize(aCanary(), given.write)).toEqual({ write: [], remove: [] });
  });

  it("R-D2: somebody's HTTPRouteGroup of the same name is neither removed at rest nor lost in an A/B release", () => {
    expect(router.render(aCanary(), anApex, allToPrimary, [theirGroup])).toMatchObject({ write: [{ kind: 'TrafficSplit' }], remove: [] });
    const during = router.render(aCanary(), anApex, matched, [theirGroup]).write;
    const after = router.render(aCanary(), anApex, allToPrimary, during);
    expect(after.write.at(-1)).toEqual(theirGroup);
    expect(after.remove).toEqual([]);
    expect(router.finalize(aCanary(), [theirGroup])).toEqual({ write: [], remove: [] });
  });

  it('our own group goes when no condition is left', () => {
    const during = router.render(aCanary(), anApex, matched, []).write;
    expect(router.render(aCanary(), anApex, allToPrimary, during).remove).toMatchObject([{ kind: 'HTTPRouteGroup', name: 'shop' }]);
  });
});
