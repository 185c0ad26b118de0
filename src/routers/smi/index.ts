import { istioBoard, istioObservers } from '../istio/observer.ts';
import { MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { linkerdObservers, osmObservers } from './observer.ts';
import { type SmiVersion, smi } from './router.ts';

const splits = routes('split.smi-spec.io', ['trafficsplits'], MADE_AND_REMOVED);
const groups = routes('specs.smi-spec.io', ['httproutegroups'], MADE_AND_REMOVED);

/** SMI says how to split traffic, not how to count it; Flagger's choice is Istio's metrics. Linkerd changes nothing of a split. */
function smiProvider(version: SmiVersion): ProviderDefinition {
  const [plain, ofIstio] = [smi(version), smi(version, 'istio')];
  return {
    router: ({ mesh }) => (mesh === 'istio' ? ofIstio : plain),
    observers: istioObservers,
    board: istioBoard,
    permissions: version === 'v1alpha1' || version === 'v1alpha2' ? [splits] : [splits, groups],
    ownedWhole: ['backends', 'matches'],
  };
}

const smiV1alpha1Provider = smiProvider('v1alpha1');
const smiV1alpha2Provider = smiProvider('v1alpha2');
const smiV1alpha3Provider = smiProvider('v1alpha3');
const smiV1alpha4Provider = smiProvider('v1alpha4');

const linkerdProvider: ProviderDefinition = {
  ...smiV1alpha1Provider,
  observers: linkerdObservers,
  board: { id: 'linkerd', title: 'Linkerd' },
  overlay: { prometheus: 'http://prometheus.linkerd-viz:9090' },
};

const osmProvider: ProviderDefinition = {
  ...smiV1alpha2Provider,
  observers: osmObservers,
  board: { id: 'osm', title: 'Open Service Mesh' },
};

export {
  linkerdProvider as linkerd,
  osmProvider as osm,
  smiV1alpha1Provider as 'smi:v1alpha1',
  smiV1alpha2Provider as 'smi:v1alpha2',
  smiV1alpha3Provider as 'smi:v1alpha3',
  smiV1alpha4Provider as 'smi:v1alpha4',
};
