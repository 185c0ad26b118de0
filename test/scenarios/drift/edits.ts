import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import type { LiveRelease } from './live-release.ts';

/** An edit of another writer in the middle of a release. */
export interface Edit {
  name: string;
  /** The route becomes what it was, to the last field. */
  isUndone: boolean;
  /** `earlier` is the route at the previous step. */
  apply(release: LiveRelease, at: { route: KubeObject; earlier: KubeObject; canary: KubeObject }): Promise<void>;
}

const put = (change: (route: KubeObject, earlier: KubeObject) => KubeObject): Edit['apply'] => {
  return (release, { route, earlier }) => release.put(change(structuredClone(route), earlier));
};
const metadata = (change: (metadata: KubeObject['metadata']) => object): Edit['apply'] =>
  put((route) => ({ ...route, metadata: { ...route.metadata, ...change(route.metadata) } }));
const mapped = (map: Record<string, string> = {}, value = 'theirs') => Object.fromEntries(Object.keys(map).map((key) => [key, value]));
/** An object as in a user's Git repository, without fields that only a server or Serin writes. */
const asManifest = ({ apiVersion, kind, metadata: { name, namespace }, spec }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec,
});

/** The route at the previous step, as a PUT over the current route. */
export const old = ({ metadata }: KubeObject, earlier: KubeObject): KubeObject => {
  const { labels, annotations } = earlier.metadata;
  return { ...earlier, metadata: { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) } };
};

/** After it nothing is left of the edits before. */
export const DELETED = 'deleted';

/** Done to any provider's route. */
const generic: Readonly<Record<string, Edit['apply']>> = {
  'a label of theirs': metadata(({ labels }) => ({ labels: { ...labels, 'argocd.argoproj.io/instance': 'shop' } })),
  'an annotation of theirs': metadata(({ annotations }) => ({ annotations: { ...annotations, 'example.org/theirs': 'yes' } })),
  'a finalizer of theirs, and taken away again': async (release, { route }) => {
    const finalizers = (list: string[]) => release.patch(refOf(route), { metadata: { finalizers: list } });
    await finalizers(['example.org/theirs']);
    await finalizers([]);
  },
  'all annotations removed': metadata(() => ({ annotations: undefined })),
  'all labels changed': metadata(({ labels }) => ({ labels: { ...mapped(labels), app: 'theirs' } })),
  'all annotations changed': metadata(({ annotations }) => ({ annotations: mapped(annotations) })),
  'owner references removed': metadata(() => ({ ownerReferences: undefined })),
  'managed fields cleared': metadata(() => ({ managedFields: [{}] })),
  'an unknown field in its spec': put((route) => ({ ...route, spec: { ...raw(route).spec, invented: { theirs: true } } })),
  'replaced by what it was at the step before': put((route, earlier) => old(route, earlier)),
  'replaced by what it was at the step before, without our marks': put((route, earlier) => ({
    ...asManifest(earlier),
    metadata: { ...asManifest(earlier).metadata, resourceVersion: route.metadata.resourceVersion ?? '' },
  })),
  'deleted, and made again from an old manifest': async (release, { route, earlier }) => {
    await release.delete(refOf(route));
    await release.create(asManifest(earlier));
  },
  // Last of these: an object that Serin creates again has its marks again.
  [DELETED]: (release, { route }) => release.delete(refOf(route)),
};

/** Done by the user to the Canary: they change what is rendered, and not where traffic goes. */
const ofTheCanary: Readonly<Record<string, Edit['apply']>> = {
  "the user's edit of spec.service": (release, { canary }) =>
    release.patch(refOf(canary), { spec: { service: { port: 80, timeout: '9s', apex: { labels: { team: 'checkout' } } } } }),
  'that edit reverted': (release, { canary }) =>
    release.patch(refOf(canary), { spec: { service: { port: 80, timeout: null, apex: { labels: { team: 'shop' } } } } }),
};

export function editsFor({ edits, leaves = {}, unfit = {} }: ProviderFixture): Edit[] {
  const own = Object.entries(edits).map(([name, edit]) => ({
    name,
    isUndone: leaves[name] === undefined,
    apply: put((route) => edit(route)),
  }));
  const isUndone = false;
  const others = (record: Readonly<Record<string, Edit['apply']>>) =>
    Object.entries(record).map(([name, apply]) => ({ name, isUndone, apply }));
  return [...others(generic), ...own, ...others(ofTheCanary)].filter(({ name }) => unfit[name] === undefined);
}

function refOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject) {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}
