import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import { guardAnnotation } from '../../../src/api/names.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { Connection } from '../../../src/kube/connect.ts';
import { entriesOf } from '../../../src/kube/taken-over-fields.ts';
import { createTransport } from '../../../src/kube/transport.ts';
import type { Raw } from '../../fakes/raw.ts';

export const SHOP = 'shop';
/** No binding of the policy holds there. */
export const OPEN = 'open';

type Way = 'merge' | 'json' | 'strategic' | 'apply' | 'force' | 'put' | 'delete';

/** One write of a Service, as a client of that field manager sends it. */
export interface GuardStep {
  by: string;
  way: Way;
  /** Gets the live Service, and the manifest of its user. */
  body?(live: Raw, manifest: KubeObject): unknown;
  path?: string;
}

/** State after a step. */
export interface Guarded {
  /** Status of the answer. */
  status: number;
  selector: Labels | undefined;
  isMarked: boolean;
  /** Recorded as owners of the selector. */
  owners: string[];
}

export interface GuardCase {
  title: string;
  namespace?: string;
  steps: readonly (GuardStep & { after: Partial<Guarded> })[];
}

const USERS = { app: 'shop' };
const PRIMARY = { app: 'shop-primary' };
const OTHERS = { app: 'other' };
const KEPT = { status: 200, selector: PRIMARY, isMarked: true, owners: [] };

const manifestOf = (namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'shop', namespace, labels: { chart: 'shop-1' } },
  spec: { selector: USERS, ports: [{ port: 80, targetPort: 8080 }] },
});

const mark = (uid: string | null) => ({ annotations: { [guardAnnotation]: uid } });
const select = (selector: Labels) => () => ({ spec: { selector } });
/** Serin's write when the apex moves to the primary. */
export const arrival: GuardStep & { after: Partial<Guarded> } = {
  by: 'serin',
  way: 'merge',
  body: ({ metadata }) => ({ metadata: mark(metadata.uid), spec: { selector: PRIMARY } }),
  after: KEPT,
};
const withoutMark = ({ metadata, ...rest }: Raw) => {
  const { [guardAnnotation]: _, ...annotations } = metadata.annotations;
  return { ...rest, metadata: { ...metadata, annotations } };
};
const leadingTo = (selector: Labels, object: Raw) => ({ ...object, spec: { ...object.spec, selector } });
const asCreated = (_: Raw, manifest: KubeObject) => manifest;

export const guardCases: readonly GuardCase[] = [
  {
    title: 'a merge patch, as of kubectl apply and Helm 3, leaves the selector, twice',
    steps: [
      arrival,
      { by: 'kubectl-client-side-apply', way: 'merge', body: select(USERS), after: KEPT },
      { by: 'helm', way: 'merge', body: select(USERS), after: KEPT },
    ],
  },
  {
    title: 'a strategic merge patch and a JSON patch leave it',
    steps: [
      arrival,
      { by: 'helm', way: 'strategic', body: select(USERS), after: KEPT },
      { by: 'kubectl', way: 'json', body: () => [{ op: 'replace', path: '/spec/selector', value: USERS }], after: KEPT },
      { by: 'kubectl', way: 'json', body: () => [{ op: 'add', path: '/spec/selector/version', value: 'two' }], after: KEPT },
      { by: 'kubectl', way: 'merge', body: () => ({ spec: { selector: null } }), after: KEPT },
    ],
  },
  {
    title: 'a server-side apply succeeds without force, twice, also after other tools, and owns no selector',
    steps: [
      arrival,
      { by: 'helm', way: 'apply', body: asCreated, after: KEPT },
      { by: 'helm', way: 'apply', body: asCreated, after: KEPT },
      { by: 'kubectl-client-side-apply', way: 'merge', body: select(USERS), after: KEPT },
      { by: 'kubectl', way: 'apply', body: asCreated, after: KEPT },
      { by: 'helm', way: 'apply', body: asCreated, after: KEPT },
    ],
  },
  {
    title: 'a forced apply of another manager leaves it, twice',
    steps: [
      arrival,
      { by: 'flux', way: 'force', body: asCreated, after: KEPT },
      { by: 'flux', way: 'force', body: asCreated, after: KEPT },
    ],
  },
  {
    title: 'a manifest in the place of the whole object, as of kubectl replace, leaves mark and selector, twice',
    steps: [
      arrival,
      { by: 'kubectl-replace', way: 'put', body: asCreated, after: KEPT },
      { by: 'kubectl-replace', way: 'put', body: asCreated, after: KEPT },
      {
        by: 'argocd-controller',
        way: 'put',
        body: (_, manifest) => ({ ...manifest, metadata: { ...manifest.metadata, annotations: { note: 'new' } } }),
        after: KEPT,
      },
    ],
  },
  {
    title: 'an object that was read and is written back leaves it, as long as the mark is there',
    steps: [
      arrival,
      { by: 'dashboard', way: 'put', body: (live) => leadingTo(OTHERS, live), after: KEPT },
      {
        by: 'dashboard',
        way: 'put',
        body: (live) => leadingTo(OTHERS, withoutMark(live)),
        after: { status: 200, selector: OTHERS, isMarked: false, owners: ['dashboard'] },
      },
    ],
  },
  {
    title: 'a client that names no manager is held too',
    steps: [arrival, { by: '', way: 'merge', body: select(OTHERS), after: KEPT }],
  },
  {
    title: 'a user who takes the mark away takes the Service back, in one write or in two',
    steps: [
      arrival,
      { by: 'kubectl-annotate', way: 'merge', body: () => ({ metadata: mark(null) }), after: { ...KEPT, isMarked: false } },
      {
        by: 'kubectl-edit',
        way: 'merge',
        body: select(OTHERS),
        after: { selector: OTHERS, isMarked: false, owners: ['kubectl-edit'] },
      },
      { ...arrival, after: KEPT },
      {
        by: 'kubectl-edit',
        way: 'merge',
        body: () => ({ metadata: mark(null), spec: { selector: OTHERS } }),
        after: { selector: OTHERS, isMarked: false, owners: ['kubectl-edit'] },
      },
      { ...arrival, after: KEPT },
      {
        by: 'kubectl-edit',
        way: 'merge',
        body: () => ({ metadata: mark('false'), spec: { selector: OTHERS } }),
        after: { selector: OTHERS, isMarked: false },
      },
    ],
  },
  {
    title: 'Serin leads it elsewhere, marked or not, and restores it',
    steps: [
      arrival,
      { by: 'serin', way: 'merge', body: select(OTHERS), after: { ...KEPT, selector: OTHERS } },
      {
        by: 'serin',
        way: 'merge',
        body: () => ({ metadata: mark(null), spec: { selector: USERS } }),
        after: { selector: USERS, isMarked: false, owners: ['serin'] },
      },
      { by: 'helm', way: 'merge', body: select(OTHERS), after: { selector: OTHERS, owners: ['helm'] } },
    ],
  },
  {
    title: 'all other fields of a tool come through',
    steps: [
      arrival,
      {
        by: 'helm',
        way: 'merge',
        body: () => ({
          metadata: { labels: { chart: 'shop-2' }, annotations: { note: 'new' } },
          spec: { selector: USERS, ports: [{ port: 81 }] },
        }),
        after: KEPT,
      },
      {
        by: 'test',
        way: 'json',
        body: () => [
          { op: 'test', path: '/metadata/labels/chart', value: 'shop-2' },
          { op: 'test', path: '/metadata/annotations/note', value: 'new' },
          { op: 'test', path: '/spec/ports/0/port', value: 81 },
        ],
        after: KEPT,
      },
    ],
  },
  {
    title: 'the mark of another Service, as a copied manifest has it, marks nothing',
    steps: [
      {
        by: 'kubectl',
        way: 'merge',
        body: () => ({ metadata: mark('2f6f9c4e-0000-4000-8000-000000000000') }),
        after: { selector: USERS, isMarked: false },
      },
      { by: 'kubectl', way: 'merge', body: select(OTHERS), after: { selector: OTHERS, owners: ['kubectl'] } },
    ],
  },
  {
    title: 'a mark that a user sets on a Service of theirs keeps its selector, and goes as it came',
    steps: [
      {
        by: 'kubectl',
        way: 'merge',
        body: ({ metadata }) => ({ metadata: mark(metadata.uid), spec: { selector: OTHERS } }),
        after: { selector: OTHERS, isMarked: true, owners: [] },
      },
      { by: 'helm', way: 'merge', body: select(USERS), after: { selector: OTHERS, isMarked: true } },
      { by: 'kubectl', way: 'merge', body: () => ({ metadata: mark(null) }), after: { isMarked: false } },
      { by: 'helm', way: 'merge', body: select(USERS), after: { selector: USERS } },
    ],
  },
  {
    title: 'a Service that is deleted and created is the user’s, also with the mark of before',
    steps: [
      arrival,
      { by: 'kubectl', way: 'delete', after: { status: 200 } },
      {
        by: 'kubectl',
        way: 'apply',
        body: (live, manifest) => ({ ...manifest, metadata: { ...manifest.metadata, ...mark(live.metadata.uid) } }),
        after: { status: 201, selector: USERS, isMarked: false },
      },
      { by: 'kubectl', way: 'merge', body: select(OTHERS), after: { selector: OTHERS } },
      { ...arrival, after: KEPT },
    ],
  },
  {
    title: 'a Service of another namespace than those of the binding is written as before',
    namespace: OPEN,
    steps: [
      { ...arrival, after: { selector: PRIMARY, isMarked: true, owners: ['serin'] } },
      { by: 'helm', way: 'merge', body: select(USERS), after: { selector: USERS, owners: ['helm'] } },
    ],
  },
  {
    title: 'a write of the status changes no selector and loses no mark',
    steps: [arrival, { by: 'cloud', way: 'merge', path: '/status', body: select(OTHERS), after: KEPT }],
  },
  {
    title: 'a Service that cannot be valid is refused as before',
    steps: [
      arrival,
      { by: 'kubectl', way: 'merge', body: () => ({ spec: { selector: USERS, ports: [] } }), after: { status: 422 } },
      {
        by: 'kubectl',
        way: 'put',
        body: (_, { apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
        after: { status: 422 },
      },
      { by: 'kubectl', way: 'merge', body: () => ({ spec: { type: 'NodePort' } }), after: KEPT },
    ],
  },
];

const CONTENT: Record<Exclude<Way, 'delete'>, [method: string, contentType: string]> = {
  merge: ['PATCH', 'application/merge-patch+json'],
  json: ['PATCH', 'application/json-patch+json'],
  strategic: ['PATCH', 'application/strategic-merge-patch+json'],
  apply: ['PATCH', 'application/apply-patch+yaml'],
  force: ['PATCH', 'application/apply-patch+yaml'],
  put: ['PUT', 'application/json'],
};

/** Plays cases on one API server, whose namespaces and policy exist. */
export class GuardPlay {
  readonly #transport: ReturnType<typeof createTransport>;

  constructor(connection: Connection) {
    this.#transport = createTransport(connection, { clock: systemClock, requestTimeoutMs: 60_000 });
  }

  close(): void {
    this.#transport.close();
  }

  /** States after each step. */
  async play({ steps, namespace = SHOP }: GuardCase): Promise<Guarded[]> {
    const home = `/api/v1/namespaces/${namespace}/services`;
    const manifest = manifestOf(namespace);
    await this.#send('DELETE', `${home}/shop`);
    let live = (await this.#send('POST', `${home}?fieldManager=kubectl-create`, manifest)).object;
    const states: Guarded[] = [];
    for (const { by, way, body, path = '' } of steps) {
      const query = new URLSearchParams({ ...(by !== '' && { fieldManager: by }), ...(way === 'force' && { force: 'true' }) });
      const [method, contentType] = way === 'delete' ? ['DELETE', undefined] : CONTENT[way];
      const { status } = await this.#send(method, `${home}/shop${path}?${query}`, body?.(live, manifest), contentType);
      const found = await this.#send('GET', `${home}/shop`);
      const { metadata, spec } = found.status === 200 ? found.object : { metadata: {}, spec: {} };
      if (found.status === 200) live = found.object;
      const owners = entriesOf({ metadata } as KubeObject).filter(({ fieldsV1 }: Raw) => fieldsV1['f:spec']?.['f:selector'] !== undefined);
      states.push({
        status,
        selector: spec.selector,
        isMarked: metadata.uid !== undefined && metadata.annotations?.[guardAnnotation] === metadata.uid,
        owners: owners.map(({ manager = '' }) => manager).toSorted(),
      });
    }
    return states;
  }

  async #send(method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<{ status: number; object: Raw }> {
    const call = { verb: 'raw', resource: 'raw', method, path, ...(body !== undefined && { body, contentType }) } as const;
    const { status, text } = await this.#transport.send(call);
    return { status, object: JSON.parse(text) };
  }
}
